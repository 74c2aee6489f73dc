// What sorts are made of: digits of words, ties, bounds. SortDigit says what the kinds of digits are.
#include "block/look_back.cuh"

namespace ara {

HOST_SHARED struct NormalizedKeysPolicy {
  static constexpr int ROUNDS = 8;
  // Rows of a tile of ara_keep_ties.
  static constexpr u32 TIES_TILE = 32 * ROUNDS * BlockPolicy::WARPS;
};

constexpr int ROUNDS = NormalizedKeysPolicy::ROUNDS;
constexpr u32 TIES_TILE = NormalizedKeysPolicy::TIES_TILE;
constexpr u64 SIGN = 1ull << 63;

// SortDigit.Kind.
HOST_SHARED enum SortDigitKind { NULLS, RANGED, SIGNED, HIGH, LOW, FLOAT, DOUBLE, TEXT };

HOST_SHARED enum SortDigitFlag { DESCENDING = 1, NULLS_FIRST = 2, NULL_SLOT = 4 };

__device__ __forceinline__ i64 integer(const void* values, u32 width, u32 row) {
  switch (width) {
    case 1: return ((const signed char*)values)[row];
    case 2: return ((const short*)values)[row];
    case 4: return ((const int*)values)[row];
    default: return ((const i64*)values)[row];
  }
}

__device__ __forceinline__ u64 ordered_float(u32 bits) {
  u32 size = bits & 0x7fffffff;
  bits = size == 0 ? 0 : size > 0x7f800000 ? 0x7fc00000 : bits;
  return (bits & 0x80000000) != 0 ? ~bits : bits ^ 0x80000000;
}

__device__ __forceinline__ u64 ordered_double(u64 bits) {
  u64 size = bits & ~SIGN;
  bits = size == 0 ? 0 : size > 0x7ff0000000000000ull ? 0x7ff8000000000000ull : bits;
  return (bits & SIGN) != 0 ? ~bits : bits ^ SIGN;
}

// Eight bytes from any address, the first one highest. Reads up to 11 bytes from the aligned word below it on.
__device__ __forceinline__ u64 big_endian(const u8* p) {
  const u32* q = (const u32*)((u64)p & ~3ull);
  u32 shift = (u32)((u64)p & 3) * 8;
  u32 low = q[0];
  u32 high = q[1];
  if (shift != 0) {
    low = __funnelshift_r(low, high, shift);
    high = __funnelshift_r(high, q[2], shift);
  }
  return (u64)__byte_perm(low, 0, 0x0123) << 32 | __byte_perm(high, 0, 0x0123);
}

// Seven bytes of a text, and in the lowest byte how many there are, 8 if more follow.
__device__ __forceinline__ u64 text_number(const u8* text, u32 length, u32 round) {
  u64 from = (u64)round * 7;
  if (from >= length) {
    return 0;
  }
  u64 left = length - from;
  u64 word = big_endian(text + from);
  return left >= 8 ? (word & ~0xffull) | 8 : (word & (~0ull << (64 - 8 * left))) | left;
}

}  // namespace ara

using namespace ara;

// words[i] |= number << shift, of the rows rows[0..count) (null: from..) of a batch.
extern "C" __global__ void __launch_bounds__(THREADS) ara_sort_digit(
    const void* values, const u32* offsets, const u32* bits, const u32* ids, const u32* rows, u32 from, u32 count,
    u32 kind, u32 width, i64 min, i64 max, u32 digitBits, u32 flags, u32 round, u32 shift, u64* words) {
  u64 step = (u64)gridDim.x * THREADS;
  u64 mask = digitBits == 64 ? ~0ull : (1ull << digitBits) - 1;
  bool descending = flags & DESCENDING;
  bool nullsFirst = flags & NULLS_FIRST;
  bool slot = flags & NULL_SLOT;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    u32 row = rows == nullptr ? from + (u32)i : __ldcs(rows + i);
    row = ids == nullptr ? row : ids[row];
    bool null = (int)row < 0 || (bits != nullptr && !bit(bits, row));
    u64 number;
    if (kind == NULLS) {
      number = null == nullsFirst ? 0 : 1;
    } else if (null) {
      number = slot && !nullsFirst ? (u64)max - (u64)min + 1 : 0;
    } else {
      switch (kind) {
        case RANGED: {
          u64 value = (u64)integer(values, width, row);
          number = (descending ? (u64)max - value : value - (u64)min) + (slot && nullsFirst ? 1 : 0);
          break;
        }
        case SIGNED: number = (u64)integer(values, width, row) ^ SIGN; break;
        case HIGH: number = ((const u64*)values)[2ull * row + 1] ^ SIGN; break;
        case LOW: number = ((const u64*)values)[2ull * row]; break;
        case FLOAT: number = ordered_float(((const u32*)values)[row]); break;
        case DOUBLE: number = ordered_double(((const u64*)values)[row]); break;
        default: {
          u32 start = offsets[row];
          number = text_number((const u8*)values + start, offsets[row + 1] - start, round);
        }
      }
      number = descending && kind != RANGED ? ~number & mask : number;
    }
    words[i] |= number << shift;
  }
}

// range[0] and range[2]: the least and the greatest value, if there is one; set to the opposite ends before.
extern "C" __global__ void __launch_bounds__(THREADS) ara_value_range(
    const void* values, u32 width, const u32* bits, const u32* ids, u32 count, i64* range) {
  i64 least = (i64)(SIGN - 1);
  i64 most = (i64)SIGN;
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    u32 row = ids == nullptr ? (u32)i : __ldcs(ids + i);
    if ((int)row >= 0 && (bits == nullptr || bit(bits, row))) {
      i64 value = integer(values, width, row);
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) {
    i64 other = __shfl_xor_sync(ALL, least, distance);
    least = other < least ? other : least;
    other = __shfl_xor_sync(ALL, most, distance);
    most = other > most ? other : most;
  }
  if (lane() == 0 && least <= most) {
    atomicMin(range, least);
    atomicMax(range + 2, most);
  }
}

// Rows whose tie and key are a neighbour's, with new numbers of their ties. *result gets how many in its low 31 bits:
// a state has the rows kept there, and above the ties that begin among them.
extern "C" __global__ void __launch_bounds__(THREADS) ara_keep_ties(
    const u64* keys, const u32* ties, const u32* ids, u32 count, u32* outTies, u32* outIds, u64* states,
    u64* result) {
  bool single = count <= TIES_TILE;
  u32 tile = blockIdx.x;
  u32 warpFirst = tile * TIES_TILE + warp() * (32 * ROUNDS);
  auto same = [=](u32 row) { return keys[row] == keys[row + 1] && ties[row] == ties[row + 1]; };
  u32 keep[ROUNDS];
  u32 start[ROUNDS];
  u32 carry = 0;
  if (lane() == 0 && warpFirst > 0 && warpFirst < count) {
    carry = same(warpFirst - 1);
  }
  carry = __shfl_sync(ALL, carry, 0);
  u64 sum = 0;
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    u32 row = warpFirst + k * 32 + lane();
    u32 next = __ballot_sync(ALL, row + 1 < count && same(row));
    u32 last = next << 1 | carry;
    carry = next >> 31;
    keep[k] = next | last;
    start[k] = next & ~last;
    sum += (u64)__popc(keep[k]) | (u64)__popc(start[k]) << 31;
  }
  u64 total;
  u64 place = scan_warps(states, single, tile, sum, total);
  if (threadIdx.x == 0 && tile == (count - 1) / TIES_TILE) {
    *result = total;
  }
  u32 kept = (u32)place & 0x7fffffff;
  u32 groups = (u32)(place >> 31);
  u32 below = (1u << lane()) - 1;
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    if (keep[k] >> lane() & 1) {
      u32 at = kept + __popc(keep[k] & below);
      // The tie of a row is the last that has begun, itself included.
      outTies[at] = groups + __popc(start[k] & (below << 1 | 1)) - 1;
      outIds[at] = ids[warpFirst + k * 32 + lane()];
    }
    kept += __popc(keep[k]);
    groups += __popc(start[k]);
  }
}
