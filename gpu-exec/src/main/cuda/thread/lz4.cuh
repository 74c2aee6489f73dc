// LZ4's sequences in a block: a literal, and a copy behind it in all but the last.
#pragma once
#include "thread/bytes.cuh"
#include "thread/lz_element.cuh"

namespace ara {

struct Lz4 {
  static constexpr u32 WRONG = WRONG_LZ4;
  static constexpr u32 LONG = 15;
  static constexpr u32 LEAST_COPY = 4;

  // The rest of a length, whose bytes begin at `at`; they end before `end`, or do not matter.
  static __device__ __forceinline__ u64 more(const u8* tile, u64& at, u32 end) {
    u64 length = 0;
    u32 last = 255;
    while (last == 255 && at < end) {
      last = tile[at++];
      length += last;
    }
    return length;
  }

  // Where the sequence behind the one at `from` begins, if that is before `end`; at least 2 bytes on.
  static __device__ __forceinline__ u64 next(const u8* tile, u32 from, u32 end) {
    u32 token = tile[from];
    u64 at = from + 1;
    u64 literals = token >> 4;
    literals += literals == LONG ? more(tile, at, end) : 0;
    at += literals + 2;
    if ((token & 15) == LONG) {
      more(tile, at, end);
    }
    return at;
  }

  // The size is the page's alone; a block of no values is a token.
  static __device__ __forceinline__ void size(PageCursor& in, u32) {
    if (in.at == in.end) {
      in.fault = TOO_SHORT;
    }
  }

  static __device__ __forceinline__ u64 length(PageCursor& in, u32 first) {
    u64 length = first;
    u32 last = first == LONG ? 255 : 0;
    while (last == 255 && in.fault == SOUND) {
      const u8* byte = in.take(1);
      last = in.fault == SOUND ? *byte : 0;
      length += last;
    }
    return length;
  }

  // Steps over a sequence.
  static __device__ __forceinline__ LzElement take(PageCursor& in) {
    LzElement element = {in.at, 0, 0, 0};
    u32 token = *in.take(1);
    u64 literals = length(in, token >> 4);
    element.literal = in.take(literals);
    element.literals = (u32)literals;
    if (in.fault != SOUND || in.at == in.end) {
      return element;
    }
    const u8* offset = in.take(2);
    if (in.fault == SOUND) {
      element.offset = offset[0] | (u32)offset[1] << 8;
      u64 copied = length(in, token & 15) + LEAST_COPY;
      // More than any page has.
      element.copied = copied > ~0u >> 1 ? ~0u >> 1 : (u32)copied;
    }
    return element;
  }
};

}  // namespace ara
