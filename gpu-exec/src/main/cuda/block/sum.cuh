// Sums of a block's threads; called by all of them.
#pragma once
#include "thread/common.cuh"

namespace ara {

// In all threads; `sums` gets those of the W warps, and is nobody else's until a barrier behind the last reader.
template <int W = WARPS>
__device__ __forceinline__ u32 block_sum(u32 value, u32* sums) {
  value = __reduce_add_sync(ALL, value);
  if (lane() == 0) {
    sums[warp()] = value;
  }
  __syncthreads();
  u32 sum = 0;
#pragma unroll
  for (int w = 0; w < W; w++) {
    sum += sums[w];
  }
  return sum;
}

// Adds the sum to a counter in memory, once a block.
__device__ __forceinline__ void add_block_sum(u32 value, u64* counter) {
  __shared__ u32 sums[WARPS];
  // Another call may be reading still.
  __syncthreads();
  u32 sum = block_sum(value, sums);
  if (threadIdx.x == 0 && sum > 0) {
    atomicAdd(counter, (u64)sum);
  }
}

}  // namespace ara
