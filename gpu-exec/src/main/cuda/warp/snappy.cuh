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

// The next element, whose first eight bytes are `head`; a fault if it is not all there, or if its offset is 0.
__device__ __forceinline__ SnappyElement snappy_element(PageCursor& in, u64 head) {
  u32 tag = (u32)head & 0xff;
  u32 kind = tag & 3;
  u32 length = tag >> 2;
  u32 more = kind == 3 ? 4 : kind != 0 ? kind : length < 60 ? 0 : length - 59;
  SnappyElement element = {0, 0};
  in.take(1 + more);
  if (in.fault != SOUND) {
    return element;
  }
  u32 low = more == 0 ? 0 : (u32)(head >> 8) & ~0u >> (32 - 8 * more);
  if (kind == 0) {
    length = more == 0 ? length : low;
    // 2^32 would be 0.
    in.fault = length == ~0u ? WRONG_SNAPPY : SOUND;
    element.length = length + 1;
  } else {
    element.length = kind == 1 ? (tag >> 2 & 7) + 4 : length + 1;
    element.offset = kind == 1 ? tag >> 5 << 8 | low : low;
    in.fault = element.offset == 0 ? WRONG_SNAPPY : SOUND;
  }
  return element;
}

// The next element with its literal taken, if it is one; what is wrong is in the cursor. `head` becomes that of the element
// behind it, which is on its way while this one's bytes are copied.
__device__ __forceinline__ SnappyElement snappy_take(PageCursor& in, u64& head) {
  SnappyElement element = snappy_element(in, head);
  if (in.fault == SOUND && element.offset == 0) {
    in.take(element.length);
  }
  if (in.fault == SOUND) {
    head = bytes8(in.at);
  }
  return element;
}

// Decompresses elements to exactly `size` bytes at `to`, without a look at what came out before them; what is wrong, if anything.
__device__ __forceinline__ u32 snappy_elements(PageCursor in, u8* to, u32 size) {
  u32 done = 0;
  u64 head = bytes8(in.at);
  while (in.at < in.end) {
    SnappyElement element = snappy_take(in, head);
    if (in.fault != SOUND) {
      return in.fault;
    }
    if (element.length > size - done || element.offset > done) {
      return WRONG_SNAPPY;
    }
    if (element.offset == 0) {
      warp_copy(to + done, in.at - element.length, element.length);
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
  return done == size ? SOUND : WRONG_SNAPPY;
}

// Steps over how many bytes there are; what is wrong, if they are others than `size`.
__device__ __forceinline__ void snappy_size(PageCursor& in, u32 size) {
  u64 promised = in.varlong();
  if (in.fault == SOUND && promised != size) {
    in.fault = WRONG_SIZE;
  }
}

// Decompresses to exactly `size` bytes at `to`; what is wrong, if anything.
__device__ __forceinline__ u32 snappy(PageCursor in, u8* to, u32 size) {
  snappy_size(in, size);
  return in.fault == SOUND ? snappy_elements(in, to, size) : in.fault;
}

}  // namespace ara
