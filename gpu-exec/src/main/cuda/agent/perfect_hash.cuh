// Values of rows at the places that their words say, where words are unique and dense: a bit says whether a word is there,
// a slot of up to 16 bytes has the row's values of all columns. So one visit at random puts a row there, and one finds it,
// where a table of row numbers takes one for the number and one more for each column. Rows are partitioned before, so
// that visits stay in a part of the slots that the L2 holds.
#pragma once
#include "thread/mix.cuh"

namespace ara {

HOST_SHARED struct PerfectHashPolicy {
  // Of a block that sets bits.
  static constexpr int BITS_THREADS = 1024;
  // Rows of a thread that fills.
  static constexpr int FILL_ITEMS = 4;
  // Rows of a thread that fetches, of slots of at most 8 bytes and of others, which take more registers.
  static constexpr int NARROW_FETCH_ITEMS = 16;
  static constexpr int WIDE_FETCH_ITEMS = 8;
  // Columns of a launch.
  static constexpr int COLUMNS = 4;
  // Rows of a piece that blocks share out; a multiple of what one takes.
  static constexpr u32 CHUNK = 4096;
  // Chunks begin at multiples of so many rows, a line of memory, wherever their piece begins.
  static constexpr u32 ALIGNED = 32;
};

constexpr int BITS_THREADS = PerfectHashPolicy::BITS_THREADS;
constexpr int BITS_ITEMS = 8;
constexpr int FILL_ITEMS = PerfectHashPolicy::FILL_ITEMS;
constexpr u32 CHUNK = PerfectHashPolicy::CHUNK;
constexpr u32 ALIGNED = PerfectHashPolicy::ALIGNED;

template <int SLOT_BYTES>
constexpr int ITEMS_OF = SLOT_BYTES <= 8 ? PerfectHashPolicy::NARROW_FETCH_ITEMS : PerfectHashPolicy::WIDE_FETCH_ITEMS;

constexpr u32 NOWHERE = ~0u;

// Rows that lie in several runs, each in partitions: pieces of a partition and a run, in the order in which they are to be
// visited. `list`: the chunks before each piece, and all; then where it begins; and where it ends.
struct Pieces {
  const u32* list;
  u32 count;

  // The piece that a chunk is of; of all lanes of a warp the same. They look at 32 pieces at a time: each look waits for
  // memory, and there are two or three where halving takes ten.
  __device__ __forceinline__ u32 of(u32 chunk) const {
    u32 low = 0;
    u32 high = count;
    while (high - low > 1) {
      u32 step = (high - low + 31) >> 5;
      u32 mine = low + lane() * step;
      u32 before = __popc(__ballot_sync(ALL, mine < high && __ldg(list + mine) <= chunk));
      low += (before - 1) * step;
      high = low + step < high ? low + step : high;
    }
    return low;
  }

  // The rows of a block of `rows`: from `first` on, but not before its piece's `begin`, nor from its `end` on.
  __device__ __forceinline__ void rows(u32 block, u32 rows, u64& first, u64& begin, u64& end) const {
    u32 chunk = block / (CHUNK / rows);
    u32 piece = of(chunk);
    begin = __ldg(list + count + 1 + piece);
    end = __ldg(list + 2 * count + 1 + piece);
    first = begin / ALIGNED * ALIGNED + (u64)(chunk - __ldg(list + piece)) * CHUNK + block % (CHUNK / rows) * rows;
  }
};

template <int BYTES>
struct alignas(BYTES) Slot {
  u32 words[BYTES / 4];

  __device__ __forceinline__ u64 pair(int i) const { return (u64)words[2 * i + 1] << 32 | words[2 * i]; }

  // Puts it to a place of its own. It is exchanged, although nobody wants what was there: for stores at random of a part of a
  // sector the L2 takes up to twice as long (H200, 2^28 slots of 8 bytes within 8 MB: 6.1 and 4.6 ms, within 16 MB 7.6 and
  // 4.8; of 16 bytes within 16 MB 10.7 and 5.8, as two of 8 bytes 8.9).
  __device__ __forceinline__ void put(Slot* at) const {
    if constexpr (BYTES == 4) {
      atomicExch((u32*)at, words[0]);
    } else if constexpr (BYTES == 8) {
      atomicExch((u64*)at, pair(0));
    } else {
#if __CUDA_ARCH__ >= 900
      asm volatile(
          "{.reg .b128 mine, other; mov.b128 mine, {%1, %2}; atom.relaxed.gpu.global.exch.b128 other, [%0], mine;}"
          :
          : "l"(at), "l"(pair(0)), "l"(pair(1))
          : "memory");
#else
      atomicExch((u64*)at, pair(0));
      atomicExch((u64*)at + 1, pair(1));
#endif
    }
  }
};

// Columns of WIDTH bytes that make a slot, one behind the other.
template <int BYTES, int WIDTH>
struct Columns {
  static constexpr int COUNT = BYTES / WIDTH;

  static __device__ __forceinline__ void load(Slot<BYTES>& slot, const u64* in, int columns, u64 i) {
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
      if (c < columns) {
        if (WIDTH == 8) {
          u64 value = __ldcs((const u64*)in[c] + i);
          slot.words[2 * c] = (u32)value;
          slot.words[2 * c + 1] = (u32)(value >> 32);
        } else {
          slot.words[c] = __ldcs((const u32*)in[c] + i);
        }
      }
    }
  }

  static __device__ __forceinline__ void store(const Slot<BYTES>& slot, const u64* out, int columns, u64 i) {
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
      if (c < columns) {
        if (WIDTH == 8) {
          __stcs((u64*)out[c] + i, slot.pair(c));
        } else {
          __stcs((u32*)out[c] + i, slot.words[c]);
        }
      }
    }
  }
};

// The bits of a partition's words, which lie within 2^shift of each other, made in shared memory; counts words that are
// there twice: as many as bits are fewer than words, so that no thread waits for what a bit was. 2^split blocks a
// partition, each of which sees to a part of the bits; `words32`: 32-bit words of all bits; `more`: rows have set some
// already. Rows may lie in several runs, whose starts are behind each other.
template <class W>
__device__ __forceinline__ void set_bits(
    const W* __restrict__ words, const u32* __restrict__ starts, u64 base, int shift, int split, u64 words32, int more,
    int runs, u32* out, u64* twice, u32* bits) {
  u32 size = 1u << (shift - split - 5);
  u32 part = blockIdx.x >> split;
  u32 own = blockIdx.x & ((1u << split) - 1);
  u32 stride = (gridDim.x >> split) + 1;
  bool any = !more;
  for (int r = 0; r < runs; r++) {
    any |= starts[r * stride + part] != starts[r * stride + part + 1];
  }
  if (!any) {
    return;
  }
  int again = 0;
  for (u32 i = threadIdx.x; i < size; i += BITS_THREADS) {
    u64 from = (u64)blockIdx.x * size + i;
    bits[i] = more && from < words32 ? out[from] : 0;
    again += __popc(bits[i]);
  }
  __syncthreads();
  u32 mask = (1u << shift) - 1;
  for (int r = 0; r < runs; r++) {
    u32 begin = starts[r * stride + part];
    u32 end = starts[r * stride + part + 1];
    for (u64 first = begin / ALIGNED * ALIGNED + threadIdx.x; first < end; first += BITS_THREADS * BITS_ITEMS) {
      W some[BITS_ITEMS];
#pragma unroll
      for (int k = 0; k < BITS_ITEMS; k++) {
        u64 i = first + k * BITS_THREADS;
        some[k] = i >= begin && i < end ? __ldcs(words + i) : W(0);
      }
#pragma unroll
      for (int k = 0; k < BITS_ITEMS; k++) {
        u64 i = first + k * BITS_THREADS;
        if (i >= begin && i < end) {
          u32 place = (u32)(wide(some[k]) - base) & mask;
          if (place >> (shift - split) == own) {
            u32 one = 1u << (place & 31);
            atomicOr(bits + (place >> 5 & (size - 1)), one);
            again++;
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < size; i += BITS_THREADS) {
    u64 to = (u64)blockIdx.x * size + i;
    if (to < words32) {
      out[to] = bits[i];
    }
    again -= __popc(bits[i]);
  }
  int sum = (int)__reduce_add_sync(ALL, (u32)again);
  if (lane() == 0 && sum != 0) {
    atomicAdd(twice, (u64)(i64)sum);
  }
}

template <class W, int BYTES, int WIDTH>
__device__ __forceinline__ void fill_slots(
    const W* __restrict__ words, u32 count, u64 base, Slot<BYTES>* slots, int columns, const u64* in, Pieces pieces) {
  static_assert(CHUNK % (THREADS * FILL_ITEMS) == 0, "a chunk is the work of whole blocks");
  u64 first = (u64)blockIdx.x * THREADS * FILL_ITEMS;
  u64 begin = 0;
  u64 end = count;
  if (pieces.count > 0) {
    pieces.rows(blockIdx.x, THREADS * FILL_ITEMS, first, begin, end);
  }
  first += threadIdx.x;
  u64 places[FILL_ITEMS];
  Slot<BYTES> values[FILL_ITEMS];
#pragma unroll
  for (int k = 0; k < FILL_ITEMS; k++) {
    u64 i = first + k * THREADS;
    if (i >= begin && i < end) {
      places[k] = wide(__ldcs(words + i)) - base;
      values[k] = Slot<BYTES>{};
      Columns<BYTES, WIDTH>::load(values[k], in, columns, i);
    }
  }
#pragma unroll
  for (int k = 0; k < FILL_ITEMS; k++) {
    u64 i = first + k * THREADS;
    if (i >= begin && i < end) {
      values[k].put(slots + places[k]);
    }
  }
}

// What belongs to a word that is not there is not written. `bits` may be null: all words of the range are there. The
// range is far less than 2^32, by the shared memory that bits have.
template <class W, int BYTES, int WIDTH>
__device__ __forceinline__ void fetch_slots(
    const W* __restrict__ words, u32 count, u64 base, u64 range, const u32* bits,
    const Slot<BYTES>* __restrict__ slots, u64* matches, int columns, const u64* out, Pieces pieces) {
  constexpr int ITEMS = ITEMS_OF<BYTES>;
  static_assert(CHUNK % (THREADS * ITEMS) == 0, "a chunk is the work of whole blocks");
  u64 first = (u64)blockIdx.x * THREADS * ITEMS;
  u64 begin = 0;
  u64 end = count;
  if (pieces.count > 0) {
    pieces.rows(blockIdx.x, THREADS * ITEMS, first, begin, end);
  }
  first += threadIdx.x;
  u32 places[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    u64 i = first + k * THREADS;
    u64 place = i >= begin && i < end ? wide(__ldcs(words + i)) - base : ~0ull;
    places[k] = place <= range ? (u32)place : NOWHERE;
  }
  u32 there = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    bool is = places[k] != NOWHERE && (bits == nullptr || (__ldg(bits + (places[k] >> 5)) >> (places[k] & 31) & 1));
    there |= (u32)is << k;
  }
  Slot<BYTES> values[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    if (columns > 0 && there >> k & 1) {
      values[k] = slots[places[k]];
    }
  }
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    if (there >> k & 1) {
      Columns<BYTES, WIDTH>::store(values[k], out, columns, first + k * THREADS);
    }
  }
  u32 mine = __reduce_add_sync(ALL, __popc(there));
  if (lane() == 0 && mine > 0) {
    atomicAdd(matches, (u64)mine);
  }
}

}  // namespace ara
