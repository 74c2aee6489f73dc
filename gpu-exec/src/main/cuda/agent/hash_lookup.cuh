// What the kernels of joins' hash tables share: how a table is passed, and how words are looked up.
#pragma once
#include "agent/hash_table.cuh"

namespace ara {

HOST_SHARED struct HashPolicy {
  static constexpr int ITEMS = 4;
  static constexpr int TILE = BlockPolicy::THREADS * ITEMS;
};

constexpr int ITEMS = HashPolicy::ITEMS;
constexpr int TILE = HashPolicy::TILE;

// Slots that a row may pass until it has its own where slots are in the order of keys: keys that lie close would take time
// in the square of their number. One that gives up adds so much to what was passed.
constexpr u32 MOST_PASSED = 256;
constexpr u32 GIVEN_UP = 1u << 20;

// The table is passed as a few numbers whose meaning depends on the layout.
#define TABLE_ARGS u64 address, u64 base, u64 range, u64 mask, int shift, int idBits, u64 scale
#define DIRECT DirectTable{(int*)address, base, range + 1}
#define PACKED PackedTable{(u64*)address, base, range, mask, shift, idBits, scale}
#define WIDE WideTable{(ulonglong2*)address, mask, shift}

// The ids of ITEMS words, THREADS apart; -1 where there is none.
template <class Table, class W>
__device__ __forceinline__ void find_tile(const Table& table, const W* __restrict__ words, u64 first, u32 count,
                                      int (&ids)[ITEMS]) {
  u64 words4[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    words4[j] = i < count ? wide(__ldcs(words + i)) : 0;
  }
  findAll(table, words4, ids);
}

}  // namespace ara
