// What the kernels of joins' hash tables share: how a table is passed, and how words are looked up.
#pragma once
#include "agent/hash_table.cuh"

namespace ara {

HOST_SHARED struct HashPolicy {
  static constexpr int ITEMS = 4;
  static constexpr int TILE = BlockPolicy::THREADS * ITEMS;
  // Tiles that a block of a probe for pairs looks at together, at most.
  static constexpr int ROUNDS = 4;
};

constexpr int ITEMS = HashPolicy::ITEMS;
constexpr int TILE = HashPolicy::TILE;

// Slots that a row may pass until it has its own where slots are in the order of keys: keys that lie close would take time
// in the square of their number. One that passes more gives up, and the table is of no use.
constexpr u32 MOST_PASSED = 256;

// The table is passed as a few numbers whose meaning depends on the layout.
#define TABLE_ARGS u64 address, u64 base, u64 range, u64 mask, int shift, int idBits, u64 scale
#define DIRECT DirectTable{(int*)address, base, range + 1}
#define PACKED PackedTable{(u64*)address, base, range, mask, shift, idBits, scale}
#define PACKED32(ORDERED) \
  PackedTable32<ORDERED>{(const uint2*)address, (u32)base, (u32)range, (u32)mask, shift, scale}
#define WIDE WideTable{(ulonglong2*)address, mask, shift}

// Words to look up: word i is that of row i, or of row rows[i] where there are such.
template <class W>
struct ProbeWords {
  const W* words;
  const u32* rows;
  u32 count;

  __device__ __forceinline__ W at(u64 i) const { return __ldg(words + (rows == nullptr ? i : __ldg(rows + i))); }

  // ITEMS words, THREADS apart; 0 behind the last.
  __device__ __forceinline__ void load(u64 first, u64 (&out)[ITEMS]) const {
    if (rows == nullptr) {
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        u64 i = first + j * THREADS;
        out[j] = i < count ? wide(__ldcs(words + i)) : 0;
      }
      return;
    }
    u32 row[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      u64 i = first + j * THREADS;
      row[j] = i < count ? __ldcs(rows + i) : 0;
    }
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      out[j] = first + j * THREADS < count ? wide(__ldg(words + row[j])) : 0;
    }
  }
};

#define PROBE_ARGS(W) const W *__restrict__ words, const u32 *__restrict__ rows, u32 count
#define PROBE(W) ProbeWords<W>{words, rows, count}

// The ids of ITEMS words, THREADS apart; -1 where there is none. What it says of those behind the last is undefined.
template <class Table, class W>
__device__ __forceinline__ void find_tile(const Table& table, const ProbeWords<W>& probe, u64 first,
                                          int (&ids)[ITEMS]) {
  u64 words[ITEMS];
  probe.load(first, words);
  findAll(table, words, ids);
}

}  // namespace ara
