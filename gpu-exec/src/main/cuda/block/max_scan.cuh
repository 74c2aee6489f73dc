// The running maximum over the slots of a tile of merge path.
#pragma once
#include "thread/merge_path.cuh"

namespace ara {

// Each slot the largest slot up to it. `slots` has SPLIT_TILE entries and lies on a multiple of 16 bytes: a thread has 16
// neighbours, in two accesses of 16 bytes, since 2-byte ones at this distance would meet in the same banks.
__device__ __forceinline__ void max_scan(u16* slots) {
  constexpr int WORDS = SPLIT_TILE / THREADS / 2;
  static_assert(WORDS == 8, "two accesses of four words");
  __shared__ u32 largest[WARPS];
  uint4* mine = (uint4*)slots + 2 * threadIdx.x;
  uint4 low = mine[0];
  uint4 high = mine[1];
  u32 words[WORDS] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  u32 value = 0;
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    u32 first = words[k] & 0xffff;
    u32 second = words[k] >> 16;
    first = first > value ? first : value;
    value = second > first ? second : first;
    words[k] = value << 16 | first;
  }
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    u32 other = __shfl_up_sync(ALL, value, step);
    value = lane() >= step && other > value ? other : value;
  }
  if (lane() == 31) {
    largest[warp()] = value;
  }
  u32 before = __shfl_up_sync(ALL, value, 1);
  before = lane() == 0 ? 0 : before;
  __syncthreads();
#pragma unroll
  for (u32 w = 0; w < WARPS - 1; w++) {
    u32 other = largest[w];
    before = w < warp() && other > before ? other : before;
  }
  before |= before << 16;
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    words[k] = __vmaxu2(words[k], before);
  }
  mine[0] = make_uint4(words[0], words[1], words[2], words[3]);
  mine[1] = make_uint4(words[4], words[5], words[6], words[7]);
  __syncthreads();
}

}  // namespace ara
