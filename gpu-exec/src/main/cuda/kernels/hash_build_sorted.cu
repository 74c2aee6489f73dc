// The kernels that build hash tables of sorted rows.
#include "agent/hash_build_sorted.cuh"

using namespace ara;

#define SORT_KEYS(name, W, K)                                                                               \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                     \
  ara_hash_keys_##name(const W* words, const u32* rows, u32 count, u64 base, K* keys, u32* values) {        \
    sortKeys(words, rows, count, base, keys, values);                                                       \
  }
SORT_KEYS(4_4, int, u32)
SORT_KEYS(4_8, int, u64)
SORT_KEYS(8_4, u64, u32)
SORT_KEYS(8_8, u64, u64)

#define PLACE(name, table, width, K)                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                     \
  ara_hash_place_##name##_##width(TABLE_ARGS, const K* keys, const u32* starts, u32 distinct, u32* most,     \
                                     u64* steps) {                                                          \
    placeRuns(table, keys, starts, distinct, most, steps);                                                  \
  }
PLACE(direct, DIRECT, 4, u32)
PLACE(packed, PACKED, 4, u32)
PLACE(packed, PACKED, 8, u64)
PLACE(wide, WIDE, 8, u64)
