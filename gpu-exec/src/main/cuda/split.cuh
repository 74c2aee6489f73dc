// Merge path (Odeh, Green et al.) over rows and what they expand to: a tile takes so many rows and outputs together,
// so that neither long ranges nor millions of empty ones make a tile long.
//
// The path consumes a row once its range has ended, `end(row) <= output`, and an output otherwise. The outputs of a tile
// therefore belong to its rows from the first one to the one that it ends in, inclusive.
#pragma once
#include "common.cuh"

namespace ara {

constexpr u32 SPLIT_TILE = 4096;

// The rows that lie before diagonal `at` of `rows` rows and `outputs` outputs.
template <class End>
__device__ __forceinline__ u32 split(u64 at, u32 rows, u64 outputs, End end) {
  u64 low = at > outputs ? at - outputs : 0;
  u64 high = at < rows ? at : rows;
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (end((u32)middle) <= at - 1 - middle) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (u32)low;
}

// Each slot the largest slot up to it. `slots` has SPLIT_TILE entries.
__device__ __forceinline__ void max_scan(u16* slots) {
  constexpr int PER = SPLIT_TILE / THREADS;
  __shared__ u32 largest[WARPS];
  u32 mine[PER];
  u32 value = 0;
#pragma unroll
  for (int k = 0; k < PER; k++) {
    u32 slot = slots[threadIdx.x * PER + k];
    value = slot > value ? slot : value;
    mine[k] = value;
  }
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    u32 other = __shfl_up_sync(ALL, value, step);
    value = lane() >= step && other > value ? other : value;
  }
  if (lane() == 31) {
    largest[warp()] = value;
  }
  u32 before = __shfl_up_sync(ALL, value, 1);
  before = lane() == 0 ? 0 : before;
  __syncthreads();
  for (u32 w = 0; w < warp(); w++) {
    before = largest[w] > before ? largest[w] : before;
  }
#pragma unroll
  for (int k = 0; k < PER; k++) {
    slots[threadIdx.x * PER + k] = (u16)(mine[k] > before ? mine[k] : before);
  }
  __syncthreads();
}

}  // namespace ara
