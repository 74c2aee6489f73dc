// Reduction of segments of neighbouring rows.
//
// A block takes a tile of rows, whatever segments they belong to. Its threads bring the values into shared memory in the
// order of rows, where each then folds ITEMS neighbours; what is open at a thread's end goes to the next by a scan. The
// fold of a segment within a tile waits where the segment's first value was, until the block's threads go through the
// segments that begin in the tile and write them side by side, empty ones too: so nothing is filled before, and each
// result is written once. The segment that comes in from the tile before and the one that goes on into the next are
// folded into their states by atomic operations; those states begin as empty ones by ara_segment_split.
//
// Segments are numbered from 0; rows before the first have segment -1 and rows behind the last segment `segments`, which
// have no states.
#pragma once
#include <type_traits>

#include "agent/fold_functions.cuh"
#include "thread/load.cuh"

namespace ara {

// Rows of a thread: what fits shared memory several times, and even, for loads of two values.
HOST_SHARED struct SegmentedReducePolicy {
  static constexpr int ITEMS = 16;
  // Of values of 128 bits.
  static constexpr int WIDE_ITEMS = 8;
  // Rows a segment in the mean up to which each thread folds a segment of its own.
  static constexpr int SHORT_MEAN = 16;
  // Rows of a segment that a thread folds at most; a warp takes those up to WARP_ROWS, all blocks together the rest.
  static constexpr int THREAD_ROWS = 64;
  static constexpr int WARP_ROWS = 4096;
};

template <class Op>
struct Items {
  static constexpr int COUNT =
      sizeof(typename Op::Value) > 8 ? SegmentedReducePolicy::WIDE_ITEMS : SegmentedReducePolicy::ITEMS;
};

// What is known of a row of the tile: bits of a byte.
constexpr int HEAD = 0;
constexpr int VALID = 1;

// Sums in 64 bits that may not fit: what all values' magnitudes and the longest segment allow is kept beside them, for the
// host to see whether any could have overflowed.
struct BoundedSum : Sum1 {};

// bound[0] gets the bits that values' magnitudes have (of a negative value, of its complement), bound[1] the rows of the
// longest segment.
template <class Op>
struct Watch {
  static constexpr bool ON = std::is_same<Op, BoundedSum>::value;
  u64 bits = 0;
  u32 longest = 0;

  __device__ __forceinline__ void value(const typename Op::Value& value) {
    if constexpr (ON) bits |= (u64)(value ^ value >> 63);
  }

  __device__ __forceinline__ void segment(u32 rows) {
    if constexpr (ON) longest = rows > longest ? rows : longest;
  }

  // Called by all threads, with a barrier between put() and flush().
  __device__ __forceinline__ void put(u32* words) const {
    if constexpr (ON) {
      u32 low = __reduce_or_sync(~0u, (u32)bits);
      u32 high = __reduce_or_sync(~0u, (u32)(bits >> 32));
      u32 rows = __reduce_max_sync(~0u, longest);
      if (lane() == 0) {
        u32* mine = words + threadIdx.x / 32 * 3;
        mine[0] = low;
        mine[1] = high;
        mine[2] = rows;
      }
    }
  }

  // What is in `bound` is looked at as the block begins: few have more to say than those that were done then, and a look at the
  // end would keep each block's place for as long as a way to the L2 takes. It goes to shared memory, not to registers.
  static __device__ __forceinline__ void ask(u64* known, const u64* bound) {
    if constexpr (ON) {
      if (threadIdx.x == 0) copy16(known, bound);
    }
  }

  static __device__ __forceinline__ void flush(const u32* words, const u64* known, u64* bound) {
    if constexpr (ON) {
      if (threadIdx.x < 32) {
        const u32* one = words + lane() * 3;
        u32 low = __reduce_or_sync(~0u, lane() < WARPS ? one[0] : 0);
        u32 high = __reduce_or_sync(~0u, lane() < WARPS ? one[1] : 0);
        u32 rows = __reduce_max_sync(~0u, lane() < WARPS ? one[2] : 0);
        if (threadIdx.x == 0) {
          copied();
          u64 all = (u64)high << 32 | low;
          if ((all & ~known[0]) != 0) atomicOr(bound, all);
          if (rows > known[1]) atomicMax(bound + 1, (u64)rows);
        }
      }
    }
  }
};

// The segment of a row, -1 and `segments` outside of all: the last of segments + 1 starts that is not behind it.
__device__ __forceinline__ int segmentOf(const u32* __restrict__ starts, u32 segments, u32 row) {
  u32 low = 0;
  u32 high = segments + 1;
  // Three starts are asked for at once: the way down is a chain of accesses, of which this takes half.
  while (high - low > 3) {
    u32 quarter = (high - low) / 4;
    u32 first = low + quarter;
    u32 second = first + quarter;
    u32 third = second + quarter;
    bool one = __ldg(starts + first) <= row;
    bool two = __ldg(starts + second) <= row;
    bool three = __ldg(starts + third) <= row;
    low = three ? third + 1 : two ? second + 1 : one ? first + 1 : low;
    high = three ? high : two ? third : one ? second : first;
  }
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (__ldg(starts + middle) <= row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (int)low - 1;
}

// The fold of neighbouring rows, the row of the tile at which its last segment begins (-1: before them), and whether that
// has a value.
template <class Op>
struct Open {
  typename Op::Acc acc;
  int row;
  u32 any;
};

template <class Op>
__device__ __forceinline__ Open<Op> join(const Open<Op>& left, const Open<Op>& right) {
  if (right.row >= 0) {
    return right;
  }
  Open<Op> both = left;
  Op::merge(both.acc, right.acc);
  both.any |= right.any;
  return both;
}

// A tile in shared memory: values, of which a slot is left out behind each thread's, so that threads meet in no bank of it;
// what is known of the rows; and the part of finished folds that their first value's slot does not hold.
template <class Op>
struct Tile {
  typedef typename Op::Value Value;
  typedef typename Op::Acc Acc;
  static constexpr int ITEMS = Items<Op>::COUNT;
  static constexpr u32 ROWS = THREADS * ITEMS;
  // The last limb of a tile's fold has fewer than 32 bits.
  static constexpr bool LONGER = sizeof(Acc) > sizeof(Value) && sizeof(Value) >= 8;
  static constexpr bool WORDS = sizeof(Value) == 8;
  static constexpr u32 SLOT = sizeof(Value) < 8 ? 8 : sizeof(Value);

  u64* slots;
  unsigned char* marks;
  int* highs;

  __device__ __forceinline__ explicit Tile(u64* memory)
      : slots(memory),
        marks(reinterpret_cast<unsigned char*>(memory) + (u64)THREADS * (ITEMS + 1) * SLOT),
        highs(reinterpret_cast<int*>(marks + ROWS)) {}

  static __device__ __forceinline__ u32 slot(u32 row) { return row + row / ITEMS; }

  __device__ __forceinline__ Value& value(u32 slot) const {
    return *reinterpret_cast<Value*>(reinterpret_cast<unsigned char*>(slots) + (u64)slot * SLOT);
  }

  // Puts a finished fold where its segment's first value was.
  __device__ __forceinline__ void put(u32 row, const Acc& acc, u32 any) const {
    ValueWords<Acc> in;
    in.value = acc;
#pragma unroll
    for (u32 w = 0; w < SLOT / 8; w++) {
      slots[slot(row) * (SLOT / 8) + w] = in.words[w];
    }
    if (LONGER) highs[row] = (int)in.words[sizeof(Acc) / 8 - 1];
    marks[row] = (unsigned char)any;
  }

  __device__ __forceinline__ Acc get(u32 row) const {
    ValueWords<Acc> out;
#pragma unroll
    for (u32 w = 0; w < SLOT / 8; w++) {
      out.words[w] = slots[slot(row) * (SLOT / 8) + w];
    }
    if (LONGER) out.words[sizeof(Acc) / 8 - 1] = (u64)(i64)highs[row];
    return out.value;
  }
};

// A bit of ITEMS marks in a row, the first's lowest. Multiplying brings a bit of each of four bytes together.
template <int ITEMS>
__device__ __forceinline__ u32 marked(const unsigned char* marks, int bit) {
  u32 bits = 0;
#pragma unroll
  for (int w = 0; w < ITEMS / 4; w++) {
    u32 four = reinterpret_cast<const u32*>(marks)[w] >> bit & 0x01010101u;
    bits |= ((four * 0x10204080u) >> 28) << (4 * w);
  }
  return bits;
}

// Whether values are words as they lie, 16 bytes of which may be loaded at once.
template <class Op>
__device__ __forceinline__ bool isPlain(const Batch& b) {
  return (b.kind == I64 || b.kind == F64) && b.validity == nullptr && b.ids == nullptr && b.mask == nullptr &&
         ((u64)b.values & 15) == 0;
}

// Two neighbouring words a load, whose first is row 2 * (threadIdx.x + j * THREADS) from `begin` on.
template <int N>
__device__ __forceinline__ void loadPlain(const Batch& b, u32 begin, ulonglong2 (&two)[N]) {
  const ulonglong2* p = reinterpret_cast<const ulonglong2*>(static_cast<const u64*>(b.values) + begin) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < N; j++) {
    two[j] = __ldcs(p + j * THREADS);
  }
}

// The value that a function takes a word for.
template <class Op>
__device__ __forceinline__ typename Op::Value plain(const Batch& b, u64 word) {
  if constexpr (std::is_same<typename Op::Value, double>::value) {
    return __longlong_as_double((i64)word);
  } else {
    return (b.kind == F64 ? ordered(__longlong_as_double((i64)word)) : (i64)word) ^ (i64)b.flip;
  }
}

// Folds into the state of a segment that other tiles fold into as well.
template <class Op>
__device__ __forceinline__ void fold(const State& s, int segment, u32 segments, const typename Op::Acc& acc, u32 any) {
  if (any != 0 && (u32)segment < segments) {
    // A few blocks meet in a state: a look before, as flush() has, would only keep this one waiting.
    if constexpr (std::is_same<Op, Max>::value) {
      atomicMax(reinterpret_cast<i64*>(s.lo) + segment, acc);
    } else if constexpr (std::is_same<Op, Or>::value) {
      atomicOr(s.lo + segment, acc);
    } else {
      Op::flush(s, segment, acc);
    }
    if (s.seen != nullptr) s.seen[segment] = 1;
  }
}

template <class Op>
__device__ __forceinline__ void store(const State& s, int segment, const typename Op::Acc& acc, u32 any) {
  Op::store(s, segment, acc);
  if (s.seen != nullptr) s.seen[segment] = any != 0;
}

// Calls use(row of the tile, value, whether it is valid) for this thread's rows, however they are stored.
template <class Op, class Use>
__device__ __forceinline__ void eachRow(const Batch& b, u32 begin, Use use) {
  constexpr int TOGETHER = 4;
#pragma unroll 1
  for (int some = 0; some < Items<Op>::COUNT; some += TOGETHER) {
    u32 row = some * THREADS + threadIdx.x;
    int id[TOGETHER], group[TOGETHER];
    bool valid[TOGETHER];
    typename Op::Value value[TOGETHER];
    locateRows<THREADS>(b, (u64)begin + row, id, group, valid);
    Op::load(b, id, group, valid, value);
#pragma unroll
    for (int j = 0; j < TOGETHER; j++) {
      use(row + j * THREADS, valid[j] ? value[j] : Op::neutral(), valid[j]);
    }
  }
}

// All rows are of one segment, in whatever order they are folded.
template <class Op>
__device__ __forceinline__ void reduceOne(const Batch& b, const State& s, int segment, u32 segments, u32 begin,
                                          Open<Op>* warpOpen, Watch<Op>& watch, u32* watched) {
  constexpr int ITEMS = Items<Op>::COUNT;
  typename Op::Acc acc = Op::none();
  bool some = false;
  if constexpr (Tile<Op>::WORDS) {
    if (b.count - begin >= THREADS * ITEMS && isPlain<Op>(b)) {
      ulonglong2 two[ITEMS / 2];
      loadPlain(b, begin, two);
      some = true;
#pragma unroll
      for (int j = 0; j < ITEMS / 2; j++) {
        typename Op::Value first = plain<Op>(b, two[j].x);
        typename Op::Value second = plain<Op>(b, two[j].y);
        Op::add(acc, first);
        Op::add(acc, second);
        watch.value(first);
        watch.value(second);
      }
    }
  }
  if (!some) {
    eachRow<Op>(b, begin, [&](u32, const typename Op::Value& value, bool valid) {
      Op::add(acc, value);
      watch.value(value);
      some |= valid;
    });
  }
  acc = warpFold<Op>(acc);
  u32 any = __any_sync(~0u, some);
  if (lane() == 0) {
    warpOpen[threadIdx.x / 32].acc = acc;
    warpOpen[threadIdx.x / 32].any = any;
  }
  watch.put(watched);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < WARPS; w++) {
      Op::merge(acc, warpOpen[w].acc);
      any |= warpOpen[w].any;
    }
    fold<Op>(s, segment, segments, acc, any);
  }
}

// Values and marks of a tile's rows; those behind the last row change nothing.
template <class Op>
__device__ __forceinline__ void fill(const Batch& b, const Tile<Op>& tile, u32 begin, Watch<Op>& watch) {
  constexpr int ITEMS = Items<Op>::COUNT;
  if constexpr (Tile<Op>::WORDS) {
    if (b.count - begin >= THREADS * ITEMS && isPlain<Op>(b)) {
      ulonglong2 two[ITEMS / 2];
      loadPlain(b, begin, two);
#pragma unroll
      for (int j = 0; j < ITEMS / 2; j++) {
        u32 slot = tile.slot(2 * (threadIdx.x + j * THREADS));
        typename Op::Value first = plain<Op>(b, two[j].x);
        typename Op::Value second = plain<Op>(b, two[j].y);
        tile.value(slot) = first;
        tile.value(slot + 1) = second;
        watch.value(first);
        watch.value(second);
      }
#pragma unroll
      for (int w = 0; w < ITEMS / 4; w++) {
        reinterpret_cast<u32*>(tile.marks)[threadIdx.x + w * THREADS] = 0x01010101u << VALID;
      }
      return;
    }
  }
  eachRow<Op>(b, begin, [&](u32 row, const typename Op::Value& value, bool valid) {
    tile.value(tile.slot(row)) = value;
    watch.value(value);
    tile.marks[row] = valid ? 1 << VALID : 0;
  });
}

// Calls use(segment, start, end) for those behind the first up to the last, `segments` included, whose rows never end; by
// threads side by side. Several starts of a thread are on their way at once.
template <class Use>
__device__ __forceinline__ void eachSegment(const u32* __restrict__ starts, u32 segments, int first, int last, Use use) {
  constexpr int TOGETHER = 4;
  u32 many = (u32)(last - first);
#pragma unroll 1
  for (u32 some = threadIdx.x; some < many; some += TOGETHER * THREADS) {
    u32 start[TOGETHER];
    u32 end[TOGETHER];
#pragma unroll
    for (int j = 0; j < TOGETHER; j++) {
      u32 at = some + j * THREADS;
      u32 segment = (u32)(first + 1) + at;
      start[j] = at < many ? __ldg(starts + segment) : 0;
      end[j] = at < many && segment < segments ? __ldg(starts + segment + 1) : ~0u;
    }
#pragma unroll
    for (int j = 0; j < TOGETHER; j++) {
      u32 at = some + j * THREADS;
      if (at < many) {
        use(first + 1 + (int)at, start[j], end[j]);
      }
    }
  }
}

// tileSegments: of ara_segment_split. bound: for BoundedSum alone.
template <class Op>
__device__ __forceinline__ void reduce(const Batch& b, const State& s, const u32* __restrict__ starts, u32 segments,
                                       const int* __restrict__ tileSegments, u64* bound) {
  constexpr int ITEMS = Items<Op>::COUNT;
  constexpr u32 ROWS = Tile<Op>::ROWS;
  extern __shared__ __align__(16) u64 memory[];
  __shared__ __align__(16) unsigned char warpBytes[WARPS * sizeof(Open<Op>)];
  __shared__ u32 watched[Watch<Op>::ON ? 3 * WARPS : 1];
  __shared__ __align__(16) u64 known[2];
  Open<Op>* warpOpen = reinterpret_cast<Open<Op>*>(warpBytes);
  Watch<Op> watch;
  watch.ask(known, bound);
  Tile<Op> tile(memory);
  int firstSegment = tileSegments[blockIdx.x];
  int lastSegment = tileSegments[blockIdx.x + 1];
  u32 begin = blockIdx.x * ROWS;
  if (blockIdx.x == 0) {
    for (int segment = threadIdx.x; segment < firstSegment; segment += THREADS) {
      store<Op>(s, segment, Op::none(), 0);
    }
    if (Watch<Op>::ON && (u32)firstSegment < segments) {
      // All others are seen by the tile that they begin in.
      watch.segment(starts[firstSegment + 1] - starts[firstSegment]);
    }
  }
  if (firstSegment == lastSegment) {
    if ((u32)firstSegment < segments) {
      reduceOne<Op>(b, s, firstSegment, segments, begin, warpOpen, watch, watched);
      watch.flush(watched, known, bound);
    }
    return;
  }
  fill<Op>(b, tile, begin, watch);
  __syncthreads();
  eachSegment(starts, segments, firstSegment, lastSegment, [&](int segment, u32 start, u32 end) {
    if ((u32)segment < segments) {
      watch.segment(end - start);
    }
    // Of the segments that begin with one row, only the last has rows.
    if (start - begin < ROWS && start < end) {
      tile.marks[start - begin] |= 1 << HEAD;
    }
  });
  watch.put(watched);
  __syncthreads();
  watch.flush(watched, known, bound);

  const unsigned char* marks = tile.marks + threadIdx.x * ITEMS;
  u32 heads = marked<ITEMS>(marks, HEAD);
  u32 valids = marked<ITEMS>(marks, VALID);
  u32 mySlot = threadIdx.x * (ITEMS + 1);
  Open<Op> mine;
  mine.acc = Op::none();
  mine.row = -1;
  mine.any = 0;
  typename Op::Acc prefix = Op::none();
  u32 prefixAny = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    typename Op::Value value = tile.value(mySlot + j);
    if (heads >> j & 1) {
      if (mine.row >= 0) {
        tile.put(mine.row, mine.acc, mine.any);
      } else {
        // Belongs to a segment that a thread before has opened.
        prefix = mine.acc;
        prefixAny = mine.any;
      }
      mine.acc = Op::none();
      mine.any = 0;
      mine.row = threadIdx.x * ITEMS + j;
    }
    Op::add(mine.acc, value);
    mine.any |= valids >> j & 1;
  }
  bool closes = mine.row >= 0;

  Open<Op> inclusive = mine;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    Open<Op> other = fromAbove(inclusive, d);
    if ((int)lane() >= d) {
      inclusive = join<Op>(other, inclusive);
    }
  }
  int warp = threadIdx.x / 32;
  if (lane() == 31) {
    warpOpen[warp] = inclusive;
  }
  Open<Op> before = fromAbove(inclusive, 1);
  __syncthreads();
  Open<Op> warpsBefore;
  warpsBefore.acc = Op::none();
  warpsBefore.row = -1;
  warpsBefore.any = 0;
  for (int w = 0; w < warp; w++) {
    warpsBefore = join<Op>(warpsBefore, warpOpen[w]);
  }
  before = lane() == 0 ? warpsBefore : join<Op>(warpsBefore, before);

  // Folds that end before the tile does; the segment that comes in has no row of the tile to wait in.
  auto finish = [&](const Open<Op>& open) {
    if (open.row >= 0) {
      tile.put(open.row, open.acc, open.any);
    } else {
      fold<Op>(s, firstSegment, segments, open.acc, open.any);
    }
  };
  if (closes) {
    Op::merge(before.acc, prefix);
    before.any |= prefixAny;
    finish(before);
  }
  if (threadIdx.x == THREADS - 1) {
    finish(closes ? mine : join<Op>(before, mine));
  }
  __syncthreads();

  eachSegment(starts, segments, firstSegment, lastSegment, [&](int segment, u32 start, u32 end) {
    u32 row = start - begin;
    if ((u32)segment == segments) {
      return;
    }
    if (segment == lastSegment) {
      // Goes on in the next tile, if it does not begin with it.
      if (row < ROWS) fold<Op>(s, segment, segments, tile.get(row), tile.marks[row]);
    } else if (start == end) {
      store<Op>(s, segment, Op::none(), 0);
    } else {
      store<Op>(s, segment, tile.get(row), tile.marks[row]);
    }
  });
}

}  // namespace ara
