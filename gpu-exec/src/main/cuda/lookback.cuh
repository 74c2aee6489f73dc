// Decoupled look-back (Merrill and Garland): a pass over tiles in which each waits for the sums before it only.
//
// A pass has 64-bit words, zeroed before the launch unless there is one tile: [0] hands out tile numbers, so that a tile
// is only begun when all before it have been; [1] is the pass's result for the host; [2 + tile] is a tile's state.
// A state is one word, so that no fence is needed: two bits say what is in the other 62.
#pragma once
#include "common.cuh"

namespace ara {

constexpr u64 PARTIAL = 1ull << 62;
constexpr u64 INCLUSIVE = 1ull << 63;
constexpr u64 VALUE = PARTIAL - 1;

#ifdef __CUDA_ARCH__
__device__ __forceinline__ u64 load_state(const u64* p) {
  u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ void store_state(u64* p, u64 v) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
}
#else
__device__ inline u64 load_state(const u64* p) { return *p; }
__device__ inline void store_state(u64* p, u64 v) { *p = v; }
#endif

// The block's tile. `single`: there is but one, and the words were not zeroed.
__device__ __forceinline__ u32 take_tile(u64* words, bool single) {
  __shared__ u32 taken;
  if (threadIdx.x == 0) {
    taken = single ? 0 : atomicAdd((u32*)words, 1u);
  }
  __syncthreads();
  return taken;
}

// Called by one whole warp: publishes the tile's sum and returns the sum of all tiles before it.
__device__ __forceinline__ u64 look_back(u64* words, u32 tile, u64 sum) {
  u64* states = words + 2;
  if (tile == 0) {
    if (lane() == 0) {
      store_state(states, INCLUSIVE | sum);
    }
    return 0;
  }
  if (lane() == 0) {
    store_state(states + tile, PARTIAL | sum);
  }
  u64 prefix = 0;
  for (int at = (int)tile - 1 - (int)lane();; at -= 32) {
    u64 state = at >= 0 ? load_state(states + at) : INCLUSIVE;
    while (__any_sync(ALL, state == 0)) {
      __nanosleep(40);
      state = at >= 0 ? load_state(states + at) : INCLUSIVE;
    }
    u32 inclusive = __ballot_sync(ALL, (state & INCLUSIVE) != 0);
    // Lane 0 has the nearest tile; what lies behind the first inclusive sum is in it.
    u32 last = inclusive == 0 ? 31 : __ffs(inclusive) - 1;
    prefix += warp_sum(lane() <= last ? state & VALUE : 0);
    if (inclusive != 0) {
      break;
    }
  }
  if (lane() == 0) {
    store_state(states + tile, INCLUSIVE | (prefix + sum));
  }
  return prefix;
}

// Sums of a tile's warps to the exclusive sums over all tiles. Called by all threads of the block; `sum` counts in each
// warp's lane 0. Returns the warp's prefix; `total` is that behind the tile, for warp 0 only.
__device__ __forceinline__ u64 scan_warps(u64* words, bool single, u32 tile, u64 sum, u64& total) {
  __shared__ u64 sums[WARPS];
  if (lane() == 0) {
    sums[warp()] = sum;
  }
  __syncthreads();
  if (warp() == 0) {
    u64 mine = lane() < WARPS ? sums[lane()] : 0;
    u64 upTo = warp_inclusive(mine);
    u64 all = __shfl_sync(ALL, upTo, 31);
    u64 prefix = single ? 0 : look_back(words, tile, all);
    if (lane() < WARPS) {
      sums[lane()] = prefix + upTo - mine;
    }
    total = prefix + all;
  }
  __syncthreads();
  return sums[warp()];
}

}  // namespace ara
