// The kernels that probe hash tables and fetch the build rows of matches.
#include "agent/hash_fetch.cuh"

using namespace ara;

#define FETCH(NAME, TABLE, W)                                                                                     \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                           \
  NAME(TABLE_ARGS, const W* words, u32 count, u64* matches, COLUMN_ARGS) {                                        \
    SHARED_COLUMNS                                                                                                \
    probe(TABLE, ProbeWords<W>{words, nullptr, count}, matches, widths, in, out);                                                         \
  }

FETCH(ara_hash_fetch_direct, DIRECT, u64)
FETCH(ara_hash_fetch_packed, PACKED, u64)
FETCH(ara_hash_fetch_wide, WIDE, u64)
FETCH(ara_hash_fetch_direct_4, DIRECT, int)
FETCH(ara_hash_fetch_packed_4, PACKED, int)
FETCH(ara_hash_fetch_wide_4, WIDE, int)
