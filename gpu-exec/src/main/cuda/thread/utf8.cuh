// Whether bytes are UTF-8, told of each by up to three beside it.
#pragma once
#include "thread/common.cuh"

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

}  // namespace ara
