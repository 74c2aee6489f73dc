// Building the hash tables of joins where many rows have words of others: they are sorted by their words, which makes the
// list of rows at once, where counting and writing by slots goes to memory at random three times a row.
#pragma once
#include "agent/hash_lookup.cuh"
#include "block/sum.cuh"

namespace ara {

// Of many rows, duplicates are found by sorting: keys are distances from the base, values are rows.
template <class W, class K>
__device__ __forceinline__ void sortKeys(const W* __restrict__ words, const u32* __restrict__ rows, u32 count, u64 base,
                                         K* keys, u32* values) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  W some[ITEMS];
  u32 row[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    some[j] = i < count ? __ldcs(words + i) : 0;
    row[j] = rows != nullptr && i < count ? __ldcs(rows + i) : (u32)i;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      __stcs(keys + i, (K)(wide(some[j]) - base));
      __stcs(values + i, row[j]);
    }
  }
}

// Each returns how many slots were passed, where slots are in the order of keys. steps: see insertPacked.
__device__ __forceinline__ u32 place(const DirectTable& table, u64 key, u32 id, u64*) {
  table.ids[key] = (int)id;
  return 0;
}

__device__ __forceinline__ u32 place(const PackedTable& table, u64 key, u32 id, u64* steps) {
  u64 slot = table.slot(key, mix(key));
  u32 passed = 0;
  while (atomicCAS(table.slots + slot, FREE, key << table.idBits | id) != FREE) {
    slot = (slot + 1) & table.mask;
    if (table.scale != 0 && ++passed >= MOST_PASSED) {
      steps[1] = 1;
      break;
    }
  }
  return passed;
}

__device__ __forceinline__ u32 place(const WideTable& table, u64 key, u32 id, u64*) {
  u64 slot = key == FREE ? table.mask + 1 : mix(key) >> table.shift;
  // The slot of FREE is its own: it is taken as it is.
  while (atomicCAS(&table.slots[slot].x, FREE, key) != FREE && key != FREE) {
    slot = (slot + 1) & table.mask;
  }
  table.setId(slot, id);
  return 0;
}

// Puts distinct keys into an empty table: key n is that of the sorted rows from starts[n] to starts[n + 1], and n its
// id. most: the most rows of a key. steps: see insertPacked.
template <class Table, class K>
__device__ __forceinline__ void placeRuns(const Table& table, const K* __restrict__ keys, const u32* __restrict__ starts,
                                          u32 distinct, u32* most, u64* steps) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u32 start[ITEMS];
  u32 largest = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 n = first + j * THREADS;
    start[j] = n < distinct ? __ldg(starts + n) : 0;
    largest = n < distinct ? max(largest, __ldg(starts + n + 1) - start[j]) : largest;
  }
  u64 key[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    key[j] = first + j * THREADS < distinct ? (u64)__ldg(keys + start[j]) : 0;
  }
  u32 passed = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 n = first + j * THREADS;
    if (n < distinct) {
      passed += place(table, key[j], (u32)n, steps);
    }
  }
  largest = __reduce_max_sync(~0u, largest);
  if (lane() == 0 && largest > *(volatile u32*)most) {
    atomicMax(most, largest);
  }
  add_block_sum(passed, steps);
}

}  // namespace ara
