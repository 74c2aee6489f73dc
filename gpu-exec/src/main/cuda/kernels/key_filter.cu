// Filters of words: a bit a word of a range, or a Bloom filter whose bits lie in one 64-bit block (Putze, Sanders and
// Singler, "Cache-, hash- and space-efficient Bloom filters"). KeyFilter.java has the same numbers.
#include "thread/mix.cuh"

namespace ara {

HOST_SHARED struct KeyFilterPolicy {
  static constexpr int ITEMS = 4;
  static constexpr u32 TILE = BlockPolicy::THREADS * ITEMS;
};

constexpr int ITEMS = KeyFilterPolicy::ITEMS;
constexpr u32 TILE = KeyFilterPolicy::TILE;

// Four bits of a block.
__device__ __forceinline__ u64 block_bits(u64 mixed) {
  return 1ull << (mixed >> 2 & 63) | 1ull << (mixed >> 8 & 63) | 1ull << (mixed >> 14 & 63) | 1ull << (mixed >> 20 & 63);
}

}  // namespace ara

using namespace ara;

// `mask`: blocks less one, of a Bloom filter. `exact` is 1 for a bit a word.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_filter_add(const u64* __restrict__ words, u32 count, int exact, u64 base, u64 mask, u64* blocks) {
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    u64 word = words[i];
    u64 distance = word - base;
    u64 mixed = mix(word);
    u64* block = blocks + (exact ? distance >> 6 : mixed >> 32 & mask);
    u64 bits = exact ? 1ull << (distance & 63) : block_bits(mixed);
    if ((__ldcg(block) & bits) != bits) {
      atomicOr(block, bits);
    }
  }
}

namespace ara {

// A value of a column of `bytes` each, which all threads agree on.
__device__ __forceinline__ u64 load_value(const void* values, int bytes, u64 row) {
  switch (bytes) {
    case 1: return (u64)(long long)__ldg(static_cast<const signed char*>(values) + row);
    case 2: return (u64)(long long)__ldg(static_cast<const short*>(values) + row);
    case 4: return (u64)(long long)__ldg(static_cast<const int*>(values) + row);
    default: return (u64)__ldg(static_cast<const long long*>(values) + row);
  }
}

}  // namespace ara

// Bit i of `bits` is whether word i may be there; `range` is the largest distance from the base. A word is as KeyColumns
// has it; values1 null: of one column; rows null: all rows in order.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_filter_test(const void* __restrict__ values0, int bytes0, u64 zero0, int shift0, const void* __restrict__ values1,
                int bytes1, u64 zero1, int shift1, const u32* __restrict__ rows, u32 count, int exact, u64 base,
                u64 range, u64 mask, const u64* __restrict__ blocks, u32* bits) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 word[ITEMS];
  u64 found[ITEMS];
  u64 wanted[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    // Behind the last row the last one is read again.
    u64 i = min(first + k * THREADS, (u64)count - 1);
    u64 row = rows != nullptr ? __ldcs(rows + i) : i;
    word[k] = load_value(values0, bytes0, row) - zero0 << shift0;
    if (values1 != nullptr) {
      word[k] |= load_value(values1, bytes1, row) - zero1 << shift1;
    }
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    u64 distance = word[k] - base;
    u64 mixed = mix(word[k]);
    bool inside = first + k * THREADS < count && (!exact || distance <= range);
    wanted[k] = exact ? 1ull << (distance & 63) : block_bits(mixed);
    found[k] = inside ? __ldg(blocks + (exact ? distance >> 6 : mixed >> 32 & mask)) : 0;
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    u64 i = first + k * THREADS;
    u32 warp = __ballot_sync(~0u, (found[k] & wanted[k]) == wanted[k]);
    if (threadIdx.x % 32 == 0 && i < count) {
      bits[i / 32] = warp;
    }
  }
}
