// The texts of a page of which each begins as the one before does, for as many bytes as its prefix length says.
//
// A thread has one place in all texts: the byte there is one that follows in the page, or that of the text before, which the
// thread has written itself. So texts follow each other without a barrier, and chains of prefixes are as long as they like.
#pragma once
#include "agent/page.cuh"
#include "thread/utf8.cuh"

namespace ara {

// What is the same for the texts of all pages of a launch.
struct TextTarget {
  const u32* offsets;
  const u32* validity;
  // A row's place in the words, or how many bytes of the text before it begins with.
  const u32* places;
  const u8* words;
  u64 wordBytes;
  u8* out;

  // Whether a row of a page has a text.
  __device__ __forceinline__ bool present(const PageArgs& args, u32 row) const {
    u32 bit = args.firstRow + row;
    return row < args.rows && (args.levelBytes == NO_LEVELS || (validity[bit >> 5] >> (bit & 31) & 1));
  }
};

// The texts of THREADS rows, without those that are null.
struct StringTile {
  u32 start[THREADS];
  u32 length[THREADS];
  u32 shared[THREADS];
  // Where the bytes begin that follow, behind the lengths.
  u32 from[THREADS];
};

static_assert(sizeof(StringTile) <= TEXT_TILE, "a tile of texts is where a tile of bytes is");

// What a block knows of the text before.
struct LastString {
  u32 start;
  u32 length;
  // Of the thread's place.
  u8 byte;
};

// Writes the texts of a tile.
__device__ __forceinline__ void write_strings(const StringTile& tile, u32 count, const u8* from, u8* out, LastString& last) {
  for (u32 k = 0; k < count; k++) {
    u32 length = tile.length[k];
    u32 shared = tile.shared[k];
    u8* to = out + tile.start[k];
    const u8* rest = from + tile.from[k];
    const u8* before = out + last.start;
    for (u32 i = threadIdx.x; i < length; i += THREADS) {
      u8 byte = i >= shared ? rest[i - shared] : i < THREADS ? last.byte : before[i];
      to[i] = byte;
      if (i < THREADS) {
        last.byte = byte;
      }
    }
    last.start = tile.start[k];
    last.length = length;
  }
}

// Where the bytes of each text of a tile begin that follow in the page, from `before` on, which moves behind them.
__device__ __forceinline__ u32 place_strings(
    PageMemory& memory, StringTile& tile, u32 count, const LastString& last, u64 most, u64& before) {
  u32 k = threadIdx.x;
  u32 shared = k < count ? tile.shared[k] : 0;
  u32 length = k < count ? tile.length[k] : 0;
  u32 earlier = k == 0 ? last.length : tile.length[min(k, count) - 1];
  bool wrong = k < count && (shared > earlier || shared > length);
  u64 upTo = warp_inclusive<u64>(length - min(shared, length));
  if (lane() == 31) {
    memory.longSums[warp()] = upTo;
  }
  if (!__syncthreads_and(!wrong)) {
    return WRONG_PREFIX;
  }
  u64 at = before + upTo - (length - shared);
  for (u32 w = 0; w < WARPS; w++) {
    at += w < warp() ? memory.longSums[w] : 0;
    before += memory.longSums[w];
  }
  if (before > most) {
    return TOO_SHORT;
  }
  if (k < count) {
    tile.from[k] = (u32)at;
  }
  __syncthreads();
  return SOUND;
}

// Called by all threads of a block; `from` is behind the lengths.
__device__ __forceinline__ u32 page_strings(
    PageMemory& memory, const u8* from, const u8* end, const PageArgs& args, const TextTarget& target) {
  StringTile& tile = *(StringTile*)memory.tile;
  LastString last = {0, 0, 0};
  u64 before = 0;
  bool invalid = false;
  for (u32 done = 0; done < args.rows; done += THREADS) {
    u32 row = done + threadIdx.x;
    bool on = target.present(args, row);
    u32 ones = __ballot_sync(ALL, on);
    u32 count = block_sum(lane() == 0 ? __popc(ones) : 0, memory.sums);
    u32 k = __popc(ones & lanes_below());
    for (u32 w = 0; w < warp(); w++) {
      k += memory.sums[w];
    }
    if (on) {
      const u32* at = target.offsets + args.firstRow + row;
      tile.start[k] = at[0];
      tile.length[k] = at[1] - at[0];
      tile.shared[k] = target.places[args.firstRow + row];
    }
    __syncthreads();
    if (count == 0) {
      continue;
    }
    u32 fault = place_strings(memory, tile, count, last, (u64)(end - from), before);
    if (fault != SOUND) {
      return fault;
    }
    write_strings(tile, count, from, target.out, last);
    // The texts are there.
    __syncthreads();
    for (k = warp(); k < count; k += WARPS) {
      const u8* text = target.out + tile.start[k];
      for (u32 i = lane(); i < tile.length[k]; i += 32) {
        invalid |= !utf8_at(text, tile.length[k], i);
      }
    }
    // The tile is read.
    __syncthreads();
  }
  return __syncthreads_and(!invalid) ? SOUND : WRONG_TEXT;
}

}  // namespace ara
