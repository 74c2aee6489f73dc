// exclusiveSum, and the offsets of gathered texts.
#pragma once
#include "block/look_back.cuh"
#include "thread/load.cuh"

namespace ara {

// Rows of a warp lie next to each other, in rounds of 128: four a lane. They wait in shared memory while a tile looks
// back: what counts is the bytes that are on their way on each SM, and registers hold fewer of them. Three blocks of 72 KB
// nearly fill it; two of 104 KB took 0.448 ms in place of 0.454 for 2^27 rows on an H200, but many a GPU has 99 KB a block.
HOST_SHARED struct ScanPolicy {
  static constexpr int THREADS = 512;
  static constexpr int ROUNDS = 9;
  static constexpr int LARGE_ROUNDS = 13;
  // Where rows are computed from others, which needs more threads an SM, and has smaller blocks.
  static constexpr int COMPUTED_ROUNDS = 8;
  static constexpr int COMPUTED_THREADS = BlockPolicy::THREADS;
  // Rows of a tile.
  static constexpr int TILE = 4 * THREADS * ROUNDS;
  static constexpr int LARGE_TILE = 4 * THREADS * LARGE_ROUNDS;
  static constexpr int COMPUTED_TILE = 4 * COMPUTED_THREADS * COMPUTED_ROUNDS;
  // Bytes of dynamic shared memory of a row.
  static constexpr int ROW_BYTES = 4;
};

constexpr int WIDE_ROUNDS = ScanPolicy::ROUNDS;
constexpr int LARGE_ROUNDS = ScanPolicy::LARGE_ROUNDS;
constexpr int WIDE_THREADS = ScanPolicy::THREADS;
constexpr int NARROW_ROUNDS = ScanPolicy::COMPUTED_ROUNDS;

// One tile of a scan. `fetch(row, slots, full)` puts four 32-bit values of each round, 0 behind the last row, into slots
// of shared memory that are 32 apart; `full` says that there are rows for all. `store(row, sum, values)` gets the
// exclusive sum of the first and is called by whole warps; `finish(total)` once, by one thread. `memory`: a slot a thread
// and round.
template <int ROUNDS, int T, class Fetch, class Store, class Finish>
__device__ __forceinline__ void scan(
    u32 count, u64* states, uint4* memory, Fetch fetch, Store store, Finish finish) {
  constexpr u32 WARP_ROWS = 128 * ROUNDS;
  constexpr u32 SCAN_TILE = WARP_ROWS * (T / 32);
  u32 tile = blockIdx.x;
  bool last = tile == (count - 1) / SCAN_TILE;
  u32 first = tile * SCAN_TILE + warp() * WARP_ROWS + lane() * 4;
  uint4* mine = memory + warp() * (32 * ROUNDS) + lane();
  fetch(first, mine, !last);
  u64 sum = 0;
#pragma unroll
  for (int j = 0; j < ROUNDS; j++) {
    uint4 v = mine[32 * j];
    sum += (u64)v.x + v.y + v.z + v.w;
  }
  sum = warp_sum(sum);
  u64 total;
  u64 prefix = scan_warps<T / 32>(states, count <= SCAN_TILE, tile, sum, total);
  if (threadIdx.x == 0 && last) {
    finish(total);
  }
  bool narrow = sum >> 32 == 0;
#pragma unroll 4
  for (int j = 0; j < ROUNDS; j++) {
    uint4 v = mine[32 * j];
    u64 before;
    if (narrow) {
      u32 four = v.x + v.y + v.z + v.w;
      u32 upTo = warp_inclusive(four);
      before = prefix + (upTo - four);
      prefix += __shfl_sync(ALL, upTo, 31);
    } else {
      u64 four = (u64)v.x + v.y + v.z + v.w;
      u64 upTo = warp_inclusive(four);
      before = prefix + (upTo - four);
      prefix += __shfl_sync(ALL, upTo, 31);
    }
    store(first + j * 128, before, v);
  }
}

// Puts numbers in memory into slots.
template <int ROUNDS>
__device__ __forceinline__ void fetch_numbers(const u32* in, u32 count, u32 row, uint4* slots, bool full) {
  if (full && aligned16(in)) {
#pragma unroll
    for (int j = 0; j < ROUNDS; j++) {
      copy16(slots + 32 * j, in + row + j * 128);
    }
    copied();
    return;
  }
  for (int j = 0; j < ROUNDS; j++, row += 128) {
    u32 left = row < count ? count - row : 0;
    uint4 v = zero4();
    v.x = left > 0 ? in[row] : 0;
    v.y = left > 1 ? in[row + 1] : 0;
    v.z = left > 2 ? in[row + 2] : 0;
    v.w = left > 3 ? in[row + 3] : 0;
    slots[32 * j] = v;
  }
}

// Writes four 32-bit offsets.
struct Offsets {
  u32* out;
  u32 base;
  u32 count;
  bool vector;

  __device__ __forceinline__ void store(u32 row, u64 sum, uint4 v) const {
    if (row < count) {
      u32 a = base + (u32)sum;
      uint4 sums = make_uint4(a, a + v.x, a + v.x + v.y, a + v.x + v.y + v.z);
      if (vector) {
        __stcs((uint4*)(out + row), sums);
      } else {
        u32 left = count - row;
        out[row] = sums.x;
        if (left > 1) out[row + 1] = sums.y;
        if (left > 2) out[row + 2] = sums.z;
        if (left > 3) out[row + 3] = sums.w;
      }
    }
  }
};

// out[count] and *result are the total.
template <int ROUNDS>
__device__ __forceinline__ void exclusive_sum(
    const u32* in, u32 count, u64* out, u64* states, u64* result, uint4* memory) {
  bool outVector = aligned16(out);
  scan<ROUNDS, WIDE_THREADS>(
      count, states, memory,
      [=](u32 row, uint4* slots, bool full) { fetch_numbers<ROUNDS>(in, count, row, slots, full); },
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

}  // namespace ara
