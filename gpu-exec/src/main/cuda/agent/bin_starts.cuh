// Counts of digits, or of partitions, become where they start.
#pragma once
#include "block/scan.cuh"

namespace ara {

// A block of BINS threads for each set of BINS counts; THREADS are as many. `offsets`, unless null, gets the starts of the
// first `parts` of the first set, followed by `count`.
template <int BINS>
__device__ __forceinline__ void bin_starts(u32* bins, u32* offsets, u32 parts, u32 count) {
  static_assert(BINS == THREADS, "a thread a bin");
  u32* mine = bins + blockIdx.x * BINS + threadIdx.x;
  u32 before = block_exclusive(*mine);
  *mine = before;
  if (offsets != nullptr && blockIdx.x == 0) {
    if (threadIdx.x < parts) {
      offsets[threadIdx.x] = before;
    }
    if (threadIdx.x == 0) {
      offsets[parts] = count;
    }
  }
}

}  // namespace ara
