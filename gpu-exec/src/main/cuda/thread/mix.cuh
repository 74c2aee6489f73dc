// Key words: normalized keys of 8 bytes, or of 4, which are signed.
#pragma once
#include "thread/common.cuh"

namespace ara {

__device__ __forceinline__ u64 wide(u64 word) { return word; }

__device__ __forceinline__ u64 wide(int word) { return (u64)(i64)word; }

// Bijective; the top bits, which choose a table's slot or a partition, depend on all bits of the word. PartitionFunction
// and KeyFilter mix so on the host.
__device__ __forceinline__ u64 mix(u64 word) {
  word ^= word >> 32;
  word *= 0x9E3779B97F4A7C15ull;
  word ^= word >> 29;
  return word * 0xBF58476D1CE4E5B9ull;
}

}  // namespace ara
