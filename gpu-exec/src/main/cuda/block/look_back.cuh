// Decoupled look-back (Merrill and Garland): a pass over tiles in which each waits for the sums before it only.
//
// A tile is a block's number: blocks begin in the order of their numbers (CUB's scans rely on it as well), so a tile is
// only begun when all before it have been, and a counter's round trip at the start of each tile is saved.
//
// A pass has a 64-bit word a tile, its state, zeroed before the launch unless there is one tile. A state is one word, so
// that no fence is needed: two bits say what is in the other 62. What a pass finds for the host goes to `result`, a word
// of pinned host memory.
#pragma once
#include "thread/load.cuh"
#include "warp/reduce.cuh"
#include "warp/scan.cuh"

namespace ara {

constexpr u64 PARTIAL = 1ull << 62;
constexpr u64 INCLUSIVE = 1ull << 63;
constexpr u64 VALUE = PARTIAL - 1;

// Tiles of a lane that are looked at together: their loads are in flight at once.
constexpr int WINDOWS = 4;

// Called by one whole warp: publishes the tile's sum and returns the sum of all tiles before it.
__device__ __forceinline__ u64 look_back(u64* states, u32 tile, u64 sum) {
  if (tile == 0) {
    if (lane() == 0) {
      store_relaxed(states, INCLUSIVE | sum);
    }
    return 0;
  }
  if (lane() == 0) {
    store_relaxed(states + tile, PARTIAL | sum);
  }
  // Lane 0 has the nearest tile of each window; what lies behind the first inclusive sum is in it.
  u64 mine = 0;
  bool found = false;
  for (int at = (int)tile - 1 - (int)lane(); !found; at -= 32 * WINDOWS) {
    u64 state[WINDOWS];
#pragma unroll
    for (int k = 0; k < WINDOWS; k++) {
      state[k] = at >= 32 * k ? load_relaxed(states + (at - 32 * k)) : INCLUSIVE;
    }
#pragma unroll
    for (int k = 0; k < WINDOWS; k++) {
      if (!found) {
        while (__any_sync(ALL, state[k] == 0)) {
          __nanosleep(20);
          if (state[k] == 0) {
            state[k] = load_relaxed(states + (at - 32 * k));
          }
        }
        u32 inclusive = __ballot_sync(ALL, (state[k] & INCLUSIVE) != 0);
        found = inclusive != 0;
        u32 last = found ? __ffs(inclusive) - 1 : 31;
        mine += lane() <= last ? state[k] & VALUE : 0;
      }
    }
  }
  u64 prefix = warp_sum(mine);
  if (lane() == 0) {
    store_relaxed(states + tile, INCLUSIVE | ((prefix + sum) & VALUE));
  }
  return prefix;
}

// Sums of a tile's W warps to the exclusive sums over all tiles. Called by all threads of the block; `sum` counts in each
// warp's lane 0. Returns the warp's prefix; `total` is that behind the tile, for warp 0 only.
template <int W = WARPS>
__device__ __forceinline__ u64 scan_warps(u64* states, bool single, u32 tile, u64 sum, u64& total) {
  __shared__ u64 sums[W];
  if (lane() == 0) {
    sums[warp()] = sum;
  }
  __syncthreads();
  if (warp() == 0) {
    u64 mine = lane() < W ? sums[lane()] : 0;
    u64 upTo = warp_inclusive(mine);
    u64 all = __shfl_sync(ALL, upTo, 31);
    u64 prefix = single ? 0 : look_back(states, tile, all);
    if (lane() < W) {
      sums[lane()] = prefix + upTo - mine;
    }
    total = prefix + all;
  }
  __syncthreads();
  return sums[warp()];
}

}  // namespace ara
