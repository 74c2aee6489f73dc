// What the kernels over tries share: searches in lists, and counts that must not wrap.
#pragma once
#include "thread/search.cuh"

namespace ara {

// TrieBound.Kind.
HOST_SHARED enum TrieBoundKind { GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL, DIFFERENT };

constexpr u64 LARGEST = 0x7fffffffffffffffull;

// The first position from low on with this value or more, high if there is none; without values it is min at 0, and one
// more at each position.
__device__ __forceinline__ u32 seek(const int* values, int min, u32 low, u32 high, i64 value) {
  if (values == nullptr) {
    i64 at = value - min;
    return at < (i64)low ? low : at < (i64)high ? (u32)at : high;
  }
  return lower_bound(low, high, [=](u32 at) { return __ldg(values + at) < value; });
}

// A list that values are looked up in.
struct SearchedList {
  const int* values;
  u32 size;

  __device__ __forceinline__ bool has(int value) const {
    // The last value that is not greater.
    const int* from = values;
    u32 rest = size;
    while (rest > 1) {
      u32 half = rest >> 1;
      from += __ldg(from + half) <= value ? half : 0;
      rest -= half;
    }
    return rest == 1 && __ldg(from) == value;
  }
};

// What a value may be for comparisons with others.
struct Range {
  i64 least = -0x80000000ll;
  i64 most = 0x7fffffff;

  __device__ __forceinline__ void limit(u32 kind, i64 other) {
    switch (kind) {
      case GREATER:
        least = other + 1 > least ? other + 1 : least;
        break;
      case GREATER_OR_EQUAL:
        least = other > least ? other : least;
        break;
      case LESS:
        most = other - 1 < most ? other - 1 : most;
        break;
      case LESS_OR_EQUAL:
        most = other < most ? other : most;
        break;
      default:
        break;
    }
  }

  // Cuts the positions of a list to those in range.
  __device__ __forceinline__ void cut(const int* values, int min, u32& low, u32& high) const {
    low = seek(values, min, low, high, least);
    u32 end = most == 0x7fffffff ? high : seek(values, min, low, high, most + 1);
    high = end > low ? end : low;
  }
};

__device__ __forceinline__ void add(u64* to, u64 count, u32* overflow) {
  u64 before = atomicAdd(to, count);
  if (before > LARGEST || before + count > LARGEST) {
    *overflow = 1;
  }
}

__device__ __forceinline__ u64 multiply(u64 a, u64 b, u32* overflow) {
  if (__umul64hi(a, b) != 0 || a * b > LARGEST) {
    *overflow = 1;
  }
  return a * b;
}

}  // namespace ara
