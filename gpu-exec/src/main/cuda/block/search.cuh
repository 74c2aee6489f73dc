// Searches by all threads of a block.
#pragma once
#include "thread/common.cuh"

namespace ara {

// The first of low..high that has not `passed`, as all before it have; called by all threads of a block, which ask for as
// many at once: the way down takes four accesses, one after another, where one thread's takes a few dozen.
template <class Passed>
__device__ __forceinline__ u64 block_search(u64 low, u64 high, Passed passed) {
  while (high > low) {
    u64 step = (high - low + THREADS - 1) / THREADS;
    u64 at = low + step * threadIdx.x;
    u32 n = (u32)__syncthreads_count(at < high && passed(at));
    u64 end = low + step * n;
    high = n == 0 ? low : end < high ? end : high;
    low = n == 0 ? low : end - step + 1;
  }
  return low;
}

}  // namespace ara
