// Bytes of texts gathered by row ids, split evenly over blocks by merge path.
#pragma once
#include "block/max_scan.cuh"

namespace ara {

// Rows, or words, of a thread whose loads are in flight together.
constexpr int BATCH = 4;

// One tile of bytes. `source.delta(row, begin)` is what leads from a byte's place in the output to the byte in the
// input, for a row whose output begins at `begin`; `source.at(delta, place)` goes there.
template <class Source>
__device__ __forceinline__ void copy_texts(Source source, const u32* offsets, u32 rows, const u32* starts, u8* out) {
  // For each byte of the tile the row it belongs to, counted from 1 in the tile; for each of these rows its delta.
  __shared__ __align__(16) u16 slots[SPLIT_TILE];
  __shared__ typename Source::Delta deltas[SPLIT_TILE + 2];
  u32 base = offsets[0];
  u32 bytes = offsets[rows] - base;
  u32 firstRow = starts[blockIdx.x];
  u32 lastRow = starts[blockIdx.x + 1];
  u64 end = (u64)rows + bytes;
  u64 from = (u64)blockIdx.x * SPLIT_TILE;
  u64 to = from + SPLIT_TILE < end ? from + SPLIT_TILE : end;
  u32 first = (u32)(from - firstRow);
  u32 count = (u32)(to - lastRow) - first;
  if (count == 0) {
    return;
  }
#pragma unroll
  for (u32 k = threadIdx.x; k < SPLIT_TILE / 8; k += THREADS) {
    ((uint4*)slots)[k] = zero4();
  }
  __syncthreads();
  lastRow = lastRow < rows ? lastRow : rows - 1;
  for (u32 some = firstRow + threadIdx.x; some <= lastRow; some += BATCH * THREADS) {
    u32 begin[BATCH];
    u32 stop[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      u32 row = some + k * THREADS;
      bool there = row <= lastRow;
      begin[k] = there ? __ldg(offsets + row) - base : 0;
      stop[k] = there ? __ldg(offsets + row + 1) - base : 0;
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      if (begin[k] < stop[k] && stop[k] > first && begin[k] < first + count) {
        u32 local = some + k * THREADS - firstRow + 1;
        deltas[local] = source.delta(some + k * THREADS, begin[k]);
        slots[begin[k] < first ? 0 : begin[k] - first] = (u16)local;
      }
    }
  }
  __syncthreads();
  max_scan(slots);
  u8* target = out + base + first;
  auto byte = [&](u32 k) { return __ldg(source.at(deltas[slots[k]], first + k)); };
  // Whole aligned words of the output; in the words at the ends there are bytes of neighbours.
  u32 head = (u32)(0 - (u64)target) & 3;
  head = head < count ? head : count;
  u32 words = (count - head) / 4;
  for (u32 some = threadIdx.x; some < words; some += BATCH * THREADS) {
    u32 value[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      u32 word = some + j * THREADS;
      u32 k = head + 4 * (word < words ? word : some);
      u32 local = slots[k];
      if (local == slots[k + 3]) {
        const u8* p = source.at(deltas[local], first + k);
        const u32* q = (const u32*)((u64)p & ~3ull);
        u32 shift = (u32)((u64)p & 3) * 8;
        u32 low = __ldg(q);
        value[j] = shift == 0 ? low : __funnelshift_r(low, __ldg(q + 1), shift);
      } else {
        value[j] = (u32)byte(k) | (u32)byte(k + 1) << 8 | (u32)byte(k + 2) << 16 | (u32)byte(k + 3) << 24;
      }
    }
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      u32 word = some + j * THREADS;
      if (word < words) {
        ((u32*)(target + head))[word] = value[j];
      }
    }
  }
  if (threadIdx.x < head) {
    target[threadIdx.x] = byte(threadIdx.x);
  }
  u32 tail = head + 4 * words + threadIdx.x;
  if (tail < count) {
    target[tail] = byte(tail);
  }
}

// Texts of a column.
struct ColumnTexts {
  typedef u32 Delta;
  const u8* in;
  const u32* offsets;
  const u32* ids;

  __device__ __forceinline__ u32 delta(u32 row, u32 begin) const {
    return __ldg(offsets + (ids == nullptr ? row : __ldg(ids + row))) - begin;
  }

  __device__ __forceinline__ const u8* at(u32 delta, u32 place) const { return in + (delta + place); }
};

// Texts that lie anywhere.
struct PlacedTexts {
  typedef u64 Delta;
  const u64* addresses;

  __device__ __forceinline__ u64 delta(u32 row, u32 begin) const { return __ldg(addresses + row) - begin; }

  __device__ __forceinline__ const u8* at(u64 delta, u32 place) const { return (const u8*)(delta + place); }
};

}  // namespace ara
