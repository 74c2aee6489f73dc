// Scans of a warp's lanes; called by whole warps.
#pragma once
#include "thread/common.cuh"

namespace ara {

template <class T>
__device__ __forceinline__ T warp_inclusive(T value) {
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    T other = __shfl_up_sync(ALL, value, step);
    value += lane() >= step ? other : 0;
  }
  return value;
}

}  // namespace ara
