// bound, match, mergePath, expand.
#include "block/max_scan.cuh"
#include "block/search.cuh"

namespace ara {

HOST_SHARED struct SearchPolicy {
  // Needles of a thread, whose searches run side by side to have their loads in flight together.
  static constexpr int NEEDLES = 4;
  // Of a block of ara_bound_by_samples.
  static constexpr int TREE_THREADS = 1024;
};

constexpr int NEEDLES = SearchPolicy::NEEDLES;

// Rows of a thread whose loads are in flight together.
constexpr int BATCH = 4;

constexpr int TREE_THREADS = SearchPolicy::TREE_THREADS;
// Eight to the power of these is beyond any number of keys.
constexpr int MAX_LEVELS = 10;

}  // namespace ara

using namespace ara;

extern "C" __global__ void __launch_bounds__(THREADS) ara_bound(
    const u64* keys, u32 keyCount, const u64* needles, u32 needleCount, u32 upper, u32* out) {
  u32 first = blockIdx.x * (THREADS * NEEDLES) + threadIdx.x;
  u64 needle[NEEDLES];
  u32 low[NEEDLES];
#pragma unroll
  for (int k = 0; k < NEEDLES; k++) {
    u32 i = first + k * THREADS;
    needle[k] = i < needleCount ? __ldcs(needles + i) : 0;
    low[k] = 0;
  }
  // Each step halves the keys that are left, rounded up, and skips the lower half where it is passed.
  for (u32 left = keyCount; left > 0;) {
    u32 half = left / 2;
#pragma unroll
    for (int k = 0; k < NEEDLES; k++) {
      u64 key = __ldg(keys + low[k] + half);
      bool passed = key < needle[k] || (upper && key == needle[k]);
      low[k] += passed ? left - half : 0;
    }
    left = half;
  }
#pragma unroll
  for (int k = 0; k < NEEDLES; k++) {
    u32 i = first + k * THREADS;
    if (i < needleCount) {
      out[i] = low[k];
    }
  }
}

// Every 8th key, every 64th of them and so on, level after level, each from a multiple of eight words on.
extern "C" __global__ void __launch_bounds__(THREADS) ara_bound_samples(
    const u64* keys, u32 keyCount, u32 levels, u64* samples) {
  u64 step = 8;
  for (u32 level = 0; level < levels; level++, step *= 8) {
    u32 count = (u32)((keyCount + step - 1) / step);
    for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += THREADS * gridDim.x) {
      samples[i] = __ldg(keys + i * step);
    }
    samples += (count + 7) / 8 * 8;
  }
}

// As ara_bound, by samples of the keys: for many needles in any order. The last level, of `topCount` keys, is in shared
// memory; on each further one a search reads the eight keys behind the last sample passed, 64 bytes, which are four
// lanes' loads. So two of the accesses of a search go to memory and some to the cache, where halving all keys makes five
// times as many. Keys and samples lie on multiples of 16 bytes.
extern "C" __global__ void __launch_bounds__(TREE_THREADS, 2) ara_bound_by_samples(
    const u64* __restrict__ keys, u32 keyCount, const u64* __restrict__ samples, u32 levels, u32 topCount,
    const u64* __restrict__ needles, u32 needleCount, u32 upper, u32* out) {
  extern __shared__ u64 top[];
  __shared__ const u64* starts[MAX_LEVELS + 1];
  __shared__ u32 counts[MAX_LEVELS + 1];
  if (threadIdx.x == 0) {
    starts[0] = keys;
    counts[0] = keyCount;
    for (u32 level = 1; level <= levels; level++) {
      u32 count = (counts[level - 1] + 7) / 8;
      starts[level] = samples;
      counts[level] = count;
      samples += (count + 7) / 8 * 8;
    }
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < topCount; i += TREE_THREADS) {
    top[i] = starts[levels][i];
  }
  __syncthreads();
  u32 pair = 2 * (lane() & 3);
  for (u64 block = (u64)blockIdx.x * TREE_THREADS; block < needleCount; block += (u64)gridDim.x * TREE_THREADS) {
    u32 i = (u32)block + threadIdx.x;
    u64 needle = i < needleCount ? __ldcs(needles + i) : 0;
    auto passed = [&](u64 key, u64 by) { return key < by || (upper && key == by); };
    u32 low = 0;
    for (u32 left = topCount; left > 0;) {
      u32 half = left / 2;
      low += passed(top[low + half], needle) ? left - half : 0;
      left = half;
    }
    // Which eight keys of the next level: those behind the last sample passed.
    u32 node = low == 0 ? 0 : low - 1;
    for (u32 level = levels; level-- > 0;) {
      const u64* from = starts[level];
      u32 count = counts[level];
      u32 within = 0;
#pragma unroll
      for (int r = 0; r < 4; r++) {
        u64 other = __shfl_sync(ALL, needle, (lane() & ~3u) + r);
        u32 at = __shfl_sync(ALL, node, (lane() & ~3u) + r) * 8 + pair;
        ulonglong2 two = at < count ? __ldg((const ulonglong2*)(from + at)) : make_ulonglong2(0, 0);
        u32 some = at < count && passed(two.x, other) ? 1 : 0;
        some += at + 1 < count && passed(two.y, other) ? 1 : 0;
        some += __shfl_xor_sync(ALL, some, 1);
        some += __shfl_xor_sync(ALL, some, 2);
        within = (lane() & 3) == r ? some : within;
      }
      u32 place = node * 8 + within;
      node = level == 0 ? place : place == 0 ? 0 : place - 1;
    }
    if (i < needleCount) {
      out[i] = node;
    }
  }
}

// Cuts the merge of two sorted arrays every `step` elements; equal keys come from the left one first.
extern "C" __global__ void __launch_bounds__(THREADS) ara_merge_path(
    const u64* left, u32 leftCount, const u64* right, u32 rightCount, u32 parts, u64 step, u32* outLeft) {
  u64 total = (u64)leftCount + rightCount;
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 part = (u64)blockIdx.x * THREADS + threadIdx.x; part <= parts; part += grid) {
    u64 diagonal = part * step < total ? part * step : total;
    u64 low = diagonal > rightCount ? diagonal - rightCount : 0;
    u64 high = diagonal < leftCount ? diagonal : leftCount;
    while (low < high) {
      u64 middle = (low + high) / 2;
      if (left[middle] <= right[diagonal - 1 - middle]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    outLeft[part] = (u32)low;
  }
}

// Where the tiles of an expansion begin: starts[i] is the first row of tile i, for i in 0..tiles. A block has THREADS tiles:
// all its threads search for the rows of its ends, and each between them for its own, from where it would be if all rows
// had equal ranges.
extern "C" __global__ void __launch_bounds__(THREADS) ara_expand_split(
    const u64* sums, u32 rows, u64 from, u32 outCount, u32 tiles, u32* starts) {
  // Rows before the one that holds the first output, and behind the one that holds the last, take no part.
  u64 over = from + outCount;
  u32 firstRow =
      from == 0 ? 0 : (u32)block_search(0, rows, [=](u64 row) { return __ldg(sums + row + 1) <= from; });
  u32 behind = __ldg(sums + rows) <= over
                   ? rows
                   : (u32)block_search(0, rows, [=](u64 row) { return __ldg(sums + row + 1) <= over - 1; }) + 1;
  u32 taken = behind - firstRow;
  u64 end = (u64)taken + outCount;
  auto begin = [=](u64 tile) { return tile * SPLIT_TILE < end ? tile * SPLIT_TILE : end; };
  auto least = [=](u64 at) { return at > outCount ? at - outCount : 0; };
  auto most = [=](u64 at) { return at < taken ? at : (u64)taken; };
  auto passed = [=](u64 row, u64 at) {
    u64 stop = __ldg(sums + firstRow + row + 1);
    return (stop > from ? stop - from : 0) <= at - 1 - row;
  };
  u64 tile = (u64)blockIdx.x * THREADS;
  u64 ends[2];
#pragma unroll
  for (int e = 0; e < 2; e++) {
    u64 at = begin(tile + e * THREADS);
    ends[e] = block_search(least(at), most(at), [=](u64 row) { return passed(row, at); });
  }
  tile += threadIdx.x;
  if (tile > tiles) {
    return;
  }
  u64 at = begin(tile);
  u64 low = least(at) > ends[0] ? least(at) : ends[0];
  u64 high = most(at) < ends[1] ? most(at) : ends[1];
  u64 guess = ends[0] + (ends[1] - ends[0]) * threadIdx.x / THREADS;
  if (low <= guess && guess < high) {
    // Steps that grow away from the guess.
    u64 step = 512;
    if (passed(guess, at)) {
      low = guess + 1;
      for (; low + step < high && passed(low + step, at); step *= 4) {
        low += step + 1;
      }
      high = low + step < high ? low + step : high;
    } else {
      high = guess;
      for (; high > low + step && !passed(high - step, at); step *= 4) {
        high -= step;
      }
      low = high > low + step ? high - step + 1 : low;
    }
  }
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (passed(middle, at)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  starts[tile] = firstRow + (u32)low;
}

extern "C" __global__ void __launch_bounds__(THREADS, 8) ara_expand(
    const u64* sums, u32 rows, u64 from, u32 outCount, const u32* starts, u32* outRow, u32* outPlace) {
  // For each output of the tile its row, counted from 1 in the tile; for each of these rows where its outputs begin, from
  // the tile's first one on; BEFORE for the row whose outputs begin before it.
  constexpr u16 BEFORE = 0xffff;
  __shared__ __align__(16) u16 slots[SPLIT_TILE];
  __shared__ u16 begins[SPLIT_TILE + 2];
  __shared__ u32 before;
  u32 origin = starts[0];
  u32 firstRow = starts[blockIdx.x];
  u32 lastRow = starts[blockIdx.x + 1];
  // The last tile ends behind the row of the last output, `end` rows and outputs from the first.
  u64 end = (u64)(starts[gridDim.x] - origin) + outCount;
  u64 at = (u64)blockIdx.x * SPLIT_TILE;
  u64 stop = at + SPLIT_TILE;
  at = at < end ? at : end;
  stop = stop < end ? stop : end;
  u32 first = (u32)(at - (firstRow - origin));
  u32 count = (u32)(stop - (lastRow - origin)) - first;
  if (count == 0) {
    return;
  }
#pragma unroll
  for (u32 k = threadIdx.x; k < SPLIT_TILE / 8; k += THREADS) {
    ((uint4*)slots)[k] = zero4();
  }
  __syncthreads();
  u64 base = from + first;
  lastRow = lastRow < rows ? lastRow : rows - 1;
  for (u32 some = firstRow + threadIdx.x; some <= lastRow; some += BATCH * THREADS) {
    u64 begin[BATCH];
    u64 over[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      u32 row = some + k * THREADS;
      bool there = row <= lastRow;
      begin[k] = there ? __ldg(sums + row) : 0;
      over[k] = there ? __ldg(sums + row + 1) : 0;
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      if (begin[k] < over[k] && over[k] > base && begin[k] < base + count) {
        u32 local = some + k * THREADS - firstRow + 1;
        bool earlier = begin[k] < base;
        if (earlier) {
          // Places have 32 bits.
          before = (u32)(begin[k] - base);
        }
        begins[local] = earlier ? BEFORE : (u16)(begin[k] - base);
        slots[earlier ? 0 : begin[k] - base] = (u16)local;
      }
    }
  }
  __syncthreads();
  max_scan(slots);
  for (u32 slot = threadIdx.x; slot < count; slot += THREADS) {
    u32 local = slots[slot];
    u32 begin = begins[local];
    __stcs(outRow + first + slot, firstRow + local - 1);
    __stcs(outPlace + first + slot, slot - (begin == BEFORE ? before : begin));
  }
}

// Whether some word is greater than the one behind it: then *falls becomes 1.
extern "C" __global__ void __launch_bounds__(THREADS) ara_falls(const u64* words, u32 count, u64* falls) {
  u64 step = (u64)gridDim.x * THREADS;
  bool found = false;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i + 1 < count; i += step) {
    found |= words[i] > words[i + 1];
  }
  if (__any_sync(ALL, found) && lane() == 0) {
    *falls = 1;
  }
}

// The range of equal keys of each needle, whose beginning is -1 if it is empty. A block's needles share a window of the keys if they ascend: the window is
// searched for the least and the greatest of them first.
extern "C" __global__ void __launch_bounds__(THREADS) ara_match_sorted(
    const u64* __restrict__ keys, u32 keyCount, const u64* __restrict__ needles, u32 needleCount, u32* outFirsts,
    u32* outCounts) {
  __shared__ u64 bounds[2];
  __shared__ u32 window[2];
  u32 first = blockIdx.x * (THREADS * NEEDLES) + threadIdx.x;
  u64 needle[NEEDLES];
  u64 least = ~0ull;
  u64 greatest = 0;
#pragma unroll
  for (int k = 0; k < NEEDLES; k++) {
    u32 i = first + k * THREADS;
    needle[k] = i < needleCount ? __ldcs(needles + i) : 0;
    if (i < needleCount) {
      least = needle[k] < least ? needle[k] : least;
      greatest = needle[k] > greatest ? needle[k] : greatest;
    }
  }
  if (threadIdx.x == 0) {
    bounds[0] = ~0ull;
    bounds[1] = 0;
  }
  __syncthreads();
  atomicMin(bounds, least);
  atomicMax(bounds + 1, greatest);
  __syncthreads();
  if (threadIdx.x < 2) {
    u64 edge = bounds[threadIdx.x];
    u32 low = 0;
    u32 high = keyCount;
    while (low < high) {
      u32 middle = low + (high - low) / 2;
      u64 key = __ldg(keys + middle);
      if (key < edge || (threadIdx.x == 1 && key == edge)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    window[threadIdx.x] = low;
  }
  __syncthreads();
  // Keys from window[0] to window[1] hold all equal ones of all needles.
  u32 low[NEEDLES];
  u32 end[NEEDLES];
#pragma unroll
  for (int k = 0; k < NEEDLES; k++) {
    low[k] = window[0];
    end[k] = window[0];
  }
  for (u32 left = window[1] - window[0]; left > 0;) {
    u32 half = left / 2;
#pragma unroll
    for (int k = 0; k < NEEDLES; k++) {
      u64 key = __ldg(keys + low[k] + half);
      u64 other = __ldg(keys + end[k] + half);
      low[k] += key < needle[k] ? left - half : 0;
      end[k] += other <= needle[k] ? left - half : 0;
    }
    left = half;
  }
#pragma unroll
  for (int k = 0; k < NEEDLES; k++) {
    u32 i = first + k * THREADS;
    if (i < needleCount) {
      outFirsts[i] = end[k] > low[k] ? low[k] : ~0u;
      outCounts[i] = end[k] - low[k];
    }
  }
}
