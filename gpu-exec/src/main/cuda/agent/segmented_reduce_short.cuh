// Reduction of segments of a few rows each: a thread folds a segment of its own, and the long ones among them go to a warp or
// to all blocks.
#pragma once
#include "agent/segmented_reduce.cuh"

namespace ara {

// Segments that are too long for a thread: how many a warp takes, how many all blocks take, and which these are, the former
// from the front of the list on, the latter from its end on, of `room` places.
struct LongSegments {
  u32* counts;
  u32* list;
  u32 room;

  __device__ __forceinline__ void add(u32 segment, u32 rows) const {
    if (rows <= SegmentedReducePolicy::WARP_ROWS) {
      list[atomicAdd(counts, 1)] = segment;
    } else {
      list[room - 1 - atomicAdd(counts + 1, 1)] = segment;
    }
  }
};

#define LONG_ARGS u32 *longCounts, u32 *longList, u32 longRoom
#define LONG_SEGMENTS LongSegments{longCounts, longList, longRoom}

// The sum of values of T in the rows first, first + step, and so on before `end`.
template <class T>
__device__ __forceinline__ u64 sumRows(const T* values, u32 first, u32 end, u32 step) {
  constexpr int TOGETHER = 4;
  u64 sum = 0;
#pragma unroll 1
  for (u32 row = first; row < end; row += TOGETHER * step) {
    T value[TOGETHER];
#pragma unroll
    for (int j = 0; j < TOGETHER; j++) {
      value[j] = row + j * step < end ? __ldg(values + row + j * step) : 0;
    }
    if constexpr (sizeof(T) < 4) {
      int four = 0;
#pragma unroll
      for (int j = 0; j < TOGETHER; j++) {
        four += value[j];
      }
      sum += (u64)(i64)four;
    } else {
#pragma unroll
      for (int j = 0; j < TOGETHER; j++) {
        sum += (u64)(i64)value[j];
      }
    }
  }
  return sum;
}

// The fold of the rows first, first + step, and so on before `end`; any: whether one of them has a value. Of values that lie
// in the order of rows, fewer than 2^31.
template <class Op>
__device__ __forceinline__ typename Op::Acc foldRows(const Batch& b, u32 first, u32 end, u32 step, u32& any) {
  constexpr int TOGETHER = 4;
  if constexpr (std::is_same<Op, Sum1>::value) {
    if (b.validity == nullptr) {
      any |= first < end;
      switch (b.kind) {
        case I8: return sumRows(static_cast<const signed char*>(b.values), first, end, step);
        case I16: return sumRows(static_cast<const short*>(b.values), first, end, step);
        case I32: return sumRows(static_cast<const int*>(b.values), first, end, step);
        case I64: return sumRows(static_cast<const i64*>(b.values), first, end, step);
        default: break;
      }
    }
  }
  typename Op::Acc acc = Op::none();
#pragma unroll 1
  for (u64 row = first; row < end; row += TOGETHER * (u64)step) {
    int id[TOGETHER], group[TOGETHER];
    bool valid[TOGETHER];
    typename Op::Value value[TOGETHER];
#pragma unroll
    for (int j = 0; j < TOGETHER; j++) {
      u64 at = row + j * (u64)step;
      id[j] = at < end ? (int)at : -1;
      group[j] = 0;
      valid[j] = at < end;
      if (valid[j] && b.validity != nullptr) {
        valid[j] = (__ldg(b.validity + (at >> 3)) >> (at & 7) & 1) != 0;
      }
    }
    Op::load(b, id, group, valid, value);
#pragma unroll
    for (int j = 0; j < TOGETHER; j++) {
      if (valid[j]) {
        Op::add(acc, value[j]);
        any = 1;
      }
    }
  }
  return acc;
}

// A segment a thread: what a tile costs in shared memory and barriers is more than short segments are worth, and rows of
// neighbours lie in the same sectors.
template <class Op>
__device__ __forceinline__ void reduceShort(const Batch& b, const State& s, const u32* __restrict__ starts, u32 segments,
                                            const LongSegments& rest) {
  u64 segment = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (segment >= segments) {
    return;
  }
  u32 start = __ldg(starts + segment);
  u32 end = __ldg(starts + segment + 1);
  typename Op::Acc acc = Op::none();
  u32 any = 0;
  if (end - start > SegmentedReducePolicy::THREAD_ROWS) {
    rest.add((u32)segment, end - start);
  } else {
    acc = foldRows<Op>(b, start, end, 1, any);
  }
  store<Op>(s, (int)segment, acc, any);
}

// Those that reduceShort has left, whose states are empty ones.
template <class Op>
__device__ __forceinline__ void reduceLong(const Batch& b, const State& s, const u32* __restrict__ starts, u32 segments,
                                           const LongSegments& rest) {
  u32 warps = gridDim.x * WARPS;
  for (u32 k = blockIdx.x * WARPS + threadIdx.x / 32; k < rest.counts[0]; k += warps) {
    u32 segment = rest.list[k];
    u32 any = 0;
    typename Op::Acc acc = foldRows<Op>(b, starts[segment] + lane(), starts[segment + 1], 32, any);
    acc = warpFold<Op>(acc);
    any = __any_sync(~0u, any);
    if (lane() == 0) {
      store<Op>(s, (int)segment, acc, any);
    }
  }
  for (u32 k = 0; k < rest.counts[1]; k++) {
    u32 segment = rest.list[rest.room - 1 - k];
    u32 first = starts[segment] + blockIdx.x * THREADS + threadIdx.x;
    u32 any = 0;
    typename Op::Acc acc = foldRows<Op>(b, first, starts[segment + 1], gridDim.x * THREADS, any);
    acc = warpFold<Op>(acc);
    any = __any_sync(~0u, any);
    if (lane() == 0) {
      fold<Op>(s, (int)segment, segments, acc, any);
    }
  }
}

}  // namespace ara
