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

// flags[i] = whether word i may be there; `range` is the largest distance from the base.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_filter_test(const u64* __restrict__ words, u32 count, int exact, u64 base, u64 range, u64 mask,
                const u64* __restrict__ blocks, u8* flags) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 found[ITEMS];
  u64 wanted[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    u64 i = first + k * THREADS;
    u64 word = i < count ? __ldcs(words + i) : base;
    u64 distance = word - base;
    u64 mixed = mix(word);
    bool inside = !exact || distance <= range;
    wanted[k] = exact ? 1ull << (distance & 63) : block_bits(mixed);
    found[k] = inside ? __ldg(blocks + (exact ? distance >> 6 : mixed >> 32 & mask)) : 0;
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    u64 i = first + k * THREADS;
    if (i < count) {
      flags[i] = (found[k] & wanted[k]) == wanted[k];
    }
  }
}
