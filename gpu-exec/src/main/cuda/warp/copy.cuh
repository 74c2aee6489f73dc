// Copies by a warp's lanes; called by whole warps.
#pragma once
#include "thread/bytes.cuh"

namespace ara {

// Bytes to bytes, which do not overlap; either may lie anywhere. Writes nothing else.
__device__ __forceinline__ void warp_copy(u8* to, const u8* from, u32 bytes) {
  u32 head = (u32)(0 - (u64)to) & 3;
  if (bytes < 64 + head) {
    for (u32 i = lane(); i < bytes; i += 32) {
      to[i] = from[i];
    }
    return;
  }
  if (lane() < head) {
    to[lane()] = from[lane()];
  }
  u32 words = (bytes - head) / 4;
  for (u32 i = lane(); i < words; i += 32) {
    ((u32*)(to + head))[i] = bytes4(from + head + 4 * i);
  }
  u32 done = head + 4 * words;
  if (lane() < bytes - done) {
    to[done + lane()] = from[done + lane()];
  }
}

}  // namespace ara
