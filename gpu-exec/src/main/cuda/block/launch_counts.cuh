// Words in memory that all launches of a stream share, so that nobody clears them before a launch: two tickets, then counts.
//
// A launch has a number, one more than the launch before that knows the words, and not 0. Of a count the upper half says
// whose the lower one is. The ticket of a launch is the one of its parity; it is 0, as the launch before has cleared it, and this
// one clears the other.
#pragma once
#include "thread/load.cuh"

namespace ara {

struct LaunchCounts {
  u64* words;
  u32 launch;

  // The first of so many numbers that no other block takes.
  __device__ __forceinline__ u32 take(u64 many) const { return (u32)atomicAdd(words + (launch & 1), many); }

  __device__ __forceinline__ void put(u32 i, u32 count) const { store_relaxed(words + 2 + i, (u64)launch << 32 | count); }

  __device__ __forceinline__ u64 look(u32 i) const { return load_relaxed(words + 2 + i); }

  // What look(i) has found, or will find.
  __device__ __forceinline__ u32 await(u32 i, u64 seen) const {
    while (seen >> 32 != launch) {
      __nanosleep(20);
      seen = look(i);
    }
    return (u32)seen;
  }

  // Called by one thread of a launch.
  __device__ __forceinline__ void end() const { words[(launch + 1) & 1] = 0; }
};

}  // namespace ara
