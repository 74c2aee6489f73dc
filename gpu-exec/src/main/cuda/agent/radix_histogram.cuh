// Counts of the digits of keys, up to eight digits at once, for the radix sort.
#pragma once
#include "warp/reduce.cuh"

namespace ara {

HOST_SHARED struct RadixHistogramPolicy {
  static constexpr int ITEMS = 8;
  static constexpr int TILE = BlockPolicy::THREADS * ITEMS;
  // Digits at once, and the bits of one.
  static constexpr int DIGITS = 8;
  static constexpr int DIGIT_BITS = 8;
  static constexpr int BINS = 1 << DIGIT_BITS;
};

constexpr int ITEMS = RadixHistogramPolicy::ITEMS;
constexpr u32 HISTOGRAM_TILE = RadixHistogramPolicy::TILE;
constexpr int DIGITS = RadixHistogramPolicy::DIGITS;
constexpr int BINS = RadixHistogramPolicy::BINS;

// `shifts` and `bits` have a byte a digit; bins[digit][value], zeroed before. *varying gets the bits in which keys
// differ. A warp in which all keys agree in a digit counts them at once, so that constant digits cost nothing.
template <class K>
__device__ __forceinline__ void digit_counts(
    const K* keys, u32 count, u64 shifts, u64 bits, u32 digits, u32* bins, u64* varying) {
  __shared__ u32 counts[DIGITS * BINS];
  for (u32 i = threadIdx.x; i < digits * BINS; i += THREADS) {
    counts[i] = 0;
  }
  __syncthreads();
  u64 differs = 0;
  K origin = keys[0];
  u64 step = (u64)gridDim.x * HISTOGRAM_TILE;
  for (u64 tile = (u64)blockIdx.x * HISTOGRAM_TILE; tile < count; tile += step) {
    u64 warpFirst = tile + warp() * (32 * ITEMS);
    if (warpFirst >= count) {
      continue;
    }
    u32 left = count - warpFirst < 32 * ITEMS ? (u32)(count - warpFirst) : 32 * ITEMS;
    K key[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      key[k] = k * 32 + lane() < left ? __ldg(keys + warpFirst + k * 32 + lane()) : 0;
    }
    K first = __shfl_sync(ALL, key[0], 0);
    u64 spread = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      spread |= k * 32 + lane() < left ? key[k] ^ first : 0;
    }
    spread = warp_or(spread);
    differs |= spread | (first ^ origin);
    for (u32 d = 0; d < digits; d++) {
      u32 shift = (u32)(shifts >> (8 * d)) & 63;
      u32 mask = (1u << ((u32)(bits >> (8 * d)) & 15)) - 1;
      if (((u32)(spread >> shift) & mask) == 0) {
        if (lane() == 0) {
          atomicAdd(counts + d * BINS + ((u32)(first >> shift) & mask), left);
        }
      } else if (left == 32 * ITEMS) {
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
          atomicAdd(counts + d * BINS + ((u32)(key[k] >> shift) & mask), 1u);
        }
      } else {
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
          if (k * 32 + lane() < left) {
            atomicAdd(counts + d * BINS + ((u32)(key[k] >> shift) & mask), 1u);
          }
        }
      }
    }
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < digits * BINS; i += THREADS) {
    if (counts[i] != 0) {
      atomicAdd(bins + i, counts[i]);
    }
  }
  if (varying != nullptr && lane() == 0 && differs != 0) {
    atomicOr(varying, differs);
  }
}

}  // namespace ara
