// Reads of bytes that lie anywhere: memory has no loads that are not aligned, so words around them are loaded and shifted.
// Up to 3 bytes before and 7 behind what is asked for are read, of the same buffer or its slack.
#pragma once
#include "thread/common.cuh"

namespace ara {

// Four bytes, the first the lowest.
__device__ __forceinline__ u32 bytes4(const u8* p) {
  u64 a = (u64)p;
  const u32* words = (const u32*)(a & ~3ull);
  return __funnelshift_r(words[0], words[1], (u32)(a & 3) * 8);
}

// Eight bytes, the first the lowest.
__device__ __forceinline__ u64 bytes8(const u8* p) {
  u64 a = (u64)p;
  const u32* words = (const u32*)(a & ~3ull);
  u32 shift = (u32)(a & 3) * 8;
  u32 middle = words[1];
  u32 low = __funnelshift_r(words[0], middle, shift);
  u32 high = __funnelshift_r(middle, words[2], shift);
  return (u64)high << 32 | low;
}

// `bits` bits, 32 at most, from bit `bit` on.
__device__ __forceinline__ u32 bits32(const u8* p, u64 bit, u32 bits) {
  u64 a = (u64)p + (bit >> 3);
  const u32* words = (const u32*)(a & ~3ull);
  // 24 + 7 at most, so that two words have all bits.
  u32 value = __funnelshift_r(words[0], words[1], (u32)(a & 3) * 8 + (u32)(bit & 7));
  return bits == 32 ? value : value & ((1u << bits) - 1);
}

// `bits` bits, 64 at most, from bit `bit` on.
__device__ __forceinline__ u64 bits64(const u8* p, u64 bit, u32 bits) {
  if (bits == 0) {
    return 0;
  }
  const u8* at = p + (bit >> 3);
  u32 shift = (u32)(bit & 7);
  u64 value = bytes8(at) >> shift;
  if (bits + shift > 64) {
    value |= (u64)at[8] << (64 - shift);
  }
  return bits == 64 ? value : value & ((1ull << bits) - 1);
}

}  // namespace ara
