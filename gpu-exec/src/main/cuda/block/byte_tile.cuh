// Bytes of global memory in shared memory, where each step from one to the next is short.
#pragma once
#include "thread/common.cuh"

namespace ara {

// Words that hold `bytes` bytes, wherever they lie.
constexpr u32 tile_words(u32 bytes) { return bytes / 4 + 1; }

// Copies bytes by words, of which the first may begin before them, and returns where they are; called by all threads.
__device__ __forceinline__ const u8* byte_tile(u32* tile, const u8* from, u32 bytes) {
  u32 skew = (u64)from & 3;
  const u32* words = (const u32*)(from - skew);
  u32 whole = (skew + bytes) / 4;
  for (u32 k = threadIdx.x; k < whole; k += THREADS) {
    tile[k] = words[k];
  }
  u8* rest = (u8*)tile;
  for (u32 k = 4 * whole + threadIdx.x; k < skew + bytes; k += THREADS) {
    rest[k] = from[(int)(k - skew)];
  }
  __syncthreads();
  return rest + skew;
}

}  // namespace ara
