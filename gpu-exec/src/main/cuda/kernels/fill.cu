// fill and iota: grid-stride loops of 16-byte stores where the output is aligned to that, and of
// single values where it is not (a slice). The last line may end behind the output: every buffer has
// 64 spare bytes.
#include <cstdint>

extern "C" __global__ void ara_fill(uint4* out, unsigned long long pattern, unsigned long long lines) {
  unsigned low = static_cast<unsigned>(pattern);
  unsigned high = static_cast<unsigned>(pattern >> 32);
  uint4 line = make_uint4(low, high, low, high);
  unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (unsigned long long i = first; i < lines; i += step) {
    out[i] = line;
  }
}

// Values lie at multiples of their own width.
extern "C" __global__ void ara_fill_unaligned(void* out, unsigned long long value, int width, unsigned count) {
  unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (unsigned long long i = first; i < count; i += step) {
    switch (width) {
      case 1: static_cast<uint8_t*>(out)[i] = static_cast<uint8_t>(value); break;
      case 2: static_cast<uint16_t*>(out)[i] = static_cast<uint16_t>(value); break;
      case 4: static_cast<uint32_t*>(out)[i] = static_cast<uint32_t>(value); break;
      default: static_cast<unsigned long long*>(out)[i] = value;
    }
  }
}

// out[i] = start + i, modulo 2^32.
extern "C" __global__ void ara_iota(uint4* out, unsigned start, unsigned lines) {
  unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (unsigned long long i = first; i < lines; i += step) {
    unsigned value = start + 4 * static_cast<unsigned>(i);
    out[i] = make_uint4(value, value + 1, value + 2, value + 3);
  }
}

extern "C" __global__ void ara_iota_unaligned(unsigned* out, unsigned start, unsigned count) {
  unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (unsigned long long i = first; i < count; i += step) {
    out[i] = start + static_cast<unsigned>(i);
  }
}

// Adds to 32-bit numbers at any multiple of 4 bytes.
extern "C" __global__ void ara_add(unsigned* numbers, unsigned summand, unsigned count) {
  unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (unsigned long long i = first; i < count; i += step) {
    numbers[i] += summand;
  }
}

namespace {

// A piece of memory for the host, and where it goes: pinned memory.
struct Piece {
  const unsigned char* from;
  unsigned char* to;
  unsigned long long bytes;
};

// By a block.
__device__ void bring(const Piece& piece) {
  unsigned long long at = threadIdx.x;
  unsigned long long words = 0;
  if (((reinterpret_cast<unsigned long long>(piece.from) | reinterpret_cast<unsigned long long>(piece.to)) & 7) == 0) {
    words = piece.bytes / 8;
    for (; at < words; at += blockDim.x) {
      reinterpret_cast<unsigned long long*>(piece.to)[at] = reinterpret_cast<const unsigned long long*>(piece.from)[at];
    }
  }
  for (at = 8 * words + threadIdx.x; at < piece.bytes; at += blockDim.x) {
    piece.to[at] = piece.from[at];
  }
}

// Behind a block's piece. The last block of a launch tells the host, which then finds all pieces: a fence of the system lies
// between a block's piece and its count, and another between the last count and what the host looks at. `ended`, on the
// device, is 0 before a launch and behind it.
__device__ void brought(unsigned* ended, volatile unsigned long long* tell, unsigned long long number) {
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

}  // namespace

// Some bytes to the host's memory, whose copy engine need not be asked, and may be busy.
extern "C" __global__ void ara_bring(
    const unsigned char* from, unsigned char* to, unsigned long long bytes, unsigned* ended,
    unsigned long long* tell, unsigned long long number) {
  bring(Piece{from, to, bytes});
  brought(ended, tell, number);
}

// Some pieces, a block each.
extern "C" __global__ void ara_bring_all(
    const Piece* pieces, unsigned* ended, unsigned long long* tell, unsigned long long number) {
  bring(pieces[blockIdx.x]);
  brought(ended, tell, number);
}
