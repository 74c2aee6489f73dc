// The kernels of runLengthEncode.
#include "agent/run_length_encode.cuh"

using namespace ara;

// All but ara_select_write: count > 0; `bits` has room for all tiles' rows and `counts` for a number of 16 bits of each, on a
// multiple of 16 bytes. One tile needs no counts, but the dynamic shared memory of ara_select_write.

// Starts of runs of equal keys.
extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_run_starts(
    const u64* keys, u32 count, u32 units, u32* bits, u16* counts, u32* out, u32 end, u64* result) {
  extern __shared__ __align__(16) u16 rooms[];
  Runs<u64, false> source = {keys, count};
  mark(source, count, units, bits, counts, RunStarts{out, end, result, nullptr}, rooms);
}

extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_run_starts_4(
    const u32* keys, u32 count, u32 units, u32* bits, u16* counts, u32* out, u32 end, u64* result) {
  extern __shared__ __align__(16) u16 rooms[];
  Runs<u32, false> source = {keys, count};
  mark(source, count, units, bits, counts, RunStarts{out, end, result, nullptr}, rooms);
}

// The same of words and of integers that should ascend; *falls, which is 0 before, becomes 1 if they do not.
extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_ascending_runs(
    const u64* keys, u32* falls, u32 count, u32 units, u32* bits, u16* counts, u32* out, u32 end, u64* result) {
  extern __shared__ __align__(16) u16 rooms[];
  Runs<u64, true> source = {keys, count};
  mark(source, count, units, bits, counts, RunStarts{out, end, result, falls}, rooms);
}

extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_ascending_runs_4(
    const int* keys, u32* falls, u32 count, u32 units, u32* bits, u16* counts, u32* out, u32 end, u64* result) {
  extern __shared__ __align__(16) u16 rooms[];
  Runs<int, true> source = {keys, count};
  mark(source, count, units, bits, counts, RunStarts{out, end, result, falls}, rooms);
}

// The positions of the bits that are on: `per` tiles of `tiles` a block.
extern "C" __global__ void __launch_bounds__(THREADS, 6) ara_select_write(
    const u32* bits, const u16* counts, u32 tiles, u32 per, u32 count, u32 units, u32* out, u32 end, u64* result,
    u32* falls) {
  extern __shared__ __align__(16) u16 rooms[];
  __shared__ u32 sums[WARPS];
  u32 tile = blockIdx.x * per;
  u32 words[UNITS];
  load_units(bits, first_row(tile, units), units, count, words);
  u32 before = 0;
  for (u32 i = 8 * threadIdx.x; i < tile; i += 8 * THREADS) {
    uint4 v = __ldg((const uint4*)(counts + i));
    u32 pairs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
      before += i + 2 * k < tile ? pairs[k] & 0xffff : 0;
      before += i + 2 * k + 1 < tile ? pairs[k] >> 16 : 0;
    }
  }
  u32 base = block_sum(before, sums);
  u32 stop = tile + per < tiles ? tile + per : tiles;
  while (true) {
    base += write_tile(words, first_row(tile, units), base, out, rooms);
    if (++tile >= stop) {
      break;
    }
    load_units(bits, first_row(tile, units), units, count, words);
  }
  if (stop == tiles) {
    RunStarts{out, end, result, falls}.finish(base);
  }
}
