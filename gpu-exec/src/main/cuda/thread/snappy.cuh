// Snappy's elements: tags, each with a literal behind it or with a copy.
#pragma once
#include "thread/bytes.cuh"
#include "thread/lz_element.cuh"

namespace ara {

struct Snappy {
  static constexpr u32 WRONG = WRONG_SNAPPY;

  // Bytes of a tag's numbers behind it.
  static __device__ __forceinline__ u32 more(u32 tag) {
    u32 kind = tag & 3;
    return kind == 3 ? 4 : kind != 0 ? kind : tag >> 2 < 60 ? 0 : (tag >> 2) - 59;
  }

  // Where the element behind the one at `at` begins, if that is before `end`; at least 2 bytes on.
  static __device__ __forceinline__ u64 next(const u8* tile, u32 at, u32 end) {
    u32 tag = tile[at];
    u32 numbers = more(tag);
    if ((tag & 3) != 0) {
      return at + 1 + numbers;
    }
    if (numbers == 0) {
      return at + 2 + (tag >> 2);
    }
    u64 length = 0;
    for (u32 i = 0; i < numbers && at + 1 + i < end; i++) {
      length |= (u64)tile[at + 1 + i] << 8 * i;
    }
    return at + 2 + numbers + length;
  }

  // Steps over how many bytes come out.
  static __device__ __forceinline__ void size(PageCursor& in, u32 size) {
    u64 promised = in.varlong();
    if (in.fault == SOUND && promised != size) {
      in.fault = WRONG_SIZE;
    }
  }

  // Steps over an element.
  static __device__ __forceinline__ LzElement take(PageCursor& in) {
    LzElement element = {in.at, 0, 0, 0};
    u64 head = bytes8(in.at);
    u32 tag = (u32)head & 0xff;
    u32 numbers = more(tag);
    in.take(1 + numbers);
    if (in.fault != SOUND) {
      return element;
    }
    u32 low = numbers == 0 ? 0 : (u32)(head >> 8) & ~0u >> (32 - 8 * numbers);
    if ((tag & 3) == 0) {
      u64 length = (u64)(numbers == 0 ? tag >> 2 : low) + 1;
      element.literal = in.take(length);
      element.literals = (u32)length;
    } else {
      bool narrow = (tag & 3) == 1;
      element.copied = narrow ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
      element.offset = narrow ? tag >> 5 << 8 | low : low;
    }
    return element;
  }
};

}  // namespace ara
