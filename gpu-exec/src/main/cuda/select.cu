// select, selectIds, runLengthEncode: the positions of rows that a test passes, ascending, in one pass.
#include "lookback.cuh"

namespace ara {

// One tile. A warp's rows lie next to each other in ROUNDS rounds of 32 * PER; `test(row)` looks at the PER rows of a
// lane from `row` on and gives a bit for each; it is called by whole warps, also behind the last row.
// `finish(n)` is called once, with the number of all.
template <int PER, int ROUNDS, class Test, class Finish>
__device__ __forceinline__ void select(u32 count, u32* out, u64* words, Test test, Finish finish) {
  constexpr u32 ROUND = 32 * PER;
  constexpr u32 WARP_ROWS = ROUND * ROUNDS;
  constexpr u32 TILE = WARP_ROWS * WARPS;
  // Counts of several rounds are scanned in one word.
  constexpr int FIELD = ROUND < 256 ? 8 : 16;
  constexpr int FIELDS = 32 / FIELD;
  static_assert(ROUNDS % FIELDS == 0 && WARP_ROWS <= 65536, "fields");
  __shared__ u16 staged[WARPS][WARP_ROWS];
  bool single = count <= TILE;
  u32 tile = take_tile(words, single);
  u32 warpFirst = tile * TILE + warp() * WARP_ROWS;
  u32 masks[ROUNDS];
#pragma unroll
  for (int j = 0; j < ROUNDS; j++) {
    u32 row = warpFirst + j * ROUND + lane() * PER;
    u32 left = row < count ? count - row : 0;
    masks[j] = test(row) & (left >= PER ? (1u << PER) - 1 : (1u << left) - 1);
  }
  u32 n = 0;
#pragma unroll
  for (int k = 0; k < ROUNDS; k += FIELDS) {
    u32 counts = 0;
#pragma unroll
    for (int f = 0; f < FIELDS; f++) {
      counts |= __popc(masks[k + f]) << (f * FIELD);
    }
    u32 upTo = warp_inclusive(counts);
    u32 before = upTo - counts;
    u32 all = __shfl_sync(ALL, upTo, 31);
#pragma unroll
    for (int f = 0; f < FIELDS; f++) {
      u32 place = n + (before >> (f * FIELD) & ((1u << FIELD) - 1));
      u32 row = (k + f) * ROUND + lane() * PER;
      u32 found = all >> (f * FIELD) & ((1u << FIELD) - 1);
      if (PER > 4 && found <= ROUND / 8) {
        // Few in the whole warp: go from one to the next.
        for (u32 left = masks[k + f]; left != 0; left &= left - 1) {
          staged[warp()][place++] = (u16)(row + __ffs(left) - 1);
        }
      } else {
#pragma unroll
        for (int b = 0; b < PER; b++) {
          if (masks[k + f] >> b & 1) {
            staged[warp()][place++] = (u16)(row + b);
          }
        }
      }
      n += found;
    }
  }
  u64 total;
  u32 prefix = (u32)scan_warps(words, single, tile, n, total);
  if (threadIdx.x == 0 && tile == (count - 1) / TILE) {
    words[1] = total;
    finish((u32)total);
  }
  for (u32 i = lane(); i < n; i += 32) {
    __stcs(out + prefix + i, warpFirst + staged[warp()][i]);
  }
}

// A bit for each of four bytes that is not 0.
__device__ __forceinline__ u32 nonZero(u32 bytes) {
  u32 high = (bytes | ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu)) & 0x80808080u;
  // Each byte's highest bit goes to a place of its own among the highest four; no sums of others reach them.
  return high * 0x00204081u >> 28;
}

}  // namespace ara

using namespace ara;

// Rows whose flag is not 0, or, with `flip` 1, is 0. count > 0; words[1] gets how many.
extern "C" __global__ void __launch_bounds__(THREADS) ara_select(
    const u8* flags, u32 count, u32 flip, u32* out, u64* words) {
  bool vector = aligned16(flags);
  u32 flipped = flip ? 0xffff : 0;
  ara::select<16, 4>(
      count, out, words,
      [=](u32 row) {
        uint4 v = zero4();
        if (row < count) {
          if (vector) {
            v = __ldcs((const uint4*)(flags + row));
          } else {
            u32 w[4] = {0, 0, 0, 0};
            for (u32 k = 0; k < 16 && row + k < count; k++) {
              w[k / 4] |= (u32)flags[row + k] << (k % 4 * 8);
            }
            v = make_uint4(w[0], w[1], w[2], w[3]);
          }
        }
        return (nonZero(v.x) | nonZero(v.y) << 4 | nonZero(v.z) << 8 | nonZero(v.w) << 12) ^ flipped;
      },
      [](u32) {});
}

// Rows whose id is a row, or, with `flip` 1, is -1.
extern "C" __global__ void __launch_bounds__(THREADS) ara_select_ids(
    const u32* ids, u32 count, u32 flip, u32* out, u64* words) {
  bool vector = aligned16(ids);
  u32 flipped = flip ? 0 : 0xf;
  ara::select<4, 8>(
      count, out, words,
      [=](u32 row) {
        uint4 v = row < count ? load4(ids + row, vector) : zero4();
        return (v.x >> 31 | v.y >> 31 << 1 | v.z >> 31 << 2 | v.w >> 31 << 3) ^ flipped;
      },
      [](u32) {});
}

// Starts of runs of equal keys, followed by `count`.
extern "C" __global__ void __launch_bounds__(THREADS) ara_run_starts(
    const u64* keys, u32 count, u32* out, u64* words) {
  bool vector = aligned16(keys);
  ara::select<2, 8>(
      count, out, words,
      [=](u32 row) {
        u64 a = 0, b = 0, last = 0;
        if (row < count) {
          if (vector) {
            ulonglong2 v = __ldcs((const ulonglong2*)(keys + row));
            a = v.x;
            b = v.y;
          } else {
            a = keys[row];
            b = keys[row + 1];
          }
        }
        last = __shfl_up_sync(ALL, b, 1);
        if (lane() == 0 && row > 0 && row < count) {
          last = keys[row - 1];
        }
        return (row == 0 || a != last ? 1u : 0u) | (b != a ? 2u : 0u);
      },
      [=](u32 n) { out[n] = count; });
}

// Rows whose bit is on. `bits` has whole 32-bit words, aligned; those behind the last row may be anything.
extern "C" __global__ void __launch_bounds__(THREADS) ara_select_bits(
    const u16* bits, u32 count, u32* out, u64* words) {
  ara::select<16, 4>(
      count, out, words, [=](u32 row) { return row < count ? (u32)bits[row / 16] : 0u; }, [](u32) {});
}
