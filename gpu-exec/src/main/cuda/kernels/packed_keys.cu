// Keys of 4 bytes of which a partition says the upper half: PackedKeys.java says how they lie.
#include "thread/common.cuh"

namespace ara {

constexpr u32 SAID_BITS = 16;

HOST_SHARED struct PackedKeysPolicy {
  // Rows of a warp of the kernel that unpacks.
  static constexpr u32 UNPACKED_ROWS = 1024;
};

constexpr u32 UNPACKED_ROWS = PackedKeysPolicy::UNPACKED_ROWS;

__device__ __forceinline__ u32 place(u32 x) {
  x ^= x >> 16;
  x *= 0x85EBCA6Bu;
  x ^= x >> 13;
  x *= 0xC2B2AE35u;
  return x ^ x >> 16;
}

__device__ __forceinline__ u32 key(u32 x) {
  x ^= x >> 16;
  x *= 0x7ED1B41Du;
  x ^= x >> 13 ^ x >> 26;
  x *= 0xA5CB9243u;
  return x ^ x >> 16;
}

__device__ __forceinline__ u64 padded(u64 bytes) { return (bytes + 15) & ~15ull; }

struct Layout {
  u32 groups;
  u64 head;

  __device__ __forceinline__ explicit Layout(u32 partBits)
      : groups(1u << (SAID_BITS - partBits)), head(padded(4ull * groups + 4)) {}

  __device__ __forceinline__ u64 offset(u32 part, u32 first) const { return part * (head + 32) + padded(2ull * first); }

  __device__ __forceinline__ u64 bytes(u32 rows) const { return padded(head + 2ull * rows); }
};

// Where a piece lies, and its first row.
HOST_SHARED struct PackedPiece {
  u64 at;
  u64 row;
};

}  // namespace ara

using namespace ara;

extern "C" __global__ void __launch_bounds__(THREADS) ara_key_places_4(const u32* keys, u32 count, u32* out) {
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    out[i] = place(keys[i]);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) ara_key_places_8(const u32* keys, u32 count, u64* out) {
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    out[i] = place(keys[i]);
  }
}

// A thread a group's start; one more of each part says where its last group ends.
extern "C" __global__ void __launch_bounds__(THREADS) ara_key_starts(
    const u32* __restrict__ groupStarts, u32 partBits, u8* out, u32* partStarts) {
  Layout layout(partBits);
  u32 i = blockIdx.x * THREADS + threadIdx.x;
  u32 part = i / (layout.groups + 1);
  u32 group = i % (layout.groups + 1);
  if (part >> partBits != 0) {
    return;
  }
  u32 first = groupStarts[part * layout.groups];
  u32 start = groupStarts[part * layout.groups + group];
  ((u32*)(out + layout.offset(part, first)))[group] = start - first;
  if (group == 0) {
    partStarts[part] = first;
  }
  if (group == layout.groups) {
    // The same number as the next part writes.
    partStarts[part + 1] = start;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) ara_key_pack(
    const u32* __restrict__ places, u32 count, const u32* __restrict__ groupStarts, u32 partBits, u8* out) {
  Layout layout(partBits);
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    u32 place = __ldcs(places + i);
    u32 part = place >> (32 - partBits);
    u32 first = __ldg(groupStarts + part * layout.groups);
    u16* low = (u16*)(out + layout.offset(part, first) + layout.head);
    low[(u32)i - first] = (u16)place;
  }
}

// Where each piece lies: each says how long it is. One thread.
extern "C" __global__ void ara_key_pieces(const u8* packed, u32 pieces, u32 partBits, PackedPiece* out) {
  Layout layout(partBits);
  PackedPiece piece{0, 0};
  for (u32 i = 0; i < pieces; i++) {
    out[i] = piece;
    u32 rows = ((const u32*)(packed + piece.at))[layout.groups];
    piece.at += layout.bytes(rows);
    piece.row += rows;
  }
}

// A warp some rows in a row, whatever pieces and groups they are of: a frequent key makes a long group. A piece has a row
// at least.
extern "C" __global__ void __launch_bounds__(THREADS) ara_key_unpack(
    const u8* __restrict__ packed, const PackedPiece* __restrict__ table, u32 pieces, u32 partBits, u32 part, u32 count,
    u32* out) {
  Layout layout(partBits);
  u64 first = ((u64)blockIdx.x * WARPS + warp()) * UNPACKED_ROWS;
  u64 row = first + lane();
  u64 end = first + UNPACKED_ROWS < count ? first + UNPACKED_ROWS : count;
  if (row >= end) {
    return;
  }
  u32 number = 0;
  for (u32 step = 1u << 31; step != 0; step >>= 1) {
    if (number + (u64)step < pieces && table[number + step].row <= row) {
      number += step;
    }
  }
  bool entered = true;
  PackedPiece piece = table[number];
  u32 group = 0;
  for (; row < end; row += 32) {
    while (number + 1 < pieces && table[number + 1].row <= row) {
      piece = table[++number];
      entered = true;
    }
    const u32* starts = (const u32*)(packed + piece.at);
    u32 local = (u32)(row - piece.row);
    if (entered) {
      group = 0;
      for (u32 step = layout.groups / 2; step != 0; step >>= 1) {
        if (starts[group + step] <= local) {
          group += step;
        }
      }
      entered = false;
    }
    while (starts[group + 1] <= local) {
      group++;
    }
    u32 low = ((const u16*)(packed + piece.at + layout.head))[local];
    out[row] = key((part * layout.groups + group) << (32 - SAID_BITS) | low);
  }
}
