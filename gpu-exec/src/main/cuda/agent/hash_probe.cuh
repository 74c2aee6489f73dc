// Probing the hash tables of joins: a row of each word, the words that have one, the ranges of all rows of each word, and
// their pairs.
#pragma once
#include "agent/hash_filter.cuh"
#include "agent/hash_lookup.cuh"
#include "block/look_back.cuh"
#include "thread/search.cuh"
#include "warp/scan.cuh"

namespace ara {

// A row of a word with an id, or -1. firstRows: of ara_hash_firsts; null if words are unique.
__device__ __forceinline__ int rowOfId(int id, const int* firstRows) {
  return firstRows == nullptr || id < 0 ? id : __ldg(firstRows + id);
}

// A row of each word, or -1.
template <class Table, class W>
__device__ __forceinline__ void lookup(const Table& table, const ProbeWords<W>& probe, const int* firstRows, int* out) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  find_tile(table, probe, first, ids);
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < probe.count) {
      out[i] = rowOfId(ids[j], firstRows);
    }
  }
}

// As lookup, behind a filter.
template <bool EXACT, class W>
__device__ __forceinline__ void lookupFiltered(const PackedTable& table, const u32* filterWords, u32 filterBits,
                                               const ProbeWords<W>& probe, const int* firstRows, int* out) {
  each_segment(filterWords, filterBits, probe.count, [&](const HashFilter& filter, u16* waiting, u64 segment) {
    look_through<EXACT>(
        table, filter, waiting, probe, segment,
        [&](u64 row) {
          if (row + 4 <= probe.count && aligned16(out)) {
            *reinterpret_cast<uint4*>(out + row) = make_uint4(ALL, ALL, ALL, ALL);
          } else {
            for (u64 i = row; i < min(row + 4, (u64)probe.count); i++) {
              out[i] = -1;
            }
          }
        },
        [&](u64 row, int id) {
          if (id >= 0) {
            out[row] = rowOfId(id, firstRows);
          }
        });
  });
}

// Where the pairs of a probe go, in one pass over tiles of `rounds` times TILE rows that look back at each other.
//
// firstRow: the number of row 0.
// states: of the tiles, see look_back.cuh; their number of pairs goes to `result`, pinned memory.
#define MATCH_ARGS u32 rounds, int firstRow, int *outProbe, int *outBuild, u64 *states, u64 *result
#define MATCHES Matches{rounds, firstRow, outProbe, outBuild, states, result}
struct Matches {
  u32 rounds;
  int firstRow;
  int* outProbe;
  int* outBuild;
  u64* states;
  u64* result;

  __device__ __forceinline__ u32 tiles(u32 count) const { return (count - 1) / (rounds * TILE) + 1; }

  // The rows of a tile that have an id, and their ids; rows ascend. find(first, ids) finds those of ITEMS rows, THREADS
  // apart. Called by all threads of a block. Ids wait in shared memory: in registers they would leave room for fewer
  // threads, whose loads are what counts.
  template <class Find>
  __device__ __forceinline__ void tile(u32 tile, u32 count, Find find) const {
    constexpr int ROUNDS = HashPolicy::ROUNDS;
    __shared__ int waiting[ROUNDS * TILE];
    // Of each warp, in the order of rows; then how many pairs are before its.
    __shared__ __align__(16) u32 starts[ROUNDS * ITEMS * WARPS];
    static_assert(ROUNDS * ITEMS * WARPS == 4 * 32, "four a lane");
    u64 first = (u64)tile * rounds * TILE + threadIdx.x;
#pragma unroll 1
    for (u32 r = 0; r < rounds; r++) {
      int ids[ITEMS];
      find(first + r * TILE, ids);
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        ids[j] = first + r * TILE + j * THREADS < count ? ids[j] : -1;
        waiting[r * TILE + j * THREADS + threadIdx.x] = ids[j];
        u32 votes = __ballot_sync(ALL, ids[j] >= 0);
        if (lane() == 0) {
          starts[(r * ITEMS + j) * WARPS + warp()] = __popc(votes);
        }
      }
    }
    __syncthreads();
    if (warp() == 0) {
      uint4 four = lane() < rounds * ITEMS * WARPS / 4 ? reinterpret_cast<uint4*>(starts)[lane()] : zero4();
      u32 mine = four.x + four.y + four.z + four.w;
      u32 upTo = warp_inclusive(mine);
      u32 all = __shfl_sync(ALL, upTo, 31);
      bool last = tile == tiles(count) - 1;
      u32 before = last && tile == 0 ? 0 : (u32)look_back(states, tile, all);
      if (last && lane() == 0) {
        *result = before + all;
      }
      u32 at = before + upTo - mine;
      reinterpret_cast<uint4*>(starts)[lane()] =
          make_uint4(at, at + four.x, at + four.x + four.y, at + four.x + four.y + four.z);
    }
    __syncthreads();
#pragma unroll 1
    for (u32 r = 0; r < rounds; r++) {
#pragma unroll
      for (int j = 0; j < ITEMS; j++) {
        int id = waiting[r * TILE + j * THREADS + threadIdx.x];
        u32 votes = __ballot_sync(ALL, id >= 0);
        if (id >= 0) {
          u32 at = starts[(r * ITEMS + j) * WARPS + warp()] + __popc(votes & lanes_below());
          outProbe[at] = firstRow + (int)(first + r * TILE + j * THREADS);
          outBuild[at] = id;
        }
      }
    }
  }
};

// The words that have an id.
template <class Table, class W>
__device__ __forceinline__ void match(const Table& table, const ProbeWords<W>& probe, const Matches& matches) {
  matches.tile(blockIdx.x, probe.count, [&](u64 first, int(&ids)[ITEMS]) { find_tile(table, probe, first, ids); });
}

// The words that have an id, which are few, behind a filter: the pairs of segment s, rows ascending, are counts[s] from
// SEGMENT * s on.
template <bool EXACT, class W>
__device__ __forceinline__ void matchFiltered(const PackedTable& table, const u32* filterWords, u32 filterBits,
                                              const ProbeWords<W>& probe, int firstRow, int* outProbe, int* outBuild,
                                              u32* counts) {
  each_segment(filterWords, filterBits, probe.count, [&](const HashFilter& filter, u16* waiting, u64 segment) {
    u64 base = segment * HashFilterPolicy::SEGMENT;
    u32 n = 0;
    look_through<EXACT>(
        table, filter, waiting, probe, segment, [](u64) {},
        [&](u64 row, int id) {
          u32 votes = __ballot_sync(ALL, id >= 0);
          if (id >= 0) {
            u64 at = base + n + __popc(votes & lanes_below());
            outProbe[at] = firstRow + (int)row;
            outBuild[at] = id;
          }
          n += __popc(votes);
        });
    if (lane() == 0) {
      counts[segment] = n;
    }
  });
}

// Brings the pairs of segments together; starts: the exclusive sums of counts. A warp has 32 segments.
__device__ __forceinline__ void compact(const int* __restrict__ rows, const int* __restrict__ ids,
                                        const u32* __restrict__ counts, const u64* __restrict__ starts, u32 segments,
                                        int* outProbe, int* outBuild) {
  u64 base = ((u64)blockIdx.x * WARPS + warp()) * 32;
  u64 own = base + lane();
  u32 mine = own < segments ? counts[own] : 0;
  u64 start = mine > 0 ? starts[own] : 0;
  for (u32 left = __ballot_sync(ALL, mine > 0); left != 0; left &= left - 1) {
    int k = __ffs(left) - 1;
    u32 n = __shfl_sync(ALL, mine, k);
    u64 to = __shfl_sync(ALL, start, k);
    u64 from = (base + k) * HashFilterPolicy::SEGMENT;
    for (u32 i = lane(); i < n; i += 32) {
      outProbe[to + i] = rows[from + i];
      outBuild[to + i] = ids[from + i];
    }
  }
}

// Where each word's rows start in the list, and how many there are.
template <class Table, class W>
__device__ __forceinline__ void locate(const Table& table, const ProbeWords<W>& probe, const u32* starts, u32* outFirst,
                                       u32* outCounts) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  find_tile(table, probe, first, ids);
  u32 from[ITEMS], to[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    from[j] = ids[j] < 0 ? 0 : __ldg(starts + ids[j]);
    to[j] = ids[j] < 0 ? 0 : __ldg(starts + ids[j] + 1);
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < probe.count) {
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
