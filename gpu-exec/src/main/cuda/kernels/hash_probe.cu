// The kernels that probe the hash tables of joins.
#include "agent/hash_probe.cuh"

using namespace ara;

// The first row of each range of the list, so that a lookup need not pass through both.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_firsts(const u32* __restrict__ starts, const int* __restrict__ list, u32 distinct, int* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < distinct) {
    out[i] = list[starts[i]];
  }
}

// Where the rows of each number start in the list, and how many there are.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_list_ranges(const int* __restrict__ numbers, u32 count, const u32* __restrict__ starts, u32* outFirsts,
                     u32* outCounts) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < count) {
    int number = numbers[i];
    u32 from = __ldg(starts + number);
    outFirsts[i] = from;
    outCounts[i] = __ldg(starts + number + 1) - from;
  }
}

#define LOOKUP(name, table, W)                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_lookup_##name(TABLE_ARGS, PROBE_ARGS(W), const int* __restrict__ firstRows, int* out) {    \
    lookup(table, PROBE(W), firstRows, out);                                                          \
  }

#define MATCH(name, table, W)                                                                         \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_match_##name(TABLE_ARGS, PROBE_ARGS(W), MATCH_ARGS) {                                      \
    match(table, PROBE(W), MATCHES);                                                                  \
  }

#define LOCATE(name, table, W)                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_locate_##name(TABLE_ARGS, PROBE_ARGS(W), const u32* __restrict__ starts, u32* outFirst,    \
                         u32* outCounts) {                                                            \
    locate(table, PROBE(W), starts, outFirst, outCounts);                                             \
  }

#define FOR_ALL_TABLES(kernel)                                                    \
  kernel(direct, DIRECT, u64) kernel(packed, PACKED, u64) kernel(wide, WIDE, u64) \
  kernel(direct_4, DIRECT, int) kernel(packed_4, PACKED, int) kernel(wide_4, WIDE, int) \
  kernel(packed32_4, PACKED32(false), int) kernel(packed32_ordered_4, PACKED32(true), int)
FOR_ALL_TABLES(LOOKUP)
FOR_ALL_TABLES(MATCH)
FOR_ALL_TABLES(LOCATE)

// Adds a packed table's words to a filter, whose bits are 0 before.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_filter(TABLE_ARGS, u32* filterWords, u32 filterBits, int filterExact) {
  u64 slot = (u64)blockIdx.x * THREADS + threadIdx.x;
  u64 item = slot <= mask ? ((const u64*)address)[slot] : FREE;
  if (item != FREE) {
    HashFilter{filterWords, filterBits}.add(item >> idBits, filterExact != 0);
  }
}

#define FILTERED(suffix, W)                                                                               \
  extern "C" __global__ void __launch_bounds__(HashFilterPolicy::THREADS, 1)                               \
  ara_hash_lookup_filtered##suffix(TABLE_ARGS, FILTER_ARGS, PROBE_ARGS(W), const int* __restrict__ firstRows, \
                                   int* out) {                                                            \
    if (filterExact) {                                                                                    \
      lookupFiltered<true>(PACKED, filterWords, filterBits, PROBE(W), firstRows, out);                    \
    } else {                                                                                              \
      lookupFiltered<false>(PACKED, filterWords, filterBits, PROBE(W), firstRows, out);                   \
    }                                                                                                     \
  }                                                                                                       \
  extern "C" __global__ void __launch_bounds__(HashFilterPolicy::THREADS, 1)                               \
  ara_hash_match_filtered##suffix(TABLE_ARGS, FILTER_ARGS, PROBE_ARGS(W), int firstRow, int* outProbe,     \
                                  int* outBuild, u32* counts) {                                           \
    if (filterExact) {                                                                                    \
      matchFiltered<true>(PACKED, filterWords, filterBits, PROBE(W), firstRow, outProbe, outBuild, counts);  \
    } else {                                                                                              \
      matchFiltered<false>(PACKED, filterWords, filterBits, PROBE(W), firstRow, outProbe, outBuild, counts); \
    }                                                                                                     \
  }

FILTERED(, u64)
FILTERED(_4, int)

extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_compact(const int* rows, const int* ids, const u32* counts, const u64* starts, u32 segments, int* outProbe,
                 int* outBuild) {
  compact(rows, ids, counts, starts, segments, outProbe, outBuild);
}

// The pairs from..from + outCount of all pairs: a block writes TILE of them. It finds the rows of its first and
// last pair, lets every row with pairs between them mark its first one, and spreads the marks by a running maximum.
// Without a list the places in it are what is wanted. rows: whose ranges these are; null: row i has range i.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_expand(const u64* __restrict__ sums, const u32* __restrict__ firsts, const int* __restrict__ list,
                const int* __restrict__ rows, u32 count, u64 from, u32 outCount, int* outProbe, int* outBuild) {
  __shared__ __align__(16) u32 rowAt[TILE];
  __shared__ u32 edge[2];
  u32 tile = blockIdx.x * (u32)TILE;
  u32 pairs = min((u32)TILE, outCount - tile);
  u64 begin = from + tile;
  if (threadIdx.x < 2) {
    edge[threadIdx.x] = rowOf(sums, 0, count - 1, threadIdx.x == 0 ? begin : begin + pairs - 1);
  }
  for (u32 k = threadIdx.x; k < TILE; k += THREADS) {
    rowAt[k] = 0;
  }
  __syncthreads();
  u32 firstRow = edge[0];
  u32 lastRow = edge[1];
  if (lastRow - firstRow > MANY_ROWS) {
    // Hardly a row has pairs: searching for each pair takes fewer steps than visiting all rows.
    for (u32 k = threadIdx.x; k < pairs; k += THREADS) {
      rowAt[k] = rowOf(sums, firstRow, lastRow, begin + k) - firstRow;
    }
    __syncthreads();
  } else {
    markRows(sums, firstRow, lastRow, begin, rowAt);
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u32 k = threadIdx.x + j * THREADS;
    if (k < pairs) {
      u32 row = firstRow + rowAt[k];
      u32 place = (u32)(begin + k - __ldg(sums + row));
      outProbe[tile + k] = rows == nullptr ? (int)row : __ldg(rows + row);
      u32 at = __ldg(firsts + row) + place;
      outBuild[tile + k] = list == nullptr ? (int)at : __ldg(list + at);
    }
  }
}
