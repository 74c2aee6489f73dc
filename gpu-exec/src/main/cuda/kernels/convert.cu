// Signed integers of one width in another, and out of packed words.
#include "thread/common.cuh"

using namespace ara;

namespace ara {

constexpr int CONVERTED_ITEMS = 4;

template <typename From, typename To>
__device__ void convert(const From* in, u32 count, To* out) {
  u64 step = static_cast<u64>(gridDim.x) * blockDim.x;
  u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + (CONVERTED_ITEMS - 1) * step < count; i += CONVERTED_ITEMS * step) {
    From values[CONVERTED_ITEMS];
#pragma unroll
    for (int j = 0; j < CONVERTED_ITEMS; j++) {
      values[j] = in[i + j * step];
    }
#pragma unroll
    for (int j = 0; j < CONVERTED_ITEMS; j++) {
      out[i + j * step] = static_cast<To>(values[j]);
    }
  }
  for (; i < count; i += step) {
    out[i] = static_cast<To>(in[i]);
  }
}

template <typename From>
__device__ void convert_to(const void* in, u32 count, int to, void* out) {
  const From* values = static_cast<const From*>(in);
  switch (to) {
    case 1: convert(values, count, static_cast<signed char*>(out)); break;
    case 2: convert(values, count, static_cast<short*>(out)); break;
    case 4: convert(values, count, static_cast<int*>(out)); break;
    default: convert(values, count, static_cast<i64*>(out));
  }
}

}  // namespace ara

extern "C" __global__ void __launch_bounds__(THREADS) ara_convert(const void* in, int from, u32 count, int to, void* out) {
  switch (from) {
    case 1: convert_to<signed char>(in, count, to, out); break;
    case 2: convert_to<short>(in, count, to, out); break;
    case 4: convert_to<int>(in, count, to, out); break;
    default: convert_to<i64>(in, count, to, out);
  }
}

// Values of a key whose bits lie behind `shift` others in words: base and what these bits are. validity, which may be null:
// a bit a word, whether these bits are not 0; of an even number of words.
extern "C" __global__ void __launch_bounds__(THREADS) ara_unpack(
    const u32* __restrict__ words, u32 count, int shift, u32 mask, i64 base, int width, void* out, u32* validity) {
  u64 step = static_cast<u64>(gridDim.x) * THREADS;
  u64 padded = (static_cast<u64>(count) + 63) / 64 * 64;
  for (u64 i = static_cast<u64>(blockIdx.x) * THREADS + threadIdx.x; i < padded; i += step) {
    u32 part = i < count ? words[i] >> shift & mask : 0;
    i64 value = base + part;
    if (i < count) {
      switch (width) {
        case 1: static_cast<signed char*>(out)[i] = static_cast<signed char>(value); break;
        case 2: static_cast<short*>(out)[i] = static_cast<short>(value); break;
        case 4: static_cast<int*>(out)[i] = static_cast<int>(value); break;
        default: static_cast<i64*>(out)[i] = value;
      }
    }
    if (validity != nullptr) {
      u32 bits = __ballot_sync(~0u, part != 0);
      if (lane() == 0) {
        validity[i / 32] = bits;
      }
    }
  }
}
