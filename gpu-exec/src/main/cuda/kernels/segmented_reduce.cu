// The kernels that reduce segments.
#include "agent/segmented_reduce_short.cuh"

using namespace ara;

// The segment of the first row of each tile of `tile` rows, and behind these `segments`; the states of these segments
// become empty ones, whose limbs are `none`, and so do the two words of `bound` (null: there are none).
extern "C" __global__ void __launch_bounds__(THREADS)
ara_segment_split(const u32* __restrict__ starts, u32 segments, u32 tile, u32 tiles, int* out, STATE_ARGS, u64 none,
                  u64* bound) {
  u64 t = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (t == 0 && bound != nullptr) {
    bound[0] = 0;
    bound[1] = 0;
  }
  if (t > tiles) {
    return;
  }
  int segment = t == tiles ? (int)segments : segmentOf(starts, segments, (u32)t * tile);
  out[t] = segment;
  if (segment >= 0 && (u32)segment < segments) {
    lo[segment] = none;
    if (hi != nullptr) hi[segment] = none;
    if (ext != nullptr) ext[segment] = none;
    if (seen != nullptr) seen[segment] = 0;
  }
}

// The segment of each row, where rows outside of all segments get any.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_segment_rows(const u32* __restrict__ starts, u32 segments, u32 count, int* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < count) {
    int segment = segmentOf(starts, segments, (u32)i);
    out[i] = segment < 0 ? 0 : (u32)segment < segments ? segment : (int)segments - 1;
  }
}

#define REDUCE(name, Op, blocks)                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS, blocks)                                              \
      ara_segment_##name(BATCH_ARGS, STATE_ARGS, const u32* __restrict__ starts, u32 segments,               \
                         const int* __restrict__ tileSegments) {                                             \
    reduce<Op>(BATCH, STATE, starts, segments, tileSegments, nullptr);                                       \
  }

REDUCE(count, Count, 5)
REDUCE(sum1, Sum1, 5)
REDUCE(sum2, Sum2, 4)
REDUCE(sum3, Sum3, 4)
REDUCE(sumd, SumDouble, 5)
REDUCE(max, Max, 5)
REDUCE(or, Or, 5)
REDUCE(xor, Xor, 5)

extern "C" __global__ void __launch_bounds__(THREADS, 5)
ara_segment_bounded(BATCH_ARGS, STATE_ARGS, const u32* __restrict__ starts, u32 segments,
                    const int* __restrict__ tileSegments, u64* bound) {
  reduce<BoundedSum>(BATCH, STATE, starts, segments, tileSegments, bound);
}

// Short segments, and those among them that are long; the two counts of the latter are 0 before.
#define REDUCE_SHORT(name, Op)                                                                                    \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                           \
      ara_segment_short_##name(BATCH_ARGS, STATE_ARGS, const u32* __restrict__ starts, u32 segments, LONG_ARGS) { \
    reduceShort<Op>(BATCH, STATE, starts, segments, LONG_SEGMENTS);                                               \
  }                                                                                                               \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                           \
      ara_segment_long_##name(BATCH_ARGS, STATE_ARGS, const u32* __restrict__ starts, u32 segments, LONG_ARGS) {  \
    reduceLong<Op>(BATCH, STATE, starts, segments, LONG_SEGMENTS);                                                \
  }

REDUCE_SHORT(count, Count)
REDUCE_SHORT(sum1, Sum1)
REDUCE_SHORT(sum2, Sum2)
REDUCE_SHORT(sumd, SumDouble)
REDUCE_SHORT(max, Max)
