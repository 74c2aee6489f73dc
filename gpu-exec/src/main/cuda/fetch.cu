// Copies from other GPUs, all of whose links are read at once; page-locked host memory is read alike.
#include "common.cuh"

using namespace ara;

static constexpr int FETCHERS = 512;

// Words of 16 bytes that a thread asks for before it waits for one: some 2 us pass on the bus.
static constexpr int ASKED = 4;

struct Piece {
  u64 from;
  u64 to;
  u64 bytes;
};

// A word whose bytes are all wanted; the distance of both places modulo 16 says how it can be written.
__device__ __forceinline__ void put(u64 to, uint4 word) {
  if ((to & 15) == 0) {
    *(uint4*)to = word;
  } else if ((to & 3) == 0) {
    u32* out = (u32*)to;
    out[0] = word.x;
    out[1] = word.y;
    out[2] = word.z;
    out[3] = word.w;
  } else {
    const u8* bytes = (const u8*)&word;
    for (int i = 0; i < 16; i++) {
      ((u8*)to)[i] = bytes[i];
    }
  }
}

// pieces: in page-locked memory, as is what they are copied from, which is read in lines of 128 bytes (a page has
// whole ones), or another GPU's. Each piece is a block's.
extern "C" __global__ void __launch_bounds__(FETCHERS) ara_fetch(const void* pieces, u32 count) {
  for (u32 p = blockIdx.x; p < count; p += gridDim.x) {
    const Piece piece = ((const Piece*)pieces)[p];
    const u64 end = piece.from + piece.bytes;
    // A warp asks for whole lines of 128 bytes, which are what the bus brings.
    const u64 first = piece.from & ~127ull;
    const u64 words = (end - first + 15) / 16;
    for (u64 at = threadIdx.x; at < words; at += ASKED * FETCHERS) {
      uint4 word[ASKED];
#pragma unroll
      for (int k = 0; k < ASKED; k++) {
        u64 w = at + (u64)k * FETCHERS;
        word[k] = w < words ? __ldcs((const uint4*)(first + 16 * w)) : zero4();
      }
#pragma unroll
      for (int k = 0; k < ASKED; k++) {
        u64 w = at + (u64)k * FETCHERS;
        u64 from = first + 16 * w;
        if (w < words) {
          if (from >= piece.from && from + 16 <= end) {
            put(piece.to + (from - piece.from), word[k]);
          } else {
            const u8* bytes = (const u8*)&word[k];
            for (int i = 0; i < 16; i++) {
              if (from + i >= piece.from && from + i < end) {
                ((u8*)piece.to)[from + i - piece.from] = bytes[i];
              }
            }
          }
        }
      }
    }
  }
}
