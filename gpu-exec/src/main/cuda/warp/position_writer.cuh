// Positions of rows that are found, on their way out of a warp.
#pragma once
#include "thread/common.cuh"

namespace ara {

HOST_SHARED struct PositionsPolicy {
  // Rows that a warp tests together: a word of 32 a lane.
  static constexpr u32 UNIT = 1024;
};

constexpr u32 UNIT = PositionsPolicy::UNIT;

// The bits of `row` and the 31 rows behind it that are rows.
__device__ __forceinline__ u32 inside(u32 row, u32 count) {
  u32 left = row < count ? count - row : 0;
  return left >= 32 ? ALL : (1u << left) - 1;
}

// Of more positions in a unit, a lane looks at all its bits; of fewer, at those that are on.
constexpr u32 DENSE = 320;

// Positions of one warp on their way out. They wait in shared memory as 16-bit numbers of the warp's rows: there is room for
// so many, and for what brings the first to a multiple of 16 bytes in the output.
//
// Where most rows are found, a lane writes those of its word, or, with BY_ROWS, one of each lane's word, which are side by side
// then; words must be in shared memory for that. Else a word is left out behind each 32: lanes that write at distances of about
// as many, since nearly all rows are found, would meet in two banks.
template <u32 ROOM, bool BY_ROWS = false>
struct Writer {
  static_assert(ROOM >= UNIT, "a unit fits");
  // Of 16 bits each.
  static constexpr u32 ROOMS = BY_ROWS ? ROOM + 32 : (ROOM + 32) / 32 * 34;

  u16* waiting;
  u32* out;
  u32 first;
  u32 held;
  u32 shift;

  __device__ __forceinline__ Writer(u16* room, u32* to, u32 firstRow)
      : waiting(room), out(to), first(firstRow), held(0), shift((u32)((u64)to >> 2) & 3) {}

  // Called by whole warps: `n` rows of a unit, which begins `unit` rows behind the first; those of this lane's word come
  // behind `before` others. `words` are those of all lanes, if BY_ROWS.
  __device__ __forceinline__ void add(u32 word, const u32* words, u32 unit, u32 before, u32 n) {
    if (held + n > ROOM) {
      flush();
    }
    u32 number = shift + held + before;
    u32 row = unit + lane() * 32;
    if (BY_ROWS && n > DENSE) {
      u32 bit = 1u << lane();
#pragma unroll
      for (u32 k = 0; k < 32; k += 4) {
        uint4 four = *(const uint4*)(words + k);
        u32 some[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (u32 q = 0; q < 4; q++) {
          u32 at = __shfl_sync(ALL, number, k + q) + __popc(some[q] & (bit - 1));
          if (some[q] & bit) {
            waiting[at] = (u16)(unit + 32 * (k + q) + lane());
          }
        }
      }
    } else if (n > DENSE) {
#pragma unroll
      for (u32 k = 0; k < 32; k++) {
        if (word >> k & 1) {
          waiting[slot(number++)] = (u16)(row + k);
        }
      }
    } else {
      for (u32 left = word; left != 0; left &= left - 1) {
        waiting[slot(number++)] = (u16)(row + __ffs(left) - 1);
      }
    }
    held += n;
  }

  static __device__ __forceinline__ u32 slot(u32 number) { return BY_ROWS ? number : number + 2 * (number / 32); }

  __device__ __forceinline__ void flush() {
    __syncwarp();
    u32* line = out - shift;
    u32 end = shift + held;
    for (u32 i = lane() * 4; i < end; i += 128) {
      const u32* pairs = (const u32*)(waiting + slot(i));
      u32 low = pairs[0];
      u32 high = pairs[1];
      uint4 p = make_uint4(first + (low & 0xffff), first + (low >> 16), first + (high & 0xffff), first + (high >> 16));
      if (i >= shift && i + 4 <= end) {
        __stcs((uint4*)(line + i), p);
      } else {
        // What is before and behind belongs to others.
        if (i >= shift) line[i] = p.x;
        if (i + 1 >= shift && i + 1 < end) line[i + 1] = p.y;
        if (i + 2 >= shift && i + 2 < end) line[i + 2] = p.z;
        if (i + 3 >= shift && i + 3 < end) line[i + 3] = p.w;
      }
    }
    __syncwarp();
    out += held;
    shift = (shift + held) & 3;
    held = 0;
  }
};

}  // namespace ara
