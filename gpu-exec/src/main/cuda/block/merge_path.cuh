// Merge path (Odeh, Green et al.) over rows and what they expand to: a tile takes so many rows and outputs together,
// so that neither long ranges nor millions of empty ones make a tile long.
//
// The path consumes a row once its range has ended, `end(row) <= output`, and an output otherwise. The outputs of a tile
// therefore belong to its rows from the first one to the one that it ends in, inclusive.
#pragma once
#include "thread/common.cuh"

namespace ara {

constexpr u32 SPLIT_TILE = 4096;

// The rows that lie before diagonal `at` of `rows` rows and `outputs` outputs.
template <class End>
__device__ __forceinline__ u32 split(u64 at, u32 rows, u64 outputs, End end) {
  u64 low = at > outputs ? at - outputs : 0;
  u64 high = at < rows ? at : rows;
  auto passed = [=](u64 row) { return end((u32)row) <= at - 1 - row; };
  // Three rows are asked for at once: the way down is a chain of accesses, of which this takes half.
  while (high - low > 3) {
    u64 quarter = (high - low) / 4;
    u64 first = low + quarter;
    u64 second = first + quarter;
    u64 third = second + quarter;
    bool one = passed(first);
    bool two = passed(second);
    bool three = passed(third);
    low = three ? third + 1 : two ? second + 1 : one ? first + 1 : low;
    high = three ? high : two ? third : one ? second : first;
  }
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (passed(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (u32)low;
}

// Each slot the largest slot up to it. `slots` has SPLIT_TILE entries and lies on a multiple of 16 bytes: a thread has 16
// neighbours, in two accesses of 16 bytes, since 2-byte ones at this distance would meet in the same banks.
__device__ __forceinline__ void max_scan(u16* slots) {
  constexpr int WORDS = SPLIT_TILE / THREADS / 2;
  static_assert(WORDS == 8, "two accesses of four words");
  __shared__ u32 largest[WARPS];
  uint4* mine = (uint4*)slots + 2 * threadIdx.x;
  uint4 low = mine[0];
  uint4 high = mine[1];
  u32 words[WORDS] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  u32 value = 0;
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    u32 first = words[k] & 0xffff;
    u32 second = words[k] >> 16;
    first = first > value ? first : value;
    value = second > first ? second : first;
    words[k] = value << 16 | first;
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
#pragma unroll
  for (u32 w = 0; w < WARPS - 1; w++) {
    u32 other = largest[w];
    before = w < warp() && other > before ? other : before;
  }
  before |= before << 16;
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    words[k] = __vmaxu2(words[k], before);
  }
  mine[0] = make_uint4(words[0], words[1], words[2], words[3]);
  mine[1] = make_uint4(words[4], words[5], words[6], words[7]);
  __syncthreads();
}

}  // namespace ara
