// exclusiveSum, and the offsets of gathered texts.
#include "lookback.cuh"

namespace ara {

// Rows of a warp lie next to each other, in rounds of 128: four a lane, one 16-byte load.
constexpr int ROUNDS = 4;
constexpr u32 WARP_ROWS = 128 * ROUNDS;
constexpr u32 SCAN_TILE = WARP_ROWS * WARPS;

// One tile of a scan. `load(row)` gives four 32-bit values, 0 behind the last row; `store(row, sum, values)` gets the
// exclusive sum of the first of them and is called by whole warps; `finish(total)` once, by one thread.
template <class Load, class Store, class Finish>
__device__ __forceinline__ void scan(u32 count, u64* states, Load load, Store store, Finish finish) {
  bool single = count <= SCAN_TILE;
  u32 tile = blockIdx.x;
  u32 first = tile * SCAN_TILE + warp() * WARP_ROWS + lane() * 4;
  uint4 values[ROUNDS];
#pragma unroll
  for (int j = 0; j < ROUNDS; j++) {
    values[j] = load(first + j * 128);
  }
  // Not in registers, which the values need while a warp looks back.
  __shared__ u64 before[ROUNDS][THREADS];
  u64 sum = 0;
#pragma unroll
  for (int j = 0; j < ROUNDS; j++) {
    u64 mine = (u64)values[j].x + values[j].y + values[j].z + values[j].w;
    u64 upTo = warp_inclusive(mine);
    before[j][threadIdx.x] = sum + upTo - mine;
    sum += __shfl_sync(ALL, upTo, 31);
  }
  u64 total;
  u64 prefix = scan_warps(states, single, tile, sum, total);
  if (threadIdx.x == 0 && tile == (count - 1) / SCAN_TILE) {
    finish(total);
  }
#pragma unroll
  for (int j = 0; j < ROUNDS; j++) {
    store(first + j * 128, prefix + before[j][threadIdx.x], values[j]);
  }
}

}  // namespace ara

using namespace ara;

// count > 0; out[count] and *result are the total.
extern "C" __global__ void __launch_bounds__(THREADS, 6) ara_exclusive_sum(
    const u32* in, u32 count, u64* out, u64* states, u64* result) {
  bool vector = aligned16(in);
  bool outVector = aligned16(out);
  scan(
      count, states,
      [=](u32 row) {
        if (row >= count) {
          return zero4();
        }
        uint4 v = load4(in + row, vector);
        u32 left = count - row;
        v.y = left > 1 ? v.y : 0;
        v.z = left > 2 ? v.z : 0;
        v.w = left > 3 ? v.w : 0;
        return v;
      },
      [=](u32 row, u64 sum, uint4 v) {
        ulonglong2 low = make_ulonglong2(sum, sum + v.x);
        ulonglong2 high = make_ulonglong2(sum + v.x + v.y, sum + v.x + v.y + v.z);
        if (!outVector) {
          u64 sums[4] = {low.x, low.y, high.x, high.y};
          for (u32 k = 0; k < 4 && row + k < count; k++) {
            out[row + k] = sums[k];
          }
          return;
        }
        // Two lanes write 64 bytes: they swap halves, so that each store fills whole 32-byte sectors.
        bool odd = lane() & 1;
        ulonglong2 give = odd ? low : high;
        ulonglong2 got = make_ulonglong2(__shfl_xor_sync(ALL, give.x, 1), __shfl_xor_sync(ALL, give.y, 1));
        u32 pair = row & ~7u;
        if (pair < count) {
          __stcs((ulonglong2*)(out + pair + (odd ? 2 : 0)), odd ? got : low);
        }
        if (pair + 4 < count) {
          __stcs((ulonglong2*)(out + pair + 4 + (odd ? 2 : 0)), odd ? high : got);
        }
      },
      [=](u64 total) {
        out[count] = total;
        *result = total;
      });
}

// The offsets of texts gathered by row ids: out[i] = base + the bytes of the rows before i, for i in 0..count; nulls
// have no bytes. `ids` null: row i; `bits` null: no nulls but ids of -1. *result gets the bytes of all rows.
extern "C" __global__ void __launch_bounds__(THREADS) ara_text_offsets(
    const u32* ids, const u32* bits, const u32* in, u32 count, u32 base, u32* out, u64* states, u64* result) {
  bool vector = aligned16(ids);
  bool outVector = aligned16(out);
  scan(
      count, states,
      [=](u32 row) {
        if (row >= count) {
          return zero4();
        }
        uint4 id = ids == nullptr ? make_uint4(row, row + 1, row + 2, row + 3) : load4(ids + row, vector);
        u32 left = count - row;
        auto length = [=](u32 k, u32 i) {
          return k < left && (int)i >= 0 && (bits == nullptr || bit(bits, i)) ? in[i + 1] - in[i] : 0;
        };
        return make_uint4(length(0, id.x), length(1, id.y), length(2, id.z), length(3, id.w));
      },
      [=](u32 row, u64 sum, uint4 v) {
        if (row < count) {
          u32 a = base + (u32)sum;
          uint4 sums = make_uint4(a, a + v.x, a + v.x + v.y, a + v.x + v.y + v.z);
          if (outVector) {
            *(uint4*)(out + row) = sums;
          } else {
            u32 left = count - row;
            out[row] = sums.x;
            if (left > 1) out[row + 1] = sums.y;
            if (left > 2) out[row + 2] = sums.z;
            if (left > 3) out[row + 3] = sums.w;
          }
        }
      },
      [=](u64 total) {
        out[count] = base + (u32)total;
        *result = total;
      });
}

// The offsets of texts by their lengths: out[i] = the lengths before i, for i in 0..count. *result gets the sum of all;
// beyond 2^31 - 1 the offsets are void.
extern "C" __global__ void __launch_bounds__(THREADS) ara_length_offsets(
    const u32* lengths, u32 count, u32* out, u64* states, u64* result) {
  bool vector = aligned16(lengths);
  bool outVector = aligned16(out);
  scan(
      count, states,
      [=](u32 row) {
        if (row >= count) {
          return zero4();
        }
        uint4 v = load4(lengths + row, vector);
        u32 left = count - row;
        v.y = left > 1 ? v.y : 0;
        v.z = left > 2 ? v.z : 0;
        v.w = left > 3 ? v.w : 0;
        return v;
      },
      [=](u32 row, u64 sum, uint4 v) {
        if (row < count) {
          u32 a = (u32)sum;
          uint4 sums = make_uint4(a, a + v.x, a + v.x + v.y, a + v.x + v.y + v.z);
          if (outVector) {
            *(uint4*)(out + row) = sums;
          } else {
            u32 left = count - row;
            out[row] = sums.x;
            if (left > 1) out[row + 1] = sums.y;
            if (left > 2) out[row + 2] = sums.z;
            if (left > 3) out[row + 3] = sums.w;
          }
        }
      },
      [=](u64 total) {
        out[count] = (u32)total;
        *result = total;
      });
}
