// Reductions of a warp's lanes; called by whole warps. Of 32-bit values the hardware has them (__reduce_add_sync, ...).
#pragma once
#include "thread/common.cuh"

namespace ara {

// In all lanes.
__device__ __forceinline__ u64 warp_sum(u64 value) {
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    value += __shfl_xor_sync(ALL, value, step);
  }
  return value;
}

// In lane 0.
__device__ __forceinline__ u64 warp_min(u64 value) {
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    u64 other = __shfl_down_sync(ALL, value, step);
    value = other < value ? other : value;
  }
  return value;
}

// In all lanes.
__device__ __forceinline__ u64 warp_or(u64 value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "sm_80 at least"
#endif
  u32 low = __reduce_or_sync(ALL, (u32)value);
  u32 high = __reduce_or_sync(ALL, (u32)(value >> 32));
  return (u64)high << 32 | low;
}

}  // namespace ara
