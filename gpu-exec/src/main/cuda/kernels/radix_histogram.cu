// The kernels that count digits.
#include "agent/bin_starts.cuh"
#include "agent/radix_histogram.cuh"
#include "thread/search.cuh"

using namespace ara;

extern "C" __global__ void __launch_bounds__(THREADS) ara_digits_4(
    const u32* keys, u32 count, u64 shifts, u64 bits, u32 digits, u32* bins, u64* varying) {
  digit_counts(keys, count, shifts, bits, digits, bins, varying);
}

extern "C" __global__ void __launch_bounds__(THREADS) ara_digits_8(
    const u64* keys, u32 count, u64 shifts, u64 bits, u32 digits, u32* bins, u64* varying) {
  digit_counts(keys, count, shifts, bits, digits, bins, varying);
}

// A block a digit: counts of its 256 values become starts. `offsets`, unless null, gets the starts of the first `parts`
// of digit 0, followed by `count`.
extern "C" __global__ void __launch_bounds__(BINS) ara_digit_starts(u32* bins, u32* offsets, u32 parts, u32 count) {
  bin_starts<BINS>(bins, offsets, parts, count);
}

// Where the partitions of keys lie that are in the order of a digit: offsets[p] keys have a smaller one than p.
extern "C" __global__ void __launch_bounds__(THREADS) ara_digit_bounds(
    const u64* keys, u32 count, u32 shift, u32 bits, u32* offsets) {
  u64 parts = 1ull << bits;
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 part = (u64)blockIdx.x * THREADS + threadIdx.x; part <= parts; part += step) {
    offsets[part] = lower_bound(0u, count, [=](u32 i) { return (keys[i] >> shift & (parts - 1)) < part; });
  }
}
