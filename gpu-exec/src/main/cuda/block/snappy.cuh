// Snappy's compression undone by a block, whose warps share the fragments of a page.
//
// Compressors cut what they are given into fragments of 64 KB that know nothing of each other, though the format does not ask
// for it. One warp steps over the elements and finds where fragments begin, which is far less than to copy what they name; then
// each warp takes some. Where an element lies across two fragments, or names bytes of another one, or anything is wrong, one
// warp does the page again from its beginning, so that what comes out, and what is found wrong, is the same in any case.
#pragma once
#include "warp/snappy.cuh"

namespace ara {

constexpr u32 SNAPPY_FRAGMENT = 1 << 16;

// Fragments that are looked for at a time.
constexpr u32 SNAPPY_FRAGMENTS = 32;

struct SnappyMemory {
  // Where they begin behind the first, and where the last ends.
  u32 from[SNAPPY_FRAGMENTS + 1];
};

// Steps over elements of exactly `size` bytes; whether there are such.
__device__ __forceinline__ bool snappy_skip(PageCursor& in, u32 size) {
  u32 done = 0;
  u64 head = bytes8(in.at);
  while (done < size && in.at < in.end) {
    SnappyElement element = snappy_take(in, head);
    if (in.fault != SOUND || element.length > size - done) {
      return false;
    }
    done += element.length;
  }
  return done == size;
}

// Finds the fragments of the next `size` bytes; whether each is on its own as far as lengths tell.
__device__ __forceinline__ bool snappy_fragments(SnappyMemory& memory, PageCursor& in, u32 size) {
  const u8* first = in.at;
  u32 count = (size + SNAPPY_FRAGMENT - 1) / SNAPPY_FRAGMENT;
  for (u32 i = 0; i < count; i++) {
    if (lane() == 0) {
      memory.from[i] = (u32)(in.at - first);
    }
    u32 left = size - i * SNAPPY_FRAGMENT;
    if (!snappy_skip(in, left < SNAPPY_FRAGMENT ? left : SNAPPY_FRAGMENT)) {
      return false;
    }
  }
  if (lane() == 0) {
    memory.from[count] = (u32)(in.at - first);
  }
  return true;
}

// Decompresses to exactly `size` bytes at `to`; what is wrong, if anything, is known to the first warp.
__device__ __forceinline__ u32 snappy_by_block(SnappyMemory& memory, PageCursor page, u8* to, u32 size) {
  u32 warp = threadIdx.x / 32;
  u32 warps = blockDim.x / 32;
  if (warps == 1 || size <= SNAPPY_FRAGMENT) {
    return warp == 0 ? snappy(page, to, size) : SOUND;
  }
  PageCursor in = page;
  snappy_size(in, size);
  if (in.fault != SOUND) {
    return in.fault;
  }
  bool apart = true;
  for (u32 done = 0; done < size; done += SNAPPY_FRAGMENTS * SNAPPY_FRAGMENT) {
    u32 left = size - done;
    u32 bytes = left < SNAPPY_FRAGMENTS * SNAPPY_FRAGMENT ? left : SNAPPY_FRAGMENTS * SNAPPY_FRAGMENT;
    const u8* first = in.at;
    bool found = true;
    if (warp == 0) {
      found = snappy_fragments(memory, in, bytes) && (bytes < left || in.at == in.end);
    }
    apart = __syncthreads_and(found);
    if (!apart) {
      break;
    }
    u32 count = (bytes + SNAPPY_FRAGMENT - 1) / SNAPPY_FRAGMENT;
    bool sound = true;
    for (u32 i = warp; i < count; i += warps) {
      u32 begin = i * SNAPPY_FRAGMENT;
      u32 some = bytes - begin < SNAPPY_FRAGMENT ? bytes - begin : SNAPPY_FRAGMENT;
      PageCursor fragment = {first + memory.from[i], first + memory.from[i + 1], SOUND};
      sound = snappy_elements(fragment, to + done + begin, some) == SOUND && sound;
    }
    in.at = first + memory.from[count];
    // Nobody looks at the fragments, or writes to the page, any more.
    apart = __syncthreads_and(sound);
    if (!apart) {
      break;
    }
  }
  return warp == 0 && !apart ? snappy(page, to, size) : SOUND;
}

}  // namespace ara
