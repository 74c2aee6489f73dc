// select, selectIds, runLengthEncode: the positions of rows that a test passes, ascending, in one pass.
#include "lookback.cuh"

namespace ara {

// One tile. A warp's rows lie next to each other in ROUNDS rounds of 32 * PER, of which BATCH are loaded together.
// `source.load(row)` reads the PER rows of a lane from `row` on, if that is a row; `source.test(raw, row)` gives a bit for
// each and is called by whole warps, round by round, also behind the last row. True for one thread of all, which gets the
// number of rows found.
template <int PER, int ROUNDS, int BATCH, class Source>
__device__ __forceinline__ bool select(u32 count, u32* out, u64* states, u64* result, Source& source, u32& found) {
  constexpr u32 ROUND = 32 * PER;
  constexpr u32 WARP_ROWS = ROUND * ROUNDS;
  constexpr u32 TILE = WARP_ROWS * WARPS;
  // Rounds whose bits share a word.
  constexpr int PACKED = 32 / PER;
  constexpr int MASKS = ROUNDS / PACKED;
  // Counts of several rounds are scanned in one word; what these rounds find is put in order before it is written.
  constexpr int FIELD = ROUND < 256 ? 8 : 16;
  constexpr int FIELDS = 32 / FIELD;
  constexpr u32 FIELD_MASK = (1u << FIELD) - 1;
  static_assert(ROUNDS % PACKED == 0 && ROUNDS % BATCH == 0 && ROUNDS % FIELDS == 0, "rounds");
  static_assert(FIELDS * ROUND <= 65536, "staged");
  __shared__ u16 staged[WARPS][FIELDS * ROUND];
  bool single = count <= TILE;
  u32 tile = blockIdx.x;
  u32 first = tile * TILE + warp() * WARP_ROWS;
  u32 masks[MASKS];
#pragma unroll
  for (int m = 0; m < MASKS; m++) {
    masks[m] = 0;
  }
#pragma unroll
  for (int k = 0; k < ROUNDS; k += BATCH) {
    typename Source::Raw raw[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      raw[j] = source.load(first + (k + j) * ROUND + lane() * PER);
    }
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      u32 row = first + (k + j) * ROUND + lane() * PER;
      u32 left = row < count ? count - row : 0;
      u32 bits = source.test(raw[j], row) & (left >= PER ? (1u << PER) - 1 : (1u << left) - 1);
      masks[(k + j) / PACKED] |= bits << ((k + j) % PACKED * PER);
    }
  }
  u32 n = 0;
#pragma unroll
  for (int m = 0; m < MASKS; m++) {
    n += __popc(masks[m]);
  }
  n = __reduce_add_sync(ALL, n);
  u64 total;
  u32 prefix = (u32)scan_warps(states, single, tile, n, total);
#pragma unroll
  for (int k = 0; k < ROUNDS; k += FIELDS) {
    u32 bits[FIELDS];
    u32 counts = 0;
#pragma unroll
    for (int f = 0; f < FIELDS; f++) {
      bits[f] = masks[(k + f) / PACKED] >> ((k + f) % PACKED * PER) & ((1u << PER) - 1);
      counts |= __popc(bits[f]) << (f * FIELD);
    }
    u32 upTo = warp_inclusive(counts);
    u32 before = upTo - counts;
    u32 all = __shfl_sync(ALL, upTo, 31);
    u32 stagedRows = 0;
#pragma unroll
    for (int f = 0; f < FIELDS; f++) {
      u32 place = stagedRows + (before >> (f * FIELD) & FIELD_MASK);
      u32 row = f * ROUND + lane() * PER;
      u32 here = all >> (f * FIELD) & FIELD_MASK;
      if (PER > 4 && here <= ROUND / 8) {
        // Few in the whole warp: go from one to the next.
        for (u32 left = bits[f]; left != 0; left &= left - 1) {
          staged[warp()][place++] = (u16)(row + __ffs(left) - 1);
        }
      } else {
#pragma unroll
        for (int b = 0; b < PER; b++) {
          if (bits[f] >> b & 1) {
            staged[warp()][place++] = (u16)(row + b);
          }
        }
      }
      stagedRows += here;
    }
    __syncwarp();
    for (u32 i = lane(); i < stagedRows; i += 32) {
      __stcs(out + prefix + i, first + k * ROUND + staged[warp()][i]);
    }
    prefix += stagedRows;
    __syncwarp();
  }
  found = (u32)total;
  if (threadIdx.x == 0 && tile == (count - 1) / TILE) {
    *result = total;
    return true;
  }
  return false;
}

// A bit for each of four bytes that is not 0.
__device__ __forceinline__ u32 nonZero(u32 bytes) {
  u32 high = (bytes | ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu)) & 0x80808080u;
  // Each byte's highest bit goes to a place of its own among the highest four; no sums of others reach them.
  return high * 0x00204081u >> 28;
}

// Bytes that are not 0, or, where `flipped` has their bits, that are 0.
struct Flags {
  typedef uint4 Raw;
  const u8* flags;
  u32 count;
  u32 flipped;
  bool vector;

  __device__ __forceinline__ Raw load(u32 row) const {
    if (row >= count) {
      return zero4();
    }
    if (vector) {
      return __ldcs((const uint4*)(flags + row));
    }
    u32 w[4] = {0, 0, 0, 0};
    for (u32 k = 0; k < 16 && row + k < count; k++) {
      w[k / 4] |= (u32)flags[row + k] << (k % 4 * 8);
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
  }

  __device__ __forceinline__ u32 test(Raw v, u32) const {
    return (nonZero(v.x) | nonZero(v.y) << 4 | nonZero(v.z) << 8 | nonZero(v.w) << 12) ^ flipped;
  }
};

// Ids that are -1, or, where `flipped` has their bits, that are not.
struct Ids {
  typedef uint4 Raw;
  const u32* ids;
  u32 count;
  u32 flipped;
  bool vector;

  __device__ __forceinline__ Raw load(u32 row) const { return row < count ? load4(ids + row, vector) : zero4(); }

  __device__ __forceinline__ u32 test(Raw v, u32) const {
    return (v.x >> 31 | v.y >> 31 << 1 | v.z >> 31 << 2 | v.w >> 31 << 3) ^ flipped;
  }
};

// Keys that differ from the one before.
struct Runs {
  typedef ulonglong2 Raw;
  const u64* keys;
  u32 count;
  bool vector;
  // The key before the round, as far as lane 0 is concerned.
  u64 carry;

  __device__ __forceinline__ Raw load(u32 row) const {
    if (row >= count) {
      return make_ulonglong2(0, 0);
    }
    return vector ? __ldcs((const ulonglong2*)(keys + row)) : make_ulonglong2(keys[row], keys[row + 1]);
  }

  __device__ __forceinline__ u32 test(Raw v, u32 row) {
    u64 last = __shfl_up_sync(ALL, v.y, 1);
    last = lane() == 0 ? carry : last;
    carry = __shfl_sync(ALL, v.y, 31);
    return (row == 0 || v.x != last ? 1u : 0u) | (v.y != v.x ? 2u : 0u);
  }
};

// The same for keys of 32 bits.
struct NarrowRuns {
  typedef uint4 Raw;
  const u32* keys;
  u32 count;
  bool vector;
  u32 carry;

  __device__ __forceinline__ Raw load(u32 row) const { return row < count ? load4(keys + row, vector) : zero4(); }

  __device__ __forceinline__ u32 test(Raw v, u32 row) {
    u32 last = __shfl_up_sync(ALL, v.w, 1);
    last = lane() == 0 ? carry : last;
    carry = __shfl_sync(ALL, v.w, 31);
    return (row == 0 || v.x != last ? 1u : 0u) | (v.y != v.x ? 2u : 0u) | (v.z != v.y ? 4u : 0u) |
           (v.w != v.z ? 8u : 0u);
  }
};

struct Bits {
  typedef u32 Raw;
  const u16* bits;
  u32 count;

  __device__ __forceinline__ Raw load(u32 row) const { return row < count ? (u32)bits[row / 16] : 0u; }

  __device__ __forceinline__ u32 test(Raw v, u32) const { return v; }
};

}  // namespace ara

using namespace ara;

// Rows whose flag is not 0, or, with `flip` 1, is 0. count > 0; *result gets how many.
extern "C" __global__ void __launch_bounds__(THREADS, 6) ara_select(
    const u8* flags, u32 count, u32 flip, u32* out, u64* states, u64* result) {
  Flags source = {flags, count, flip ? 0xffffu : 0, aligned16(flags)};
  u32 found;
  ara::select<16, 8, 4>(count, out, states, result, source, found);
}

// Rows whose id is a row, or, with `flip` 1, is -1.
extern "C" __global__ void __launch_bounds__(THREADS, 5) ara_select_ids(
    const u32* ids, u32 count, u32 flip, u32* out, u64* states, u64* result) {
  Ids source = {ids, count, flip ? 0 : 0xfu, aligned16(ids)};
  u32 found;
  ara::select<4, 16, 4>(count, out, states, result, source, found);
}

// Starts of runs of equal keys, followed by `count`.
extern "C" __global__ void __launch_bounds__(THREADS, 5) ara_run_starts(
    const u64* keys, u32 count, u32* out, u64* states, u64* result) {
  constexpr int RUN_ROUNDS = 16;
  u32 first = (blockIdx.x * WARPS + warp()) * (64 * RUN_ROUNDS);
  u64 before = first > 0 && first < count ? __ldg(keys + first - 1) : 0;
  Runs source = {keys, count, aligned16(keys), before};
  u32 found;
  if (ara::select<2, RUN_ROUNDS, 4>(count, out, states, result, source, found)) {
    out[found] = count;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 5) ara_run_starts_4(
    const u32* keys, u32 count, u32* out, u64* states, u64* result) {
  constexpr int RUN_ROUNDS = 16;
  u32 first = (blockIdx.x * WARPS + warp()) * (128 * RUN_ROUNDS);
  u32 before = first > 0 && first < count ? __ldg(keys + first - 1) : 0;
  NarrowRuns source = {keys, count, aligned16(keys), before};
  u32 found;
  if (ara::select<4, RUN_ROUNDS, 4>(count, out, states, result, source, found)) {
    out[found] = count;
  }
}

// Rows whose bit is on. `bits` has whole 32-bit words, aligned; those behind the last row may be anything.
extern "C" __global__ void __launch_bounds__(THREADS, 6) ara_select_bits(
    const u16* bits, u32 count, u32* out, u64* states, u64* result) {
  Bits source = {bits, count};
  u32 found;
  ara::select<16, 8, 8>(count, out, states, result, source, found);
}
