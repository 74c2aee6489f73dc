// Scans of a block's threads; called by all of them.
#pragma once
#include "warp/scan.cuh"

namespace ara {

// The sum of the threads before, of THREADS. Once a kernel: its shared memory is not guarded against a second call.
__device__ __forceinline__ u32 block_exclusive(u32 value) {
  __shared__ u32 sums[WARPS];
  u32 upTo = warp_inclusive(value);
  if (lane() == 31) {
    sums[warp()] = upTo;
  }
  __syncthreads();
  u32 before = upTo - value;
  for (u32 w = 0; w < warp(); w++) {
    before += sums[w];
  }
  return before;
}

}  // namespace ara
