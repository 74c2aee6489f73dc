// Radix partition of whole rows: a stable pass that carries the key words and up to eight columns, in the manner of onesweep
// (Adinets and Merrill), with CUB's ranking. A pass takes eight bits at most, or nine where partitions go to where the caller
// says; more bits are two passes, the lower ones first. A row's partition is the top bits of the place that its word has in
// a hash table over such words (see agent/hash_table.cuh), so that probes of a partition's rows stay in one part of the table.
#pragma once
// clang-format off: the ranking needs these before it
#include <cub/block/block_radix_rank.cuh>
// clang-format on

#include <type_traits>

#include "agent/columns.cuh"
#include "thread/load.cuh"
#include "thread/mix.cuh"

namespace ara {

HOST_SHARED struct PartitionPolicy {
  // Of a pass.
  static constexpr int BITS = 8;
  static constexpr int BINS = 1 << BITS;
  // Of partitions that are put to where the caller says.
  static constexpr int PLACE_BITS = 9;
  static constexpr int PLACES = 1 << PLACE_BITS;
  static constexpr int COUNT_ITEMS = 8;
  static constexpr int SWEEP_THREADS = 384;
  static constexpr int PLACE_THREADS = 768;
  // Rows of a thread where words and all columns have four bytes at most, and of any other.
  static constexpr int NARROW_ITEMS = 16;
  static constexpr int WIDE_ITEMS = 12;
  // Dynamic shared memory of a block that puts partitions to where the caller says: as much as it may have on all devices.
  static constexpr int PLACE_SHARED = 96 << 10;
  // 32-bit words in front of the look-back: the counter of tiles, and what fills its line.
  static constexpr int HEADER_WORDS = 64;
  // Rows of a launch at most: two bits of a tile's state are not for counts.
  static constexpr u32 MOST_ROWS = (1u << 30) - 1;
};

constexpr int BINS = PartitionPolicy::BINS;
constexpr int PLACES = PartitionPolicy::PLACES;
constexpr int COUNT_ITEMS = PartitionPolicy::COUNT_ITEMS;
constexpr int SWEEP_THREADS = PartitionPolicy::SWEEP_THREADS;
constexpr int PLACE_THREADS = PartitionPolicy::PLACE_THREADS;
constexpr u32 PARTIAL_COUNT = 1u << 30;
constexpr u32 WHOLE_COUNT = 1u << 31;
static_assert(PartitionPolicy::MOST_ROWS < PARTIAL_COUNT, "a count leaves these bits");
constexpr u32 COUNT_MASK = PARTIAL_COUNT - 1;

// Quicker, for partitions that have no order to follow: they need not be those of a table.
__device__ __forceinline__ u32 mix_quickly(u64 w) {
  u32 h = ((u32)w ^ (u32)(w >> 32) * 0xC2B2AE35u) * 0x9E3779B1u;
  h ^= h >> 16;
  return h * 0x85EBCA6Bu;
}

// How words are spread.
HOST_SHARED enum PartitionMixing { AS_THEY_ARE = 0, MIXED = 1, QUICKLY = 2 };

// How words are spread over partitions: by their distance from `base`, itself or mixed; or quickly mixed as they are.
struct Order {
  u64 base;
  int mixed;
  int shift;
  u32 mask;

  __device__ __forceinline__ u64 place(u64 word) const {
    if (mixed == QUICKLY) {
      return (u64)mix_quickly(word) << 32;
    }
    u64 distance = word - base;
    return mixed ? mix(distance) : distance;
  }

  __device__ __forceinline__ u32 digit(u64 word) const { return (u32)(place(word) >> shift) & mask; }
};

// Rows of each partition; counts start at 0. Four counters a partition, so that a frequent word hinders itself less. With
// `upper` those of a pass by higher bits are counted too, behind the others.
template <class W, int BINS>
__device__ __forceinline__ void count_digits(
    const W* words, u32 count, Order order, int upperShift, u32 upperMask, u32* counts) {
  __shared__ u32 own[2 * 4 * BINS];
  for (u32 i = threadIdx.x; i < 2 * 4 * BINS; i += THREADS) {
    own[i] = 0;
  }
  __syncthreads();
  u64 step = (u64)gridDim.x * (THREADS * COUNT_ITEMS);
  for (u64 tile = (u64)blockIdx.x * (THREADS * COUNT_ITEMS); tile < count; tile += step) {
    W some[COUNT_ITEMS];
#pragma unroll
    for (int k = 0; k < COUNT_ITEMS; k++) {
      u64 i = tile + k * THREADS + threadIdx.x;
      some[k] = i < count ? __ldg(words + i) : 0;
    }
#pragma unroll
    for (int k = 0; k < COUNT_ITEMS; k++) {
      u64 i = tile + k * THREADS + threadIdx.x;
      if (i < count) {
        u64 place = order.place(wide(some[k]));
        u32* mine = own + (lane() & 3) * BINS;
        atomicAdd(mine + ((u32)(place >> order.shift) & order.mask), 1u);
        if (upperMask != 0) {
          atomicAdd(mine + 4 * BINS + ((u32)(place >> upperShift) & upperMask), 1u);
        }
      }
    }
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < (upperMask != 0 ? 2 : 1) * BINS; i += THREADS) {
    const u32* mine = own + i / BINS * 4 * BINS + i % BINS;
    u32 sum = mine[0] + mine[BINS] + mine[2 * BINS] + mine[3 * BINS];
    if (sum != 0) {
      atomicAdd(counts + i, sum);
    }
  }
}

struct Identity {
  __device__ __forceinline__ u32 Digit(u32 digit) const { return digit; }
};

// Publishes the tile's counts as soon as they are known, before the rows are ranked.
template <int BINS>
struct Publish {
  u32* lookback;
  u32 tile;
  int* bins;
  static constexpr bool EMPTY = false;

  __device__ __forceinline__ void operator()(int (&counts)[1]) {
    bins[0] = counts[0];
    if (threadIdx.x < BINS) {
      store_relaxed(lookback + tile * BINS + threadIdx.x, (u32)counts[0] | PARTIAL_COUNT);
    }
  }
};

template <int ITEMS, int WIDEST, int BLOCK, int BITS>
struct Sweep {
  static constexpr int BINS = 1 << BITS;
  static constexpr u32 TILE = BLOCK * ITEMS;
  using Digit = std::conditional_t<BITS <= 8, u8, u16>;
  using Rank = cub::BlockRadixRankMatchEarlyCounts<
      BLOCK, BITS, false, cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::WARP_MATCH_ANY, 1>;
  static_assert(BINS <= BLOCK, "a thread sees to a partition's count");

  struct Storage {
    union {
      unsigned char staged[TILE * WIDEST];
      typename Rank::TempStorage rank;
    };
    u32 offsets[BINS];
    Digit digits[TILE];
    u32 tile;
  };

  // Rows are taken in the order of warps, items and lanes, so that ranks of equal digits are in the order of rows.
  static __device__ __forceinline__ u32 place(int item) { return warp() * (32 * ITEMS) + item * 32 + lane(); }

  // A value of any column, in registers and in shared memory.
  using Value = std::conditional_t<WIDEST == 8, u64, u32>;

  template <class T>
  static __device__ __forceinline__ void load(const T* __restrict__ in, u32 first, u32 rows, Value (&values)[ITEMS]) {
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      u32 at = place(k);
      values[k] = at < rows ? __ldcs(in + first + at) : T(0);
    }
  }

  static __device__ __forceinline__ void load(u32 width, u64 in, u32 first, u32 rows, Value (&values)[ITEMS]) {
    if (width == 4) {
      load((const u32*)in, first, rows, values);
    } else if (width == 8) {
      load((const u64*)in, first, rows, values);
    } else if (width == 2) {
      load((const u16*)in, first, rows, values);
    } else if (width == 1) {
      load((const u8*)in, first, rows, values);
    }
  }

  template <class T, class V, class A>
  static __device__ __forceinline__ void write(
      const Storage& s, const V* staged, T* __restrict__ out, const A& aside, int column, u32 rows) {
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      u32 at = threadIdx.x + k * BLOCK;
      if (at < rows) {
        u32 digit = s.digits[at];
        aside.of(digit, column, out)[at + s.offsets[digit & (BINS - 1)]] = (T)staged[at];
      }
    }
  }

  template <class A>
  static __device__ __forceinline__ void write(
      const Storage& s, u32 width, u64 out, const A& aside, int column, u32 rows) {
    const Value* staged = (const Value*)s.staged;
    if (width == 4) {
      write(s, staged, (u32*)out, aside, column, rows);
    } else if (width == 8) {
      write(s, staged, (u64*)out, aside, column, rows);
    } else if (width == 2) {
      write(s, staged, (u16*)out, aside, column, rows);
    } else {
      write(s, staged, (u8*)out, aside, column, rows);
    }
  }
};

// All partitions go to the same memory.
struct OneTarget {
  __device__ __forceinline__ u32 marked(u32 digit) const { return digit; }

  template <class T>
  __device__ __forceinline__ T* of(u32 digit, int column, T* out) const {
    return out;
  }
};

// A set of partitions goes to memory of its own, and is marked; `out` has where words go, then columns.
struct TwoTargets {
  static constexpr u32 MARK = PLACES;

  const u64* set;
  const u64* out;

  __device__ __forceinline__ u32 marked(u32 digit) const {
    return set[digit >> 6] >> (digit & 63) & 1 ? digit | MARK : digit;
  }

  template <class T>
  __device__ __forceinline__ T* of(u32 digit, int column, T* other) const {
    return digit & MARK ? (T*)out[column + 1] : other;
  }
};

// `starts`: where each partition begins. `lookback`: the counter of tiles, 63 unused words, then a word a partition and
// tile, all zeroed before. `widths`: a byte a column, 0 behind the last.
template <class S, class W, int ITEMS, class A>
__device__ __forceinline__ void sweep(
    typename S::Storage& s, const W* words, W* outWords, u32 count, Order order, const u32* starts, u32* lookback,
    u64 widths, const u64* in, const u64* out, const A& aside) {
  constexpr int BINS = S::BINS;
  if (threadIdx.x == 0) {
    s.tile = atomicAdd(lookback, 1u);
  }
  __syncthreads();
  u32 tile = s.tile;
  lookback += PartitionPolicy::HEADER_WORDS;
  u32 first = tile * S::TILE;
  u32 rows = count - first < S::TILE ? count - first : S::TILE;
  W some[ITEMS];
  u32 digits[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    u32 at = S::place(k);
    some[k] = at < rows ? __ldcs(words + first + at) : W(0);
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    // What is behind the last row comes last.
    digits[k] = S::place(k) < rows ? order.digit(wide(some[k])) : BINS - 1;
  }
  int ranks[ITEMS];
  int before[1];
  int mine[1];
  typename S::Rank(s.rank).RankKeys(digits, ranks, Identity(), before, Publish<BINS>{lookback, tile, mine});
  __syncthreads();
  W* staged = (W*)s.staged;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    staged[ranks[k]] = some[k];
    s.digits[ranks[k]] = (typename S::Digit)aside.marked(digits[k]);
  }
  if (threadIdx.x < BINS) {
    u32 sum = (u32)mine[0];
    for (int other = (int)tile - 1; other >= 0; other--) {
      u32 value;
      do {
        value = load_relaxed(lookback + other * BINS + threadIdx.x);
      } while (value == 0);
      sum += value & COUNT_MASK;
      if (value & WHOLE_COUNT) {
        break;
      }
    }
    store_relaxed(lookback + tile * BINS + threadIdx.x, sum | WHOLE_COUNT);
    s.offsets[threadIdx.x] = starts[threadIdx.x] + (sum - (u32)mine[0]) - (u32)before[0];
  }
  __syncthreads();
  // The next column is on its way while one is written.
  u32 width = (u32)widths & 255;
  typename S::Value values[ITEMS];
  S::load(width, in[0], first, rows, values);
  S::write(s, staged, outWords, aside, -1, rows);
#pragma unroll 1
  for (int c = 0; width != 0; c++) {
    __syncthreads();
    typename S::Value* column = (typename S::Value*)s.staged;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      column[ranks[k]] = values[k];
    }
    __syncthreads();
    u32 next = c < 7 ? (u32)(widths >> (8 * c + 8)) & 255 : 0;
    S::load(next, in[c + 1 & 7], first, rows, values);
    S::write(s, width, out[c], aside, c, rows);
    width = next;
  }
}

}  // namespace ara
