// Snappy's compression undone by a warp; called by whole warps.
//
// All lanes read the tags, at one address each time, and copy together what a tag names. An element depends on those before
// it, so that pages are what work is divided by.
#pragma once
#include "thread/page_cursor.cuh"
#include "warp/copy.cuh"

namespace ara {

// What a tag says: a literal, whose bytes are behind it (offset 0), or a copy of bytes that came out before.
struct SnappyElement {
  u32 length;
  u32 offset;
};

__device__ __forceinline__ u32 little_endian(const u8* p, u32 bytes) {
  u32 value = 0;
  for (u32 i = 0; i < bytes; i++) {
    value |= (u32)p[i] << 8 * i;
  }
  return value;
}

// The next element; a fault if it is not all there, or if its offset is 0.
__device__ __forceinline__ SnappyElement snappy_element(PageCursor& in) {
  u32 tag = *in.take(1);
  u32 kind = tag & 3;
  SnappyElement element = {0, 0};
  if (kind == 0) {
    u32 length = tag >> 2;
    u32 more = length < 60 ? 0 : length - 59;
    const u8* bytes = in.take(more);
    if (in.fault == SOUND) {
      length = more == 0 ? length : little_endian(bytes, more);
      // 2^32 would be 0.
      in.fault = length == ~0u ? WRONG_SNAPPY : SOUND;
      element.length = length + 1;
    }
    return element;
  }
  u32 more = kind == 3 ? 4 : kind;
  const u8* bytes = in.take(more);
  if (in.fault == SOUND) {
    u32 low = little_endian(bytes, more);
    element.length = kind == 1 ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
    element.offset = kind == 1 ? tag >> 5 << 8 | low : low;
    in.fault = element.offset == 0 ? WRONG_SNAPPY : SOUND;
  }
  return element;
}

// Decompresses to exactly `size` bytes at `to`; what is wrong, if anything.
__device__ __forceinline__ u32 snappy(PageCursor in, u8* to, u32 size) {
  u64 promised = in.varlong();
  if (in.fault == SOUND && promised != size) {
    in.fault = WRONG_SIZE;
  }
  u32 done = 0;
  while (in.fault == SOUND && in.at < in.end) {
    SnappyElement element = snappy_element(in);
    if (in.fault != SOUND) {
      break;
    }
    if (element.length > size - done || element.offset > done) {
      return WRONG_SNAPPY;
    }
    if (element.offset == 0) {
      const u8* bytes = in.take(element.length);
      if (in.fault != SOUND) {
        break;
      }
      warp_copy(to + done, bytes, element.length);
    } else {
      // What other lanes have written before is seen from here on.
      __syncwarp();
      const u8* from = to + done - element.offset;
      for (u32 i = lane(); i < element.length; i += 32) {
        // A copy may run into itself: then its beginning comes again and again.
        to[done + i] = from[i < element.offset ? i : i % element.offset];
      }
    }
    done += element.length;
  }
  return in.fault != SOUND ? in.fault : done == size ? SOUND : WRONG_SNAPPY;
}

}  // namespace ara
