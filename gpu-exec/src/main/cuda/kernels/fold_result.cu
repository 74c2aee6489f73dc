// From the states of groups to columns.
#include "agent/fold_functions.cuh"
#include "warp/reduce.cuh"

namespace ara {

// What is found of an accumulator's groups; the kernel says what bits are cleared of the flags.
HOST_SHARED struct FoldFindings {
  u64 least;
  u64 greatest;
  u64 flags;
};

HOST_SHARED enum FoldFlag { WITHOUT_VALUE = 1, NOT_64_BITS = 2, OUT_OF_BOUNDS = 4 };

}  // namespace ara

using namespace ara;

// What a group's limbs stand for. flip: bits that are turned over in all limbs; biased: the low one of two limbs has its
// top bit turned over as well, as maxima of 128 bits have.
__device__ __forceinline__ void decode(const State& s, u64 flip, int biased, u64 group, u64& low, i64& high, i64& top) {
  low = s.lo[group] ^ flip ^ (biased != 0 ? (u64)LEAST : 0);
  high = s.hi == nullptr ? (i64)low >> 63 : (i64)(s.hi[group] ^ flip);
  top = s.ext == nullptr ? high >> 63 : (i64)s.ext[group];
}

// out, FoldFindings, must be full of 0xFF bytes. out[0]: the least value of a group that has one, with its top bit turned
// over; out[1]: the complement of the greatest, likewise. Bits of out[2] are cleared: WITHOUT_VALUE if a group has none;
// NOT_64_BITS if a value does not fit them; OUT_OF_BOUNDS if a value is not within the bounds, if there are any (checked).
extern "C" __global__ void __launch_bounds__(THREADS)
ara_result_inspect(STATE_ARGS, u32 count, u64 flip, int biased, int checked, u64 minLow, i64 minHigh, u64 maxLow,
                   i64 maxHigh, u64* out) {
  State s = STATE;
  u64 smallest = ~0ull, greatest = ~0ull;
  u32 flags = 0;
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    if (s.seen != nullptr && s.seen[i] == 0) {
      flags |= WITHOUT_VALUE;
      continue;
    }
    u64 low;
    i64 high, top;
    decode(s, flip, biased, i, low, high, top);
    u64 image = low ^ (u64)LEAST;
    smallest = min(smallest, image);
    greatest = min(greatest, ~image);
    if (high != (i64)low >> 63 || top != high >> 63) {
      flags |= NOT_64_BITS;
    }
    if (checked != 0) {
      bool below = high < minHigh || (high == minHigh && low < minLow);
      bool above = high > maxHigh || (high == maxHigh && low > maxLow);
      if (top != high >> 63 || below || above) {
        flags |= OUT_OF_BOUNDS;
      }
    }
  }
  smallest = warp_min(smallest);
  greatest = warp_min(greatest);
  flags = __reduce_or_sync(~0u, flags);
  if (lane() == 0) {
    // Many warps, few that have something new to say.
    volatile u64* known = out;
    if (smallest < known[0]) atomicMin(out, smallest);
    if (greatest < known[1]) atomicMin(out + 1, greatest);
    if ((known[2] & flags) != 0) atomicAnd(out + 2, ~(u64)flags);
  }
}

// The low bytes of each group's value; width is 1, 2, 4, 8 or 16.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_result_write(STATE_ARGS, u32 count, u64 flip, int biased, int width, void* out) {
  State s = STATE;
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) {
    return;
  }
  u64 low;
  i64 high, top;
  decode(s, flip, biased, i, low, high, top);
  switch (width) {
    case 1: static_cast<unsigned char*>(out)[i] = (unsigned char)low; break;
    case 2: static_cast<unsigned short*>(out)[i] = (unsigned short)low; break;
    case 4: static_cast<u32*>(out)[i] = (u32)low; break;
    case 8: static_cast<u64*>(out)[i] = low; break;
    default: static_cast<ulonglong2*>(out)[i] = make_ulonglong2(low, (u64)high);
  }
}

// Doubles, or ordered images of doubles with flip (image), as floats (width 4) or doubles.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_result_floats(const u64* __restrict__ lo, u32 count, u64 flip, int image, int width, void* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) {
    return;
  }
  i64 bits = (i64)lo[i];
  if (image != 0) {
    bits ^= (i64)flip;
    bits ^= (bits >> 63) & 0x7fffffffffffffffll;
  }
  double value = __longlong_as_double(bits);
  if (width == 4) {
    static_cast<float*>(out)[i] = (float)value;
  } else {
    static_cast<double*>(out)[i] = value;
  }
}

// A bit for each non-zero byte; words is the number of 32-bit words of out, which has count bits and zeros behind them.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_result_validity(const unsigned char* __restrict__ seen, u32 count, u32 words, u32* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  u32 bits = __ballot_sync(~0u, i < count && seen[i] != 0);
  if (lane() == 0 && i / 32 < words) {
    out[i / 32] = bits;
  }
}

// out[i] = -1 or 0 as in[i] is negative or not: the limb above.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_result_sign(const i64* __restrict__ in, u32 count, i64* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < count) {
    out[i] = in[i] >> 63;
  }
}

// Maxima of 64 bits become maxima of 128.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_result_widen_max(i64* lo, i64* hi, const unsigned char* __restrict__ seen, u32 count) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < count) {
    i64 value = lo[i];
    bool has = seen[i] != 0;
    hi[i] = has ? value >> 63 : LEAST;
    lo[i] = has ? value ^ LEAST : LEAST;
  }
}

// Where a batch has raised the high limb of a maximum, the low one begins again.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_result_restart(const i64* __restrict__ highBefore, const i64* __restrict__ high, i64* low, u32 count) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < count && highBefore[i] != high[i]) {
    low[i] = LEAST;
  }
}

// Counts rows that need not be looked at.
extern "C" __global__ void ara_result_add(u64* state, u64 rows) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *state += rows;
  }
}

// Takes a row of each group; *second = 1 if a group has had one already.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_result_single(const int* __restrict__ groups, const int* __restrict__ mask, u32 count, u32* taken, u32* second) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) {
    return;
  }
  int row = mask == nullptr ? (int)i : mask[i];
  int group = groups == nullptr ? 0 : groups[row];
  if (*(volatile u32*)(taken + group) != 0 || atomicExch(taken + group, 1u) != 0) {
    *second = 1;
  }
}
