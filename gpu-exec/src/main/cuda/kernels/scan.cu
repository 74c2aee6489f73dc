// The kernels of exclusiveSum, and of the offsets of gathered texts.
#include "agent/scan.cuh"

using namespace ara;

// All: count > 0.

extern "C" __global__ void __launch_bounds__(WIDE_THREADS, 3) ara_exclusive_sum(
    const u32* in, u32 count, u64* out, u64* states, u64* result) {
  extern __shared__ uint4 scanned[];
  exclusive_sum<WIDE_ROUNDS>(in, count, out, states, result, scanned);
}

// Where a block has room for it.
extern "C" __global__ void __launch_bounds__(WIDE_THREADS, 2) ara_exclusive_sum_large(
    const u32* in, u32 count, u64* out, u64* states, u64* result) {
  extern __shared__ uint4 scanned[];
  exclusive_sum<LARGE_ROUNDS>(in, count, out, states, result, scanned);
}

// The offsets of texts gathered by row ids: out[i] = base + the bytes of the rows before i, for i in 0..count; nulls
// have no bytes. `ids` null: row i; `bits` null: no nulls but ids of -1. *result gets the bytes of all rows.
extern "C" __global__ void __launch_bounds__(THREADS, 6) ara_text_offsets(
    const u32* ids, const u32* bits, const u32* in, u32 count, u32 base, u32* out, u64* states, u64* result) {
  extern __shared__ uint4 scanned[];
  bool vector = aligned16(ids);
  Offsets offsets = {out, base, count, aligned16(out)};
  scan<NARROW_ROUNDS, THREADS>(
      count, states, scanned,
      [=](u32 first, uint4* slots, bool full) {
#pragma unroll
        for (int j = 0; j < NARROW_ROUNDS; j++) {
          u32 row = first + 128 * j;
          u32 left = row < count ? count - row : 0;
          uint4 id = make_uint4(row, row + 1, row + 2, row + 3);
          if (ids != nullptr && full) {
            id = load4(ids + row, vector);
          } else if (ids != nullptr) {
            id.x = left > 0 ? ids[row] : 0;
            id.y = left > 1 ? ids[row + 1] : 0;
            id.z = left > 2 ? ids[row + 2] : 0;
            id.w = left > 3 ? ids[row + 3] : 0;
          }
          auto length = [=](u32 k, u32 i) {
            return k < left && (int)i >= 0 && (bits == nullptr || bit(bits, i)) ? in[i + 1] - in[i] : 0;
          };
          slots[32 * j] = make_uint4(length(0, id.x), length(1, id.y), length(2, id.z), length(3, id.w));
        }
      },
      [=](u32 row, u64 sum, uint4 v) { offsets.store(row, sum, v); },
      [=](u64 total) {
        out[count] = base + (u32)total;
        *result = total;
      });
}

// The offsets of texts by their lengths: out[i] = the lengths before i, for i in 0..count. *result gets the sum of all;
// beyond 2^31 - 1 the offsets are void.
extern "C" __global__ void __launch_bounds__(WIDE_THREADS, 3) ara_length_offsets(
    const u32* lengths, u32 count, u32* out, u64* states, u64* result) {
  extern __shared__ uint4 scanned[];
  Offsets offsets = {out, 0, count, aligned16(out)};
  scan<WIDE_ROUNDS, WIDE_THREADS>(
      count, states, scanned,
      [=](u32 row, uint4* slots, bool full) { fetch_numbers<WIDE_ROUNDS>(lengths, count, row, slots, full); },
      [=](u32 row, u64 sum, uint4 v) { offsets.store(row, sum, v); },
      [=](u64 total) {
        out[count] = (u32)total;
        *result = total;
      });
}
