// Reduction of segments of neighbouring rows.
//
// A block takes a tile of rows, whatever segments they belong to. Its threads bring the values into shared memory in the
// order of rows, where each then folds ITEMS neighbours and closes the segments that end among them; what is open at a
// thread's end goes to the next by a scan. A segment within a tile is stored; the one that comes in from the tile before
// and the one that goes on into the next are folded into their states by atomic operations.
#include "fold.cuh"

static constexpr int THREADS = 256;

// Rows of a thread, as CudaSegments knows: what fits shared memory, and odd, so that threads that read neighbours meet in
// no bank of it.
template <class Op>
struct Items {
  static constexpr int COUNT = sizeof(typename Op::Value) > 8 ? 7 : 13;
};

static constexpr u32 VALID = 1u << 31;

// The last segment that begins at or before a row, among those from 0 to segments - 1.
__device__ __forceinline__ u32 segmentOf(const u32* __restrict__ starts, u32 segments, u32 row) {
  u32 from = 0;
  u32 to = segments;
  while (to - from > 1) {
    u32 middle = from + (to - from) / 2;
    if (__ldg(starts + middle) <= row) {
      from = middle;
    } else {
      to = middle;
    }
  }
  return from;
}

// The segment of the first row of each tile of `tile` rows from first on, and behind these the last segment.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_segment_split(const u32* __restrict__ starts, u32 segments, u32 first, u32 tile, u32 tiles, u32* out) {
  u64 t = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (t < tiles) {
    out[t] = segmentOf(starts, segments, first + (u32)t * tile);
  } else if (t == tiles) {
    out[t] = segments - 1;
  }
}

// The segment of each row, where rows outside of all segments get any.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_segment_rows(const u32* __restrict__ starts, u32 segments, u32 count, int* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < count) {
    out[i] = (int)segmentOf(starts, segments, (u32)i);
  }
}

// What is open: the segment that began last (0 if none did since the scan's beginning), its fold, and whether it has a value.
template <class Op>
struct Open {
  typename Op::Acc acc;
  u32 segment;
  u32 any;
};

template <class Op>
__device__ __forceinline__ Open<Op> join(const Open<Op>& left, const Open<Op>& right) {
  if (right.segment != 0) {
    return right;
  }
  Open<Op> both = left;
  Op::merge(both.acc, right.acc);
  both.any |= right.any;
  return both;
}

template <class Op>
__device__ __forceinline__ Open<Op> fromAbove(const Open<Op>& open, int d) {
  static constexpr int WORDS = sizeof(Open<Op>) / 8;
  union Words {
    Open<Op> open;
    u64 words[WORDS];
    __device__ __forceinline__ Words() {}
  };
  Words in;
  in.open = open;
  Words out;
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    out.words[w] = __shfl_up_sync(~0u, in.words[w], d);
  }
  return out.open;
}

// Folds into the state of a segment that other tiles may fold into as well.
template <class Op>
__device__ __forceinline__ void fold(const State& s, u32 segment, typename Op::Acc acc, u32 any) {
  if (any != 0) {
    Op::flush(s, (int)segment, acc);
    if (s.seen != nullptr) s.seen[segment] = 1;
  }
}

// States begin as those of empty segments, without a value. Rows b.count and above belong to no segment, as do those
// below first. tileSegments: of ara_segment_split.
template <class Op>
__device__ __forceinline__ void reduce(const Batch& b, const State& s, const u32* starts, u32 first,
                                       const u32* tileSegments) {
  typedef typename Op::Value Value;
  constexpr int ITEMS = Items<Op>::COUNT;
  constexpr int TILE = THREADS * ITEMS;
  __shared__ __align__(16) unsigned char valueBytes[TILE * sizeof(Value)];
  // The segment that begins with a row, 0 if none does; and VALID.
  __shared__ u32 marks[TILE];
  __shared__ __align__(16) unsigned char warpBytes[THREADS / 32 * sizeof(Open<Op>)];
  Value* values = reinterpret_cast<Value*>(valueBytes);
  Open<Op>* warpOpen = reinterpret_cast<Open<Op>*>(warpBytes);
  u32 firstSegment = tileSegments[blockIdx.x];
  u32 lastSegment = tileSegments[blockIdx.x + 1];
  u32 begin = first + blockIdx.x * (u32)TILE;
  if (firstSegment == lastSegment) {
    // All rows are of one segment, in whatever order they are folded.
    int id[ITEMS], group[ITEMS];
    bool valid[ITEMS];
    Value value[ITEMS];
    locateRows<THREADS>(b, (u64)begin + threadIdx.x, id, group, valid);
    Op::load(b, id, group, valid, value);
    typename Op::Acc acc = Op::none();
    bool some = false;
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      Op::add(acc, valid[j] ? value[j] : Op::neutral());
      some |= valid[j];
    }
    acc = warpFold<Op>(acc);
    u32 any = __any_sync(~0u, some);
    if (laneId() == 0) {
      warpOpen[threadIdx.x / 32].acc = acc;
      warpOpen[threadIdx.x / 32].any = any;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < THREADS / 32; w++) {
        Op::merge(acc, warpOpen[w].acc);
        any |= warpOpen[w].any;
      }
      fold<Op>(s, firstSegment, acc, any);
    }
    return;
  }
  {
    int id[ITEMS], group[ITEMS];
    bool valid[ITEMS];
    Value value[ITEMS];
    locateRows<THREADS>(b, (u64)begin + threadIdx.x, id, group, valid);
    Op::load(b, id, group, valid, value);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      values[threadIdx.x + j * THREADS] = valid[j] ? value[j] : Op::neutral();
      marks[threadIdx.x + j * THREADS] = valid[j] ? VALID : 0;
    }
  }
  __syncthreads();
  for (u64 segment = (u64)firstSegment + 1 + threadIdx.x; segment <= lastSegment; segment += THREADS) {
    u32 start = __ldg(starts + segment);
    // Of the segments that begin with one row, only the last has rows.
    if (start < __ldg(starts + segment + 1) && start - begin < TILE) {
      marks[start - begin] |= (u32)segment;
    }
  }
  __syncthreads();

  Open<Op> mine;
  mine.acc = Op::none();
  mine.segment = 0;
  mine.any = 0;
  typename Op::Acc prefix = Op::none();
  u32 prefixAny = 0;
  bool closes = false;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u32 mark = marks[threadIdx.x * ITEMS + j];
    u32 segment = mark & ~VALID;
    if (segment != 0) {
      if (closes) {
        Op::store(s, (int)mine.segment, mine.acc);
        if (s.seen != nullptr) s.seen[mine.segment] = (unsigned char)mine.any;
      } else {
        // Belongs to a segment that a thread before has opened.
        closes = true;
        prefix = mine.acc;
        prefixAny = mine.any;
      }
      mine.acc = Op::none();
      mine.any = 0;
      mine.segment = segment;
    }
    Op::add(mine.acc, values[threadIdx.x * ITEMS + j]);
    mine.any |= mark >> 31;
  }

  Open<Op> inclusive = mine;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    Open<Op> other = fromAbove(inclusive, d);
    if ((int)laneId() >= d) {
      inclusive = join<Op>(other, inclusive);
    }
  }
  int warp = threadIdx.x / 32;
  if (laneId() == 31) {
    warpOpen[warp] = inclusive;
  }
  Open<Op> before = fromAbove(inclusive, 1);
  __syncthreads();
  Open<Op> warpsBefore;
  warpsBefore.acc = Op::none();
  warpsBefore.segment = 0;
  warpsBefore.any = 0;
  for (int w = 0; w < warp; w++) {
    warpsBefore = join<Op>(warpsBefore, warpOpen[w]);
  }
  before = laneId() == 0 ? warpsBefore : join<Op>(warpsBefore, before);

  if (closes) {
    Op::merge(before.acc, prefix);
    before.any |= prefixAny;
    if (before.segment != 0) {
      Op::store(s, (int)before.segment, before.acc);
      if (s.seen != nullptr) s.seen[before.segment] = (unsigned char)before.any;
    } else {
      fold<Op>(s, firstSegment, before.acc, before.any);
    }
  }
  if (threadIdx.x == THREADS - 1) {
    Open<Op> last = join<Op>(before, mine);
    if (closes) {
      last = mine;
    }
    fold<Op>(s, last.segment != 0 ? last.segment : firstSegment, last.acc, last.any);
  }
}

#define REDUCE(name, Op)                                                                                     \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                      \
      ara_segment_##name(BATCH_ARGS, STATE_ARGS, const u32* __restrict__ starts, u32 first,                  \
                         const u32* __restrict__ tileSegments) {                                             \
    reduce<Op>(BATCH, STATE, starts, first, tileSegments);                                                   \
  }

REDUCE(count, Count)
REDUCE(sum1, Sum1)
REDUCE(sum2, Sum2)
REDUCE(sum3, Sum3)
REDUCE(sumd, SumDouble)
REDUCE(max, Max)
REDUCE(or, Or)
REDUCE(xor, Xor)
