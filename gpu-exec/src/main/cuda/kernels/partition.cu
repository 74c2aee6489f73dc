// The kernels that partition rows.
#include "agent/bin_starts.cuh"
#include "agent/partition.cuh"

using namespace ara;

#define COUNT(NAME, W)                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS) NAME(                                                      \
      const W* words, u32 count, u64 base, int mixed, int shift, u32 mask, int upperShift, u32 upperMask,          \
      u32* counts) {                                                                                               \
    count_digits<W, BINS>(words, count, Order{base, mixed, shift, mask}, upperShift, upperMask, counts);           \
  }

COUNT(ara_rows_count_4, int)
COUNT(ara_rows_count_8, u64)

#define SIZES(NAME, W)                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS) NAME(                                                      \
      const W* words, u32 count, u64 base, int mixed, int shift, u32 mask, u32* counts) {                          \
    count_digits<W, PLACES>(words, count, Order{base, mixed, shift, mask}, 0, 0, counts);                          \
  }

SIZES(ara_rows_sizes_4, int)
SIZES(ara_rows_sizes_8, u64)

// Where partitions begin among words that lie in their order; mask + 1 starts and `count`. A thread a start, which it
// searches for: a look at every word takes as long as a tenth of a pass.
#define EDGES(NAME, W)                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS) NAME(                                                      \
      const W* __restrict__ words, u32 count, u64 base, int mixed, int shift, u32 mask, u32* offsets) {            \
    Order order{base, mixed, shift, mask};                                                                         \
    u32 part = blockIdx.x * THREADS + threadIdx.x;                                                                 \
    if (part <= mask + 1) {                                                                                        \
      u32 low = 0;                                                                                                 \
      u32 high = count;                                                                                            \
      while (low < high) {                                                                                         \
        u32 middle = (low + high) / 2;                                                                             \
        if (order.digit(wide(words[middle])) < part) {                                                             \
          low = middle + 1;                                                                                        \
        } else {                                                                                                   \
          high = middle;                                                                                           \
        }                                                                                                          \
      }                                                                                                            \
      offsets[part] = low;                                                                                         \
    }                                                                                                              \
  }

EDGES(ara_rows_edges_4, int)
EDGES(ara_rows_edges_8, u64)

// Counts of 256 partitions become their starts, of one pass or, with another block, of two; `offsets`, if there is one,
// gets those of the first `parts` and then `count`.
extern "C" __global__ void __launch_bounds__(BINS) ara_rows_starts(u32* bins, u32* offsets, u32 parts, u32 count) {
  bin_starts<BINS>(bins, offsets, parts, count);
}

// NAME_4 for columns of at most four bytes, whose tiles are larger.
// Three blocks at once, with fewer registers or rows a thread, and tiles of 20 rows a thread are slower on an H200.
#define ROWS(NAME, W, ITEMS, WIDEST)                                                                                \
  extern "C" __global__ void __launch_bounds__(SWEEP_THREADS, 2) NAME(                                              \
      const W* words, W* outWords, u32 count, u64 base, int mixed, int shift, u32 mask, const u32* starts,          \
      u32* lookback, COLUMN_ARGS) {                                                                                 \
    using S = Sweep<ITEMS, WIDEST, SWEEP_THREADS, PartitionPolicy::BITS>;                                           \
    __shared__ S::Storage s;                                                                                        \
    SHARED_COLUMNS                                                                                                  \
    sweep<S, W, ITEMS>(                                                                                             \
        s, words, outWords, count, Order{base, mixed, shift, mask}, starts, lookback, widths, in, out, OneTarget()); \
  }

ROWS(ara_rows_sweep_4_4, int, PartitionPolicy::NARROW_ITEMS, 4)
ROWS(ara_rows_sweep_4_8, int, PartitionPolicy::WIDE_ITEMS, 8)
ROWS(ara_rows_sweep_8_8, u64, PartitionPolicy::WIDE_ITEMS, 8)

extern __shared__ __align__(16) unsigned char shared[];

// By up to nine bits, where some partitions go to other memory. With twice the rows a tile runs of a partition are as long
// as those of eight bits, and a pass takes 1.03 times as long; with tiles as above 1.4 times (H200).
#define PLACE(NAME, W, ITEMS, WIDEST)                                                                              \
  extern "C" __global__ void __launch_bounds__(PLACE_THREADS, 1) NAME(                                             \
      const W* words, W* outWords, u32 count, u64 base, int mixed, int shift, u32 mask, const u32* starts,         \
      u32* lookback, COLUMN_ARGS, u64 set0, u64 set1, u64 set2,                                                    \
      u64 set3, u64 set4, u64 set5, u64 set6, u64 set7, u64 own, u64 own0, u64 own1, u64 own2, u64 own3, u64 own4, \
      u64 own5, u64 own6, u64 own7) {                                                                              \
    using S = Sweep<ITEMS, WIDEST, PLACE_THREADS, PartitionPolicy::PLACE_BITS>;                                    \
    static_assert(sizeof(S::Storage) <= PartitionPolicy::PLACE_SHARED, "shared memory");                           \
    SHARED_COLUMNS                                                                                                 \
    __shared__ u64 set[8];                                                                                         \
    __shared__ u64 aside[9];                                                                                       \
    if (threadIdx.x == 0) {                                                                                        \
      set[0] = set0, set[1] = set1, set[2] = set2, set[3] = set3;                                                  \
      set[4] = set4, set[5] = set5, set[6] = set6, set[7] = set7;                                                  \
      aside[0] = own, aside[1] = own0, aside[2] = own1, aside[3] = own2, aside[4] = own3;                          \
      aside[5] = own4, aside[6] = own5, aside[7] = own6, aside[8] = own7;                                          \
    }                                                                                                              \
    sweep<S, W, ITEMS>(                                                                                            \
        *(S::Storage*)shared, words, outWords, count, Order{base, mixed, shift, mask}, starts, lookback, widths,   \
        in, out, TwoTargets{set, aside});                                                                               \
  }

PLACE(ara_rows_place_4_4, int, PartitionPolicy::NARROW_ITEMS, 4)
PLACE(ara_rows_place_4_8, int, PartitionPolicy::WIDE_ITEMS, 8)
PLACE(ara_rows_place_8_8, u64, PartitionPolicy::WIDE_ITEMS, 8)

// The integers that words of an order were made of: what was subtracted is added again.
extern "C" __global__ void __launch_bounds__(THREADS) ara_narrow_4(const u64* words, u32 count, u64 base, int* out) {
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    out[i] = (int)(base + words[i]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) ara_narrow_8(const u64* words, u32 count, u64 base, u64* out) {
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    out[i] = base + words[i];
  }
}
