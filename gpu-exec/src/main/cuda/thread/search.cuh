// Searches by one thread.
#pragma once
#include "thread/common.cuh"

namespace ara {

// The first of low..high that has not `passed`, as all before it have; high if all have.
template <class T, class Passed>
__device__ __forceinline__ T lower_bound(T low, T high, Passed passed) {
  while (low < high) {
    T middle = low + (high - low) / 2;
    if (passed(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace ara
