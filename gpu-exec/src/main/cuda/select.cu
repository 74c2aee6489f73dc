// select, selectIds, runLengthEncode: the positions of rows that a test passes, ascending.
//
// A block takes a long stretch of rows, so that all blocks are on the GPU at once: it reads its rows and keeps a bit of
// each in shared memory, learns how many rows before them were found, and writes. Reading and writing go at the memory's
// rate then; tiles that fit registers take many waves of blocks, which read, wait for each other and write in turns.
#include "lookback.cuh"

namespace ara {

// Rows that a warp tests together: a word of 32 a lane.
constexpr u32 UNIT = 1024;

// Positions found wait in shared memory until there are 128 in line, which leave in 16 bytes a lane.
constexpr u32 LINE = 128;
constexpr u32 RING = 1024;

// Of a unit with no more than this many rows, lanes go from one to the next; of one with more, from word to word.
constexpr u32 FEW = 640;
static_assert(FEW + LINE <= RING && UNIT / 2 + LINE <= RING, "ring");

// Writes ascending positions of one warp. Numbers count from a line at or before `out`.
struct Writer {
  u32* lines;
  u32* ring;
  u32 done;
  u32 end;

  __device__ __forceinline__ Writer(u32* out, u32 first, u32* given) {
    u32 before = (u32)((u64)out >> 2) & (LINE - 1);
    lines = out - before;
    ring = given;
    done = before + first;
    end = done;
  }

  // A word is left out behind each 32: lanes that write at equal distances meet in no bank then.
  static __device__ __forceinline__ u32 slot(u32 number) {
    u32 at = number & (RING - 1);
    return at + (at >> 5);
  }

  // Called by whole warps: rows of a unit whose bits are in lanes' words, the first of which is `row`.
  __device__ __forceinline__ void add(u32 mask, u32 row) {
    u32 n = __popc(mask);
    u32 upTo = warp_inclusive(n);
    u32 all = __shfl_sync(ALL, upTo, 31);
    if (all <= FEW) {
      u32 place = end + upTo - n;
      u32 first = row + 32 * lane();
      for (u32 left = mask; left != 0; left &= left - 1) {
        ring[slot(place++)] = first + __ffs(left) - 1;
      }
      end += all;
      flush();
      return;
    }
    u32 below = (1u << lane()) - 1;
#pragma unroll
    for (u32 half = 0; half < 32; half += 16) {
#pragma unroll
      for (u32 q = half; q < half + 16; q++) {
        u32 word = __shfl_sync(ALL, mask, q);
        if (word >> lane() & 1) {
          ring[slot(end + __popc(word & below))] = row + 32 * q + lane();
        }
        end += __popc(word);
      }
      flush();
    }
  }

  __device__ __forceinline__ uint4 four(u32 from) const {
    // Within 32 numbers, from a multiple of four.
    const u32* p = ring + slot(from);
    return make_uint4(p[0], p[1], p[2], p[3]);
  }

  // Writes lines that are complete; fewer than LINE numbers are left then.
  __device__ __forceinline__ void flush() {
    u32 line = done & ~(LINE - 1);
    if (end - line < LINE) {
      return;
    }
    __syncwarp();
    u32 from = line + 4 * lane();
    if (done != line) {
      // What is before belongs to others.
      uint4 v = four(from);
      if (from >= done) lines[from] = v.x;
      if (from + 1 >= done) lines[from + 1] = v.y;
      if (from + 2 >= done) lines[from + 2] = v.z;
      if (from + 3 >= done) lines[from + 3] = v.w;
      line += LINE;
      from += LINE;
    }
    for (; end - line >= LINE; line += LINE, from += LINE) {
      __stcs((uint4*)(lines + from), four(from));
    }
    done = line;
    __syncwarp();
  }

  __device__ __forceinline__ void finish() {
    __syncwarp();
    for (u32 i = done + lane(); i < end; i += 32) {
      lines[i] = ring[slot(i)];
    }
  }
};

// One tile of `rows` rows, a multiple of WARPS * UNIT. `source.words(row, out)` is called by whole warps for Source::UNITS
// units from `row` on and gives each lane its words, whose bits behind the last row are off. `memory` has a bit a row
// of the tile, and rings. True for one thread of all, which gets the number of rows found.
template <class Source>
__device__ __forceinline__ bool select(
    u32 count, u32 rows, u32* out, u64* states, u64* result, u32* memory, Source& source, u32& found) {
  u32* rings = memory + rows / 32;
  u32 stretch = rows / WARPS;
  u32 first = blockIdx.x * rows + warp() * stretch;
  // Rows behind the last one may have numbers beyond 32 bits.
  u32 units = first < count ? ((count - first < stretch ? count - first : stretch) + UNIT - 1) / UNIT : 0;
  u32* words = memory + warp() * (stretch / 32) + lane();
  u32 n = 0;
  for (u32 u = 0; u < units; u += Source::UNITS) {
    u32 some[Source::UNITS];
    source.words(first + u * UNIT, some);
#pragma unroll
    for (int k = 0; k < Source::UNITS; k++) {
      if (u + k < units) {
        words[32 * (u + k)] = some[k];
        n += __popc(some[k]);
      }
    }
  }
  n = __reduce_add_sync(ALL, n);
  u64 total;
  u32 prefix = (u32)scan_warps(states, count <= rows, blockIdx.x, n, total);
  Writer writer(out, prefix, rings + warp() * (RING + RING / 32));
  for (u32 u = 0; u < units; u++) {
    writer.add(words[32 * u], first + u * UNIT);
  }
  writer.finish();
  found = (u32)total;
  if (threadIdx.x == 0 && blockIdx.x == (count - 1) / rows) {
    *result = total;
    return true;
  }
  return false;
}

// The bits of `row` and the 31 rows behind it that are rows.
__device__ __forceinline__ u32 inside(u32 row, u32 count) {
  u32 left = row < count ? count - row : 0;
  return left >= 32 ? ALL : (1u << left) - 1;
}

// A bit for each of four bytes that is not 0.
__device__ __forceinline__ u32 nonZero(u32 bytes) {
  u32 high = (bytes | ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu)) & 0x80808080u;
  // Each byte's highest bit goes to a place of its own among the highest four; no sums of others reach them.
  return high * 0x00204081u >> 28;
}

// Bytes that are not 0, or, where `flipped` is all ones, that are 0.
struct Flags {
  static constexpr int UNITS = 4;
  const u8* flags;
  u32 count;
  u32 flipped;
  bool vector;

  __device__ __forceinline__ uint4 load(u32 row) const {
    if (vector && row < count && count - row >= 16) {
      return __ldcs((const uint4*)(flags + row));
    }
    u32 w[4] = {0, 0, 0, 0};
    for (u32 k = 0; k < 16 && row + k < count; k++) {
      w[k / 4] |= (u32)flags[row + k] << (k % 4 * 8);
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
  }

  __device__ __forceinline__ void words(u32 row, u32 (&out)[UNITS]) const {
    uint4 raw[2 * UNITS];
#pragma unroll
    for (int j = 0; j < 2 * UNITS; j++) {
      raw[j] = load(row + 512 * j + 16 * lane());
    }
#pragma unroll
    for (int k = 0; k < UNITS; k++) {
      u32 both = 0;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        uint4 v = raw[2 * k + h];
        u32 bits = nonZero(v.x) | nonZero(v.y) << 4 | nonZero(v.z) << 8 | nonZero(v.w) << 12;
        both |= bits << (16 * h);
      }
      // A lane has 16 rows of the unit's first half, and 16 of its second.
      u32 low = __shfl_sync(ALL, both, 2 * (lane() & 15));
      u32 high = __shfl_sync(ALL, both, 2 * (lane() & 15) + 1);
      u32 word = lane() < 16 ? (low & 0xffffu) | high << 16 : low >> 16 | (high & 0xffff0000u);
      out[k] = (word ^ flipped) & inside(row + k * UNIT + 32 * lane(), count);
    }
  }
};

// Ids that are rows, or, where `wanted` is 1, that are -1.
struct Ids {
  static constexpr int UNITS = 1;
  const u32* ids;
  u32 count;
  u32 wanted;

  __device__ __forceinline__ void words(u32 row, u32 (&out)[UNITS]) const {
    u32 raw[32];
#pragma unroll
    for (int q = 0; q < 32; q++) {
      u32 at = row + 32 * q + lane();
      raw[q] = at < count ? __ldcs(ids + at) : 0;
    }
    u32 mine = 0;
#pragma unroll
    for (int q = 0; q < 32; q++) {
      u32 word = __ballot_sync(ALL, raw[q] >> 31 == wanted);
      mine = lane() == q ? word : mine;
    }
    out[0] = mine & inside(row + 32 * lane(), count);
  }
};

// Keys that differ from the one before.
template <class Key>
struct Runs {
  static constexpr int UNITS = 1;
  // Words of rows that are loaded together.
  static constexpr int SOME = sizeof(Key) == 8 ? 16 : 32;
  const Key* keys;
  u32 count;

  __device__ __forceinline__ void words(u32 row, u32 (&out)[UNITS]) const {
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
        u32 word = __ballot_sync(ALL, starts);
        mine = lane() == s + q ? word : mine;
      }
    }
    out[0] = mine & inside(row + 32 * lane(), count);
  }
};

// Bits in whole words.
struct Bits {
  static constexpr int UNITS = 8;
  const u32* bits;
  u32 count;

  __device__ __forceinline__ void words(u32 row, u32 (&out)[UNITS]) const {
#pragma unroll
    for (int k = 0; k < UNITS; k++) {
      u32 at = row + k * UNIT + 32 * lane();
      out[k] = at < count ? __ldcs(bits + at / 32) & inside(at, count) : 0;
    }
  }
};

}  // namespace ara

using namespace ara;

// Rows whose flag is not 0, or, with `flip` 1, is 0. count > 0; *result gets how many. `rows` is what a block takes, as
// CudaSelect chooses it; dynamic shared memory has a bit for each of these.
extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_select(
    const u8* flags, u32 count, u32 flip, u32* out, u32 rows, u64* states, u64* result) {
  extern __shared__ u32 selected[];
  Flags source = {flags, count, flip ? ALL : 0, aligned16(flags)};
  u32 found;
  ara::select(count, rows, out, states, result, selected, source, found);
}

// Rows whose id is a row, or, with `flip` 1, is -1.
extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_select_ids(
    const u32* ids, u32 count, u32 flip, u32* out, u32 rows, u64* states, u64* result) {
  extern __shared__ u32 selected[];
  Ids source = {ids, count, flip};
  u32 found;
  ara::select(count, rows, out, states, result, selected, source, found);
}

// Starts of runs of equal keys, followed by `count`.
extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_run_starts(
    const u64* keys, u32 count, u32* out, u32 rows, u64* states, u64* result) {
  extern __shared__ u32 selected[];
  Runs<u64> source = {keys, count};
  u32 found;
  if (ara::select(count, rows, out, states, result, selected, source, found)) {
    out[found] = count;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_run_starts_4(
    const u32* keys, u32 count, u32* out, u32 rows, u64* states, u64* result) {
  extern __shared__ u32 selected[];
  Runs<u32> source = {keys, count};
  u32 found;
  if (ara::select(count, rows, out, states, result, selected, source, found)) {
    out[found] = count;
  }
}

// Rows whose bit is on. `bits` has whole words, aligned; those behind the last row may be anything.
extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_select_bits(
    const u32* bits, u32 count, u32* out, u32 rows, u64* states, u64* result) {
  extern __shared__ u32 selected[];
  Bits source = {bits, count};
  u32 found;
  ara::select(count, rows, out, states, result, selected, source, found);
}
