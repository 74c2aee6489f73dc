// fill and iota: grid-stride loops of 16-byte stores where the output is aligned to that, and of
// single values where it is not (a slice). The last line may end behind the output: every buffer has
// 64 spare bytes.
#include "thread/common.cuh"

using namespace ara;

extern "C" __global__ void ara_fill(uint4* out, u64 pattern, u64 lines) {
  u32 low = static_cast<u32>(pattern);
  u32 high = static_cast<u32>(pattern >> 32);
  uint4 line = make_uint4(low, high, low, high);
  u64 step = static_cast<u64>(gridDim.x) * blockDim.x;
  u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (u64 i = first; i < lines; i += step) {
    out[i] = line;
  }
}

// Values lie at multiples of their own width.
extern "C" __global__ void ara_fill_unaligned(void* out, u64 value, int width, u32 count) {
  u64 step = static_cast<u64>(gridDim.x) * blockDim.x;
  u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (u64 i = first; i < count; i += step) {
    switch (width) {
      case 1: static_cast<u8*>(out)[i] = static_cast<u8>(value); break;
      case 2: static_cast<u16*>(out)[i] = static_cast<u16>(value); break;
      case 4: static_cast<u32*>(out)[i] = static_cast<u32>(value); break;
      default: static_cast<u64*>(out)[i] = value;
    }
  }
}

// out[i] = start + i, modulo 2^32.
extern "C" __global__ void ara_iota(uint4* out, u32 start, u32 lines) {
  u64 step = static_cast<u64>(gridDim.x) * blockDim.x;
  u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (u64 i = first; i < lines; i += step) {
    u32 value = start + 4 * static_cast<u32>(i);
    out[i] = make_uint4(value, value + 1, value + 2, value + 3);
  }
}

extern "C" __global__ void ara_iota_unaligned(u32* out, u32 start, u32 count) {
  u64 step = static_cast<u64>(gridDim.x) * blockDim.x;
  u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (u64 i = first; i < count; i += step) {
    out[i] = start + static_cast<u32>(i);
  }
}

// Adds to 32-bit numbers at any multiple of 4 bytes.
extern "C" __global__ void ara_add(u32* numbers, u32 summand, u32 count) {
  u64 step = static_cast<u64>(gridDim.x) * blockDim.x;
  u64 first = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (u64 i = first; i < count; i += step) {
    numbers[i] += summand;
  }
}

namespace ara {

// A piece of memory for the host, and where it goes: pinned memory.
HOST_SHARED struct HostCopy {
  const u8* from;
  u8* to;
  u64 bytes;
};

// By a block.
__device__ void bring(const HostCopy& piece) {
  u64 at = threadIdx.x;
  u64 words = 0;
  if (((reinterpret_cast<u64>(piece.from) | reinterpret_cast<u64>(piece.to)) & 7) == 0) {
    words = piece.bytes / 8;
    for (; at < words; at += blockDim.x) {
      reinterpret_cast<u64*>(piece.to)[at] = reinterpret_cast<const u64*>(piece.from)[at];
    }
  }
  for (at = 8 * words + threadIdx.x; at < piece.bytes; at += blockDim.x) {
    piece.to[at] = piece.from[at];
  }
}

// Behind a block's piece. The last block of a launch tells the host, which then finds all pieces: a fence of the system lies
// between a block's piece and its count, and another between the last count and what the host looks at. `ended`, on the
// device, is 0 before a launch and behind it.
__device__ void brought(u32* ended, volatile u64* tell, u64 number) {
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    if (atomicAdd(ended, 1u) == gridDim.x - 1) {
      *ended = 0;
      __threadfence_system();
      *tell = number;
    }
  }
}

}  // namespace ara

// Some bytes to the host's memory, whose copy engine need not be asked, and may be busy.
extern "C" __global__ void ara_bring(
    const u8* from, u8* to, u64 bytes, u32* ended,
    u64* tell, u64 number) {
  bring(HostCopy{from, to, bytes});
  brought(ended, tell, number);
}

// Some pieces, a block each.
extern "C" __global__ void ara_bring_all(
    const HostCopy* pieces, u32* ended, u64* tell, u64 number) {
  bring(pieces[blockIdx.x]);
  brought(ended, tell, number);
}
