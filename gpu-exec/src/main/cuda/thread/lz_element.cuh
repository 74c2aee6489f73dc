// What formats of the LZ77 family consist of.
#pragma once
#include "thread/page_cursor.cuh"

namespace ara {

// Bytes that are there as they come out, and then a copy of bytes that came out before; either may be empty.
struct LzElement {
  const u8* literal;
  u32 literals;
  u32 offset;
  u32 copied;
};

}  // namespace ara
