// The kernels that build the hash tables of joins.
#include "agent/hash_build.cuh"

using namespace ara;

// Words of 8 bytes, and with the suffix _4 words of 4 bytes.
#define BUILD(suffix, W)                                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                         \
  ara_hash_bounds##suffix(const W* words, const u32* rows, u32 count, u64* out) {                               \
    bounds(words, rows, count, out);                                                                            \
  }                                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                         \
  ara_hash_insert_direct##suffix(TABLE_ARGS, const W* words, const int* rows, u32 count, u32* slotOf, u64*,     \
                                 u64*) {                                                                        \
    insertDirect(words, rows, count, (int*)address, base, slotOf);                                              \
  }                                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                         \
  ara_hash_insert_packed##suffix(TABLE_ARGS, const W* words, const u32* rows, u32 count, u32* slotOf,           \
                                 u64* claimed, u64* steps) {                                                    \
    insertPacked(PACKED, words, rows, count, slotOf, claimed, steps);                                           \
  }                                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                         \
  ara_hash_insert_wide##suffix(TABLE_ARGS, const W* words, const u32* rows, u32 count, u32* slotOf,             \
                               u64* claimed, u64*) {                                                            \
    insertWide(words, rows, count, (u64*)address, mask, shift, slotOf, claimed);                                \
  }
BUILD(, u64)
BUILD(_4, int)

// counts[slotOf[i]]++ ; counts start at 0.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_count(const u32* __restrict__ slotOf, u32 count, u32* counts) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      count_up(counts, slotOf[i]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_used_direct(const int* __restrict__ ids, u64 entries, u64* claimed) {
  u64 step = (u64)gridDim.x * THREADS;
  u64 used = 0;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < entries; i += step) {
    used += ids[i] >= 0;
  }
  used = warp_sum(used);
  if (lane() == 0 && used > 0) {
    atomicAdd(claimed, used);
  }
}

#define RANGES(name, table)                                                                          \
  extern "C" __global__ void __launch_bounds__(THREADS)                                              \
  ara_hash_ranges_##name(TABLE_ARGS, u32* counts, u64 slots, u64* cursor, u32* starts, u32* most) {  \
    assignRanges(table, counts, slots, cursor, starts, most);                                        \
  }
RANGES(direct, DIRECT)
RANGES(packed, PACKED)
RANGES(wide, WIDE)

// The end of the last range.
extern "C" __global__ void ara_hash_seal(u32* starts, u32 distinct, u32 count) { starts[distinct] = count; }

// list[next free place of the row's slot] = row.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_scatter(const u32* __restrict__ slotOf, const u32* __restrict__ rows, u32 count, u32* places,
                 u32* list) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      u32 place = count_up(places, slotOf[i]);
      list[place] = rows == nullptr ? (u32)i : rows[i];
    }
  }
}
