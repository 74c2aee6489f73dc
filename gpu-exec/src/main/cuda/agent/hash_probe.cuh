// Probing the hash tables of joins: a row of each word, the ranges of all rows of each word, and their pairs.
#pragma once
#include "agent/hash_filter.cuh"
#include "agent/hash_lookup.cuh"
#include "thread/search.cuh"
#include "warp/scan.cuh"

namespace ara {

// Writes a row of each word of a tile, or -1. firstRows: of ara_hash_firsts; null if words are unique.
__device__ __forceinline__ void writeRows(const int (&ids)[ITEMS], u64 first, u32 count, const int* firstRows,
                                          int* out) {
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      out[i] = firstRows == nullptr || ids[j] < 0 ? ids[j] : __ldg(firstRows + ids[j]);
    }
  }
}

// Writes the row of each word of a tile, or -1, and adds how many have one to a number that is the block's.
__device__ __forceinline__ void writeMatches(const int (&ids)[ITEMS], u64 first, u32 count, int* found,
                                             u32* matches) {
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
  if (lane() == 0 && mine > 0) {
    atomicAdd(matches, mine);
  }
}

// A row of each word, or -1.
template <class Table, class W>
__device__ __forceinline__ void lookup(const Table& table, const W* words, u32 count, const int* firstRows,
                                       int* out) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  find_tile(table, words, first, count, ids);
  writeRows(ids, first, count, firstRows, out);
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
  find_tile(table, words, first, count, ids);
  writeMatches(ids, first, count, found, &matches);
  __syncthreads();
  if (threadIdx.x == 0) {
    tileCounts[blockIdx.x] = matches;
  }
}

// As lookup, behind a filter; a block goes through tiles in steps of the grid.
template <class W>
__device__ __forceinline__ void lookupFiltered(const PackedTable& table, const u32* bits, u32 bitMask, const W* words,
                                               u32 count, const int* firstRows, int* out) {
  HashFilter filter = bring_filter(bits, bitMask);
  for (u64 tile = blockIdx.x; tile * TILE < count; tile += gridDim.x) {
    u64 first = tile * TILE + threadIdx.x;
    int ids[ITEMS];
    find_filtered(table, filter, words, first, count, ids);
    writeRows(ids, first, count, firstRows, out);
  }
}

// As match, behind a filter; a block goes through tiles in steps of the grid.
template <class W>
__device__ __forceinline__ void matchFiltered(const PackedTable& table, const u32* bits, u32 bitMask, const W* words,
                                              u32 count, int* found, u32* tileCounts) {
  // Of a tile and of the next one.
  __shared__ u32 matches[2];
  if (threadIdx.x < 2) {
    matches[threadIdx.x] = 0;
  }
  HashFilter filter = bring_filter(bits, bitMask);
  int turn = 0;
  for (u64 tile = blockIdx.x; tile * TILE < count; tile += gridDim.x) {
    u64 first = tile * TILE + threadIdx.x;
    int ids[ITEMS];
    find_filtered(table, filter, words, first, count, ids);
    writeMatches(ids, first, count, found, &matches[turn]);
    __syncthreads();
    if (threadIdx.x == 0) {
      tileCounts[tile] = matches[turn];
      matches[turn] = 0;
    }
    turn = 1 - turn;
  }
}

// Where each word's rows start in the list, and how many there are.
template <class Table, class W>
__device__ __forceinline__ void locate(const Table& table, const W* words, u32 count, const u32* starts,
                                       u32* outFirst, u32* outCounts) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  find_tile(table, words, first, count, ids);
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

// How many of sums[1..count] are not greater than position: the row that the position lies in.
__device__ __forceinline__ u32 rowOf(const u64* __restrict__ sums, u32 from, u32 to, u64 position) {
  return lower_bound(from, to, [=](u32 row) { return __ldg(sums + row + 1) <= position; });
}

constexpr u32 MANY_ROWS = 16 * TILE;

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
  int own = threadIdx.x / 32;
  if (lane() == 31) {
    warpMost[own] = most;
  }
  u32 before = __shfl_up_sync(~0u, most, 1);
  before = lane() == 0 ? 0 : before;
  __syncthreads();
  for (int w = 0; w < own; w++) {
    before = max(before, warpMost[w]);
  }
  mine.x = max(mine.x, before);
  mine.y = max(mine.y, before);
  mine.z = max(mine.z, before);
  mine.w = max(mine.w, before);
  reinterpret_cast<uint4*>(rowAt)[threadIdx.x] = mine;
  __syncthreads();
}

}  // namespace ara
