// A place within the bytes of a page, which nothing moves beyond their end, and what can be wrong with a page.
#pragma once
#include "thread/common.cuh"

namespace ara {

// CudaPageOps has a sentence for each.
HOST_SHARED enum PageFault {
  SOUND,
  TOO_SHORT,
  WRONG_NUMBER,
  WRONG_SIZE,
  WRONG_SNAPPY,
  WRONG_WIDTH,
  WRONG_INDEX,
  WRONG_BLOCKS,
  WRONG_COUNT,
  WRONG_DIGITS,
  WRONG_LENGTH,
  WRONG_TEXT,
  WRONG_LZ4,
  WRONG_PREFIX,
};

struct PageCursor {
  const u8* at;
  const u8* end;
  u32 fault;

  __device__ __forceinline__ u64 left() const { return (u64)(end - at); }

  // Steps over bytes and returns where they begin; without a step if there are fewer.
  __device__ __forceinline__ const u8* take(u64 bytes) {
    const u8* start = at;
    if (bytes > left()) {
      fault = TOO_SHORT;
    } else {
      at += bytes;
    }
    return start;
  }

  // A number of up to 64 bits in groups of 7; 0 if there is none.
  __device__ __forceinline__ u64 varlong() {
    u64 value = 0;
    for (u32 shift = 0; shift < 70; shift += 7) {
      if (at >= end) {
        fault = TOO_SHORT;
        return 0;
      }
      u32 next = *at++;
      value |= (u64)(next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    fault = WRONG_NUMBER;
    return 0;
  }

  // One of up to 31 bits.
  __device__ __forceinline__ u32 varint() {
    u64 value = varlong();
    if (value > 0x7fffffffu) {
      fault = WRONG_NUMBER;
      return 0;
    }
    return (u32)value;
  }

  __device__ __forceinline__ i64 zigzag() {
    u64 value = varlong();
    return (i64)(value >> 1 ^ (0 - (value & 1)));
  }
};

}  // namespace ara
