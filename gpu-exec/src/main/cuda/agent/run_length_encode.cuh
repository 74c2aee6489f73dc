// runLengthEncode: the positions of rows that begin a run, ascending.
//
// Two kernels, where select.cu has one: reading is what takes the time here, and it goes at the memory's rate only where
// blocks take tiles as they get done. The first one tests: it writes a bit a row, which stays in the L2 cache, and counts what each tile has. The
// second writes positions: a block adds up the counts of all tiles before its own. So reading goes at the memory's rate,
// and no block waits for another, where a single pass has blocks that read, look back and write in turns. What one tile
// holds the first kernel does alone.
#pragma once
#include "block/sum.cuh"
#include "warp/position_writer.cuh"
#include "warp/scan.cuh"

namespace ara {

HOST_SHARED struct RunLengthEncodePolicy {
  // Of a warp at most: a tile has WARPS times `units`, which are fewer where there would be too few tiles else.
  static constexpr int UNITS = 4;
  // Positions of a warp that wait for their way out, and bytes of shared memory that they take.
  static constexpr u32 ROOM = 2048;
  static constexpr u32 ROOM_BYTES = (ROOM + 32) / 32 * 34 * 2;
};

constexpr int UNITS = RunLengthEncodePolicy::UNITS;
using Out = Writer<RunLengthEncodePolicy::ROOM>;
static_assert(Out::ROOMS * sizeof(u16) == RunLengthEncodePolicy::ROOM_BYTES, "shared memory");
static_assert(UNITS * UNIT * WARPS < 1 << 16, "a tile's rows in 16 bits");

// Keys that differ from the one before; of those that should ascend, whether they do as well.
template <class Key, bool ASCENDING>
struct Runs {
  static constexpr int UNITS = 1;
  static constexpr bool MAY_FALL = ASCENDING;
  // Words of rows that are loaded together.
  static constexpr int SOME = sizeof(Key) == 8 ? 16 : 32;
  const Key* keys;
  u32 count;
  bool fell = false;

  __device__ __forceinline__ void words(u32 row, u32 (&out)[UNITS]) {
    Key before = row > 0 && row < count ? __ldg(keys + row - 1) : 0;
    u32 mine = 0;
#pragma unroll
    for (int s = 0; s < 32; s += SOME) {
      Key raw[SOME];
#pragma unroll
      for (int q = 0; q < SOME; q++) {
        u32 at = row + 32 * (s + q) + lane();
        raw[q] = at < count ? __ldcs(keys + at) : 0;
      }
#pragma unroll
      for (int q = 0; q < SOME; q++) {
        Key last = __shfl_up_sync(ALL, raw[q], 1);
        last = lane() == 0 ? before : last;
        before = __shfl_sync(ALL, raw[q], 31);
        bool starts = raw[q] != last || (row == 0 && s + q == 0 && lane() == 0);
        if (ASCENDING) {
          u32 at = row + 32 * (s + q) + lane();
          fell |= raw[q] < last && at > 0 && at < count;
        }
        u32 word = __ballot_sync(ALL, starts);
        mine = lane() == s + q ? word : mine;
      }
    }
    out[0] = mine & inside(row + 32 * lane(), count);
  }
};

// The first row of this warp in a tile.
__device__ __forceinline__ u32 first_row(u32 tile, u32 units) { return (tile * WARPS + warp()) * units * UNIT; }

// The bits of a warp's units; those behind the last row are off.
__device__ __forceinline__ void load_units(const u32* bits, u32 row, u32 units, u32 count, u32 (&words)[UNITS]) {
#pragma unroll
  for (u32 k = 0; k < UNITS; k++) {
    u32 at = row + k * UNIT + 32 * lane();
    words[k] = k < units && at < count ? __ldcs(bits + at / 32) & inside(at, count) : 0;
  }
}

// Writes a tile's positions from out[base] on, and returns how many there are; called by all threads of a block.
__device__ __forceinline__ u32 write_tile(const u32 (&words)[UNITS], u32 row, u32 base, u32* out, u16* rooms) {
  static_assert(UNITS % 2 == 0, "pairs");
  __shared__ u32 totals[WARPS];
  u32 n[UNITS];
  u32 before[UNITS];
  u32 all = 0;
#pragma unroll
  for (int k = 0; k < UNITS; k += 2) {
    // Two units' sums in one word.
    u32 low = __popc(words[k]);
    u32 high = __popc(words[k + 1]);
    u32 upTo = warp_inclusive(low | high << 16);
    u32 both = __shfl_sync(ALL, upTo, 31);
    before[k] = (upTo & 0xffff) - low;
    before[k + 1] = (upTo >> 16) - high;
    n[k] = both & 0xffff;
    n[k + 1] = both >> 16;
    all += n[k] + n[k + 1];
  }
  __syncthreads();
  if (lane() == 0) {
    totals[warp()] = all;
  }
  __syncthreads();
  u32 total = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; w++) {
    base += w < warp() ? totals[w] : 0;
    total += totals[w];
  }
  Out writer(rooms + warp() * Out::ROOMS, out + base, row);
#pragma unroll
  for (int k = 0; k < UNITS; k++) {
    writer.add(words[k], nullptr, k * UNIT, before[k], n[k]);
  }
  writer.flush();
  return total;
}

// Where the positions go, what is written behind them (0: nothing), and a word of pinned memory for their number, in whose
// high half a bit is on if a key was less than the one before; `falls` says so on the device, if that is asked for.
struct RunStarts {
  u32* out;
  u32 end;
  u64* result;
  u32* falls;

  __device__ __forceinline__ void finish(u32 total) const {
    if (threadIdx.x == 0) {
      if (end != 0) {
        out[total] = end;
      }
      u64 fell = falls != nullptr && *falls != 0 ? 1 : 0;
      *result = fell << 32 | total;
    }
  }
};

// One tile: bits and their number, or, if it is the only one, positions. `source.words(row, out)` is called by whole warps
// for Source::UNITS units from `row` on and gives each lane its words, whose bits behind the last row are off.
template <class Source>
__device__ __forceinline__ void mark(
    Source& source, u32 count, u32 units, u32* bits, u16* counts, const RunStarts& found, u16* rooms) {
  constexpr u32 TOGETHER = Source::UNITS;
  __shared__ u32 sums[WARPS];
  u32 first = first_row(blockIdx.x, units);
  u32 n = 0;
  // Not unrolled: what counts are blocks, which registers would keep out.
#pragma unroll 1
  for (u32 u = 0; u < units; u += TOGETHER) {
    u32 row = first + u * UNIT;
    u32 some[TOGETHER];
    if (row < count) {
      source.words(row, some);
    }
#pragma unroll
    for (u32 k = 0; k < TOGETHER; k++) {
      if (u + k < units) {
        u32 word = row < count ? some[k] : 0;
        bits[row / 32 + 32 * k + lane()] = word;
        n += __popc(word);
      }
    }
  }
  if (Source::MAY_FALL && __any_sync(ALL, source.fell) && lane() == 0) {
    *found.falls = 1;
  }
  if (gridDim.x == 1) {
    // Each lane reads what it has written itself.
    u32 words[UNITS];
    load_units(bits, first, units, count, words);
    found.finish(write_tile(words, first, 0, found.out, rooms));
    return;
  }
  n = __reduce_add_sync(ALL, n);
  if (lane() == 0) {
    sums[warp()] = n;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    n = 0;
    for (int w = 0; w < WARPS; w++) {
      n += sums[w];
    }
    counts[blockIdx.x] = (u16)n;
  }
}

}  // namespace ara
