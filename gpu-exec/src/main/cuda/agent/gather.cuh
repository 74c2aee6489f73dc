// Copies through row ids: materialize and append of fixed widths, gatherIds, scatter, mark, rehash.
#pragma once
#include "thread/common.cuh"

namespace ara {

// A warp's rows lie next to each other, 32 a round; all loads of a round trip to memory are issued before any is used.
HOST_SHARED struct GatherPolicy {
  static constexpr int ROUNDS = 8;
  static constexpr u32 TILE = 32 * ROUNDS * BlockPolicy::WARPS;
};

constexpr int ROUNDS = GatherPolicy::ROUNDS;
constexpr u32 GATHER_TILE = GatherPolicy::TILE;

struct Same {
  template <class T>
  __device__ __forceinline__ T operator()(T value, bool) const {
    return value;
  }
};

// Codes of another dictionary. What lies under a null is no code.
struct Translate {
  const u32* codes;
  __device__ __forceinline__ u32 operator()(u32 code, bool valid) const { return valid ? __ldg(codes + code) : 0; }
};

struct Widen {
  __device__ __forceinline__ ulonglong2 operator()(u64 value, bool) const {
    return make_ulonglong2(value, (u64)((i64)value >> 63));
  }
};

// Codes as row ids into the dictionary, -1 for nulls.
struct CodeIds {
  __device__ __forceinline__ u32 operator()(u32 code, bool valid) const { return valid ? code : ALL; }
};

template <class T>
__device__ __forceinline__ T nothing() {
  return 0;
}

template <>
__device__ __forceinline__ ulonglong2 nothing() {
  return make_ulonglong2(0, 0);
}

// Writes rows at..at + count - 1 of `out` and, unless null, of `outBits`, whose bits before `at` stay. `data` may be
// null for bits alone, `ids` null for row i, `bits` null for no nulls in the data. An id of -1 gives 0 and a null.
template <class T, class U, class Op>
__device__ __forceinline__ void gather(
    const T* data, const u32* ids, const u32* bits, U* out, u32* outBits, u32 at, u32 count, Op op) {
  u32 warpFirst = (at & ~31u) + blockIdx.x * GATHER_TILE + warp() * (32 * ROUNDS);
  u32 id[ROUNDS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    // Rows before `at` wrap around, so that one comparison leaves out both ends.
    u32 row = warpFirst + k * 32 + lane() - at;
    id[k] = row >= count ? ALL : ids == nullptr ? row : __ldcs(ids + row);
  }
  bool valid[ROUNDS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    valid[k] = (int)id[k] >= 0 && (bits == nullptr || bit(bits, id[k]));
  }
  if (data != nullptr) {
    T values[ROUNDS];
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
      values[k] = (int)id[k] >= 0 ? __ldg(data + id[k]) : nothing<T>();
    }
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
      u32 row = warpFirst + k * 32 + lane();
      if (row - at < count) {
        __stcs(out + row, op(values[k], valid[k]));
      }
    }
  }
  if (outBits != nullptr) {
    u32 word = 0;
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
      u32 round = __ballot_sync(ALL, valid[k]);
      word = lane() == k ? round : word;
    }
    u32 row = warpFirst + lane() * 32;
    if (lane() < ROUNDS && row < at + count) {
      u32 old = row < at ? outBits[row >> 5] & ((1u << (at & 31)) - 1) : 0;
      outBits[row >> 5] = old | word;
    }
  }
}

template <class T>
__device__ __forceinline__ void scatter(const T* in, const u32* ids, u32 count, T* out) {
  u32 first = blockIdx.x * GATHER_TILE + warp() * (32 * ROUNDS) + lane();
  u32 id[ROUNDS];
  T values[ROUNDS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    u32 row = first + k * 32;
    if (row < count) {
      id[k] = __ldcs(ids + row);
      values[k] = __ldcs(in + row);
    }
  }
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    if (first + k * 32 < count) {
      out[id[k]] = values[k];
    }
  }
}

}  // namespace ara
