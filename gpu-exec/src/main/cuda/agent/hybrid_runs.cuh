// The hybrid of run lengths and bit packing that levels and dictionary indices are in, read by a block.
//
// A thread reads the headers of some runs, one after the other, into shared memory; then all threads take the runs' values.
#pragma once
#include "thread/bytes.cuh"
#include "thread/page_cursor.cuh"

namespace ara {

struct HybridRuns {
  static constexpr u32 MOST = 128;

  // The first value of each run, and behind the last.
  u32 firsts[MOST + 1];
  // Where its bits begin, or the value that it repeats.
  u32 places[MOST];
  u32 repeated[MOST / 32];
  u32 count;
  u32 fault;

  // Called by one thread: the headers of the next runs, of values from `done` on.
  __device__ __forceinline__ void read(PageCursor& in, const u8* page, u32 width, u32 done, u32 total) {
    u32 n = 0;
    for (u32 i = 0; i < MOST / 32; i++) {
      repeated[i] = 0;
    }
    while (n < MOST && done < total && in.fault == SOUND) {
      u32 header = in.varint();
      bool packed = header & 1;
      u64 length = packed ? (u64)(header >> 1) * 8 : header >> 1;
      u32 taken = (u32)(length < total - done ? length : total - done);
      u32 place = (u32)(in.at - page);
      if (in.fault != SOUND) {
        break;
      }
      if (packed) {
        // Some writers cut the last group off where its values end.
        if (((u64)taken * width + 7) / 8 > in.left()) {
          in.fault = TOO_SHORT;
          break;
        }
        u64 bytes = length / 8 * width;
        in.take(bytes < in.left() ? bytes : in.left());
      } else {
        u32 bytes = (width + 7) / 8;
        const u8* value = in.take(bytes);
        if (in.fault != SOUND) {
          break;
        }
        place = 0;
        for (u32 i = 0; i < bytes; i++) {
          place |= (u32)value[i] << 8 * i;
        }
      }
      if (taken > 0) {
        firsts[n] = done;
        places[n] = place;
        repeated[n / 32] |= packed ? 0 : 1u << n % 32;
        n++;
        done += taken;
      }
    }
    firsts[n] = done;
    count = n;
    fault = in.fault;
  }

  // A value of these runs.
  __device__ __forceinline__ u32 value(const u8* page, u32 width, u32 i) const {
    u32 low = 0;
    u32 high = count;
    while (high - low > 1) {
      u32 middle = (low + high) / 2;
      if (firsts[middle] <= i) {
        low = middle;
      } else {
        high = middle;
      }
    }
    if (bit(repeated, low)) {
      return places[low];
    }
    return bits32(page + places[low], (u64)(i - firsts[low]) * width, width);
  }
};

// Hands out `total` values in runs: take(from, to, runs) is called by all threads for those of each. Called by all threads;
// `in` counts in thread 0. What is wrong, if anything, in all threads.
template <class Take>
__device__ __forceinline__ u32 hybrid(HybridRuns& runs, PageCursor in, const u8* page, u32 width, u32 total, Take take) {
  for (u32 done = 0; done < total;) {
    if (threadIdx.x == 0) {
      runs.read(in, page, width, done, total);
    }
    __syncthreads();
    u32 fault = runs.fault;
    u32 end = runs.firsts[runs.count];
    if (fault == SOUND) {
      take(done, end, runs);
    }
    __syncthreads();
    if (fault != SOUND) {
      return fault;
    }
    done = end;
  }
  return SOUND;
}

}  // namespace ara
