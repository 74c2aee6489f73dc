// The texts of a page whose lengths are known, copied to where their offsets say, and checked to be UTF-8.
#pragma once
#include "agent/page_strings.cuh"

namespace ara {

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

// Steps over what is in front of a page's values; `end` or behind it if there are none.
__device__ __forceinline__ const u8* behind_levels(const u8* from, const PageArgs& args) {
  if (args.levelBytes == LENGTH_FIRST) {
    return from + (args.bytes < 4 ? 0 : 4 + (u64)bytes4(from));
  }
  return from + (args.levelBytes == NO_LEVELS ? 0 : args.levelBytes);
}

// Copies the texts of a page, or of its rows' words; a warp has those of 32 rows.
//
// `most` are the bytes from `from` on.
__device__ __forceinline__ u32 copy_texts(
    PageMemory& memory, const u8* from, u64 most, const PageArgs& args, const TextTarget& target) {
  const u32* at = target.offsets + args.firstRow;
  u32 begin = at[0];
  bool words = args.encoding == DICTIONARY;
  u32 fault = SOUND;
  u32 before = 0;
  for (u32 done = 0; done < args.rows; done += THREADS) {
    u32 row = done + threadIdx.x;
    bool on = target.present(args, row);
    u32 ones = __ballot_sync(ALL, on);
    u32 total = block_sum(lane() == 0 ? __popc(ones) : 0, memory.sums);
    u32 rank = before + __popc(ones & lanes_below());
    for (u32 w = 0; w < warp(); w++) {
      rank += memory.sums[w];
    }
    before += total;
    u32 start = on ? at[row] : 0;
    u32 length = on ? at[row + 1] - start : 0;
    u64 place = (u64)(start - begin) + (args.encoding == PLAIN ? 4ull * (rank + 1) : 0);
    if (words) {
      place = on ? target.places[args.firstRow + row] : 0;
    }
    if (on && place + length > most) {
      fault = TOO_SHORT;
      length = 0;
    }
    for (u32 some = ones; some != 0; some &= some - 1) {
      int source = __ffs(some) - 1;
      const u8* text = from + __shfl_sync(ALL, place, source);
      u8* to = target.out + __shfl_sync(ALL, start, source);
      u32 bytes = __shfl_sync(ALL, length, source);
      for (u32 i = lane(); i < bytes; i += 32) {
        to[i] = text[i];
        if (!words && !utf8_at(text, bytes, i)) {
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

// Called by all threads of a block.
__device__ __forceinline__ u32 page_texts(PageMemory& memory, const u8* in, const PageArgs& args, const TextTarget& target) {
  if (threadIdx.x == 0) {
    memory.wrong = SOUND;
  }
  if (args.encoding == DICTIONARY) {
    return copy_texts(memory, target.words, target.wordBytes, args, target);
  }
  const u8* page = in + args.offset;
  const u8* end = page + args.bytes;
  const u8* from = behind_levels(page, args);
  if (args.encoding != PLAIN) {
    from = behind_differences(memory, from, end);
  }
  if (args.encoding == DELTA_STRINGS) {
    // What is left is read.
    __syncthreads();
    from = behind_differences(memory, from, end);
    return page_strings(memory, from, end, args, target);
  }
  return copy_texts(memory, from, from > end ? 0 : (u64)(end - from), args, target);
}

}  // namespace ara
