// Probing the hash tables of joins: a row of each word, the ranges of all rows of each word, and their pairs.
#include "agent/hash_lookup.cuh"

// The first row of each range of the list, so that a lookup need not pass through both.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_firsts(const u32* __restrict__ starts, const int* __restrict__ list, u32 distinct, int* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < distinct) {
    out[i] = list[starts[i]];
  }
}

// A row of each word, or -1. firstRows: of ara_hash_firsts; null if words are unique.
template <class Table, class W>
__device__ __forceinline__ void lookup(const Table& table, const W* words, u32 count, const int* firstRows,
                                       int* out) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  load4(table, words, first, count, ids);
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      out[i] = firstRows == nullptr || ids[j] < 0 ? ids[j] : __ldg(firstRows + ids[j]);
    }
  }
}

#define LOOKUP(name, table, W)                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_lookup_##name(TABLE_ARGS, const W* __restrict__ words, u32 count,                        \
                         const int* __restrict__ firstRows, int* out) {                               \
    lookup(table, words, count, firstRows, out);                                                      \
  }

// Unique words: the row of each, or -1, and how many rows of each tile of TILE words have one.
template <class Table, class W>
__device__ __forceinline__ void match(const Table& table, const W* words, u32 count, int* found,
                                      u32* tileCounts) {
  __shared__ u32 matches;
  if (threadIdx.x == 0) {
    matches = 0;
  }
  __syncthreads();
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  load4(table, words, first, count, ids);
  u32 mine = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      found[i] = ids[j];
      mine += ids[j] >= 0;
    }
  }
  mine = __reduce_add_sync(~0u, mine);
  if (lane() == 0) {
    atomicAdd(&matches, mine);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    tileCounts[blockIdx.x] = matches;
  }
}

#define MATCH(name, table, W)                                                                            \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_match_##name(TABLE_ARGS, const W* __restrict__ words, u32 count, int* found,             \
                        u32* tileCounts) {                                                            \
    match(table, words, count, found, tileCounts);                                                    \
  }

// Compacts what ara_hash_match found; tileStarts is the exclusive sum of its tile counts.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_compact(const int* __restrict__ found, u32 count, const u64* __restrict__ tileStarts, int firstRow,
                 int* outProbe, int* outBuild) {
  __shared__ u32 warpCounts[ITEMS * THREADS / 32];
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int warp = threadIdx.x / 32;
  int ids[ITEMS];
  u32 below[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    ids[j] = i < count ? __ldcs(found + i) : -1;
    u32 votes = __ballot_sync(~0u, ids[j] >= 0);
    below[j] = __popc(votes & lanesBelow());
    if (lane() == 0) {
      warpCounts[j * (THREADS / 32) + warp] = __popc(votes);
    }
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    // 32 counts, in the order of rows.
    u32 mine = warpCounts[threadIdx.x];
    u32 sum = mine;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      u32 other = __shfl_up_sync(~0u, sum, d);
      sum += lane() >= d ? other : 0;
    }
    warpCounts[threadIdx.x] = sum - mine;
  }
  __syncthreads();
  u64 start = tileStarts[blockIdx.x];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    if (ids[j] >= 0) {
      u64 k = start + warpCounts[j * (THREADS / 32) + warp] + below[j];
      outProbe[k] = firstRow + (int)(blockIdx.x * (u32)TILE + threadIdx.x + j * THREADS);
      outBuild[k] = ids[j];
    }
  }
}

// Where each word's rows start in the list, and how many there are.
template <class Table, class W>
__device__ __forceinline__ void locate(const Table& table, const W* words, u32 count, const u32* starts,
                                       u32* outFirst, u32* outCounts) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  load4(table, words, first, count, ids);
  u32 from[ITEMS], to[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    from[j] = ids[j] < 0 ? 0 : __ldg(starts + ids[j]);
    to[j] = ids[j] < 0 ? 0 : __ldg(starts + ids[j] + 1);
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      outFirst[i] = from[j];
      outCounts[i] = to[j] - from[j];
    }
  }
}

#define LOCATE(name, table, W)                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_locate_##name(TABLE_ARGS, const W* __restrict__ words, u32 count,                        \
                         const u32* __restrict__ starts, u32* outFirst, u32* outCounts) {             \
    locate(table, words, count, starts, outFirst, outCounts);                                         \
  }

#define ALL(kernel)                                                                             \
  kernel(direct, DIRECT, u64) kernel(packed, PACKED, u64) kernel(wide, WIDE, u64)               \
  kernel(direct_4, DIRECT, int) kernel(packed_4, PACKED, int) kernel(wide_4, WIDE, int)
ALL(LOOKUP)
ALL(MATCH)
ALL(LOCATE)

// How many of sums[1..count] are not greater than position: the row that the position lies in.
__device__ __forceinline__ u32 rowOf(const u64* __restrict__ sums, u32 from, u32 to, u64 position) {
  while (from < to) {
    u32 middle = from + (to - from) / 2;
    if (__ldg(sums + middle + 1) <= position) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

static constexpr u32 MANY_ROWS = 16 * TILE;

// rowAt[k] = the row of pair begin + k, less firstRow, for the pairs of the rows from firstRow to lastRow.
// rowAt must be full of zeros.
__device__ __forceinline__ void markRows(const u64* __restrict__ sums, u32 firstRow, u32 lastRow, u64 begin,
                                         u32* rowAt) {
  __shared__ u32 warpMost[THREADS / 32];
  for (u32 row = firstRow + 1 + threadIdx.x; row <= lastRow; row += THREADS) {
    u64 start = sums[row];
    if (start < sums[row + 1]) {
      rowAt[start - begin] = row - firstRow;
    }
  }
  __syncthreads();
  // Each thread takes ITEMS neighbours.
  uint4 mine = reinterpret_cast<uint4*>(rowAt)[threadIdx.x];
  mine.y = max(mine.y, mine.x);
  mine.z = max(mine.z, mine.y);
  mine.w = max(mine.w, mine.z);
  u32 most = mine.w;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    u32 other = __shfl_up_sync(~0u, most, d);
    most = lane() >= d ? max(most, other) : most;
  }
  int warp = threadIdx.x / 32;
  if (lane() == 31) {
    warpMost[warp] = most;
  }
  u32 before = __shfl_up_sync(~0u, most, 1);
  before = lane() == 0 ? 0 : before;
  __syncthreads();
  for (int w = 0; w < warp; w++) {
    before = max(before, warpMost[w]);
  }
  mine.x = max(mine.x, before);
  mine.y = max(mine.y, before);
  mine.z = max(mine.z, before);
  mine.w = max(mine.w, before);
  reinterpret_cast<uint4*>(rowAt)[threadIdx.x] = mine;
  __syncthreads();
}

// The pairs from..from + outCount of all pairs: a block writes TILE of them. It finds the rows of its first and
// last pair, lets every row with pairs between them mark its first one, and spreads the marks by a running maximum.
// Without a list the places in it are what is wanted.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_expand(const u64* __restrict__ sums, const u32* __restrict__ firsts, const int* __restrict__ list,
                u32 count, u64 from, u32 outCount, int* outProbe, int* outBuild) {
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
      outProbe[tile + k] = (int)row;
      u32 at = __ldg(firsts + row) + place;
      outBuild[tile + k] = list == nullptr ? (int)at : __ldg(list + at);
    }
  }
}
