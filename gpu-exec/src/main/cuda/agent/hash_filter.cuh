// A filter of a small table's words that blocks keep in shared memory: words that are not in the table, which most often
// are most of them, are hardly ever looked for in the table, which lies in the L2 at best.
#pragma once
#include "agent/hash_lookup.cuh"

namespace ara {

HOST_SHARED struct HashFilterPolicy {
  // Bits for each word, a power of two, of which two are set: one word in twenty passes that should not.
  static constexpr int WORD_BITS = 8;
  // Words of a filter of 64 KB, of which three fit an SM.
  static constexpr int MOST_WORDS = 1 << 16;
  // Fewer are in a table that the SM's own cache holds.
  static constexpr int LEAST_WORDS = 1 << 12;
};

// bits: a power of two of them; mask: their number less one.
struct HashFilter {
  u32* bits;
  u32 mask;

  __device__ __forceinline__ u32 first(u64 mixed) const { return (u32)(mixed >> 8) & mask; }

  __device__ __forceinline__ u32 second(u64 mixed) const { return (u32)(mixed >> 27) & mask; }

  __device__ __forceinline__ void add(u64 mixed) const {
    atomicOr(bits + first(mixed) / 32, 1u << (first(mixed) & 31));
    atomicOr(bits + second(mixed) / 32, 1u << (second(mixed) & 31));
  }

  __device__ __forceinline__ bool has(u64 mixed) const {
    return (bits[first(mixed) / 32] >> (first(mixed) & 31) & bits[second(mixed) / 32] >> (second(mixed) & 31) & 1) != 0;
  }
};

// The filter in shared memory, which all threads of a block bring there.
__device__ __forceinline__ HashFilter bring_filter(const u32* __restrict__ bits, u32 mask) {
  extern __shared__ __align__(16) u32 filterBits[];
  for (u32 i = threadIdx.x; i < (mask + 1) / 128; i += THREADS) {
    reinterpret_cast<uint4*>(filterBits)[i] = __ldg(reinterpret_cast<const uint4*>(bits) + i);
  }
  __syncthreads();
  return HashFilter{filterBits, mask};
}

// The ids of ITEMS words, STEP apart; -1 where there is none, and behind the last.
template <int STEP, class W>
__device__ __forceinline__ void find_filtered(const PackedTable& table, const HashFilter& filter,
                                              const ProbeWords<W>& probe, u64 first, int (&ids)[ITEMS]) {
  u64 word[ITEMS];
  u64 slot[ITEMS];
  u64 item[ITEMS];
  probe.template load<STEP>(first, word);
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 mixed = mix(word[j] - table.base);
    slot[j] = table.slot(word[j] - table.base, mixed);
    bool may = first + j * STEP < probe.count && word[j] - table.base <= table.range && filter.has(mixed);
    item[j] = may ? table.load(slot[j]) : FREE;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    ids[j] = table.find(word[j], slot[j], item[j]);
  }
}

}  // namespace ara
