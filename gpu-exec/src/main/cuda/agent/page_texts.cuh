// The texts of a page whose lengths are known, copied to where their offsets say, and checked to be UTF-8.
#pragma once
#include "agent/page.cuh"

namespace ara {

// Bytes that follow the first one of a character; -1 if no character begins so.
__device__ __forceinline__ int utf8_more(u32 first) {
  return first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
}

// Whether the character that a byte belongs to is one; a text of which this is true of each byte is UTF-8.
__device__ __forceinline__ bool utf8_at(const u8* text, u32 length, u32 i) {
  u32 first = text[i];
  if (first < 0x80) {
    return true;
  }
  if (first < 0xc0) {
    // Its character begins up to 3 bytes before.
    u32 back = 1;
    while (back < 3 && back < i && (text[i - back] & 0xc0) == 0x80) {
      back++;
    }
    return back <= i && text[i - back] >= 0xc0 && utf8_more(text[i - back]) >= (int)back;
  }
  int more = utf8_more(first);
  if (more < 0 || (u32)more >= length - i) {
    return false;
  }
  u32 second = text[i + 1];
  u32 least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  u32 most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  bool valid = second >= least && second <= most;
  for (int k = 2; k <= more; k++) {
    valid &= (text[i + k] & 0xc0) == 0x80;
  }
  return valid;
}

// The end of a page's differences, which have been found to be sound; `end` if there are none.
__device__ __forceinline__ const u8* behind_differences(PageMemory& memory, const u8* from, const u8* end) {
  if (warp() == 0) {
    PageCursor in = {from, from < end ? end : from, SOUND};
    PageCursor head = in;
    head.varint();
    head.varint();
    u32 fault = warp_differences(in, head.varint(), [](u32, u64) {});
    if (lane() == 0) {
      memory.left = fault == SOUND ? in.left() : 0;
    }
  }
  __syncthreads();
  return end - memory.left;
}

// Called by whole warps, of which each copies the texts of 32 rows.
__device__ __forceinline__ u32 page_texts(
    PageMemory& memory, const u8* in, const PageArgs& args, const u32* offsets, const u32* validity, u8* out) {
  const u8* from = in + args.offset;
  const u8* end = from + args.bytes;
  if (threadIdx.x == 0) {
    memory.wrong = SOUND;
  }
  if (args.levelBytes == LENGTH_FIRST) {
    from += args.bytes < 4 ? 0 : 4 + (u64)bytes4(from);
  } else if (args.levelBytes != NO_LEVELS) {
    from += args.levelBytes;
  }
  const u32* at = offsets + args.firstRow;
  u32 begin = at[0];
  // Bytes in front of each text, or of all of them.
  bool plain = args.encoding == PLAIN;
  if (!plain) {
    from = behind_differences(memory, from, end);
  }
  u32 fault = SOUND;
  u32 before = 0;
  for (u32 done = 0; done < args.rows; done += THREADS) {
    u32 row = done + threadIdx.x;
    u32 bit = args.firstRow + row;
    bool on = row < args.rows && (args.levelBytes == NO_LEVELS || (validity[bit >> 5] >> (bit & 31) & 1));
    u32 ones = __ballot_sync(ALL, on);
    u32 total = block_sum(lane() == 0 ? __popc(ones) : 0, memory.sums);
    u32 rank = before + __popc(ones & lanes_below());
    for (u32 w = 0; w < warp(); w++) {
      rank += memory.sums[w];
    }
    before += total;
    u32 start = on ? at[row] : 0;
    u32 length = on ? at[row + 1] - start : 0;
    u64 place = (u64)(start - begin) + (plain ? 4ull * (rank + 1) : 0);
    if (on && (from > end || place + length > (u64)(end - from))) {
      fault = TOO_SHORT;
      length = 0;
    }
    for (u32 some = ones; some != 0; some &= some - 1) {
      int source = __ffs(some) - 1;
      const u8* text = from + __shfl_sync(ALL, place, source);
      u8* to = out + __shfl_sync(ALL, start, source);
      u32 bytes = __shfl_sync(ALL, length, source);
      for (u32 i = lane(); i < bytes; i += 32) {
        to[i] = text[i];
        if (!utf8_at(text, bytes, i)) {
          fault = WRONG_TEXT;
        }
      }
    }
    // The sums are read.
    __syncthreads();
  }
  if (fault != SOUND) {
    atomicMax(&memory.wrong, fault);
  }
  __syncthreads();
  return memory.wrong;
}

}  // namespace ara
