// Copies through row ids: materialize and append of fixed widths, gatherIds, scatter, mark, rehash.
#include "thread/common.cuh"

namespace ara {

// A warp's rows lie next to each other, 32 a round; all loads of a round trip to memory are issued before any is used.
constexpr int ROUNDS = 8;
constexpr u32 GATHER_TILE = 32 * ROUNDS * WARPS;

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

using namespace ara;

#define GATHER(NAME, T, U, OP)                                                                                   \
  extern "C" __global__ void __launch_bounds__(THREADS) NAME(                                                    \
      const T* data, const u32* ids, const u32* bits, U* out, u32* outBits, u32 at, u32 count) {                 \
    gather(data, ids, bits, out, outBits, at, count, OP());                                                      \
  }

GATHER(ara_gather_1, u8, u8, Same)
GATHER(ara_gather_2, u16, u16, Same)
GATHER(ara_gather_4, u32, u32, Same)
GATHER(ara_gather_8, u64, u64, Same)
GATHER(ara_gather_16, ulonglong2, ulonglong2, Same)
GATHER(ara_gather_widen, u64, ulonglong2, Widen)
GATHER(ara_gather_codes, u32, u32, CodeIds)

extern "C" __global__ void __launch_bounds__(THREADS) ara_gather_translate(
    const u32* data, const u32* ids, const u32* bits, u32* out, u32* outBits, u32 at, u32 count, const u32* codes) {
  gather(data, ids, bits, out, outBits, at, count, Translate{codes});
}

// out[i] = ids[positions[i]], -1 where the position is -1.
extern "C" __global__ void __launch_bounds__(THREADS) ara_gather_ids(
    const u32* ids, const u32* positions, u32 count, u32* out) {
  u32 first = blockIdx.x * GATHER_TILE + warp() * (32 * ROUNDS) + lane();
  u32 position[ROUNDS];
  u32 id[ROUNDS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    u32 row = first + k * 32;
    position[k] = row < count ? __ldcs(positions + row) : ALL;
  }
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    id[k] = (int)position[k] >= 0 ? __ldg(ids + position[k]) : ALL;
  }
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    u32 row = first + k * 32;
    if (row < count) {
      __stcs(out + row, id[k]);
    }
  }
}

#define SCATTER(NAME, T)                                                                                          \
  extern "C" __global__ void __launch_bounds__(THREADS) NAME(const T* in, const u32* ids, u32 count, T* out) {    \
    scatter(in, ids, count, out);                                                                                 \
  }

SCATTER(ara_scatter_1, u8)
SCATTER(ara_scatter_2, u16)
SCATTER(ara_scatter_4, u32)
SCATTER(ara_scatter_8, u64)
SCATTER(ara_scatter_16, ulonglong2)

// flags[ids[i]] = 1 but for ids of -1. Ids may repeat: all write the same.
extern "C" __global__ void __launch_bounds__(THREADS) ara_mark(const u32* ids, u32 count, u8* flags) {
  u32 first = blockIdx.x * GATHER_TILE + warp() * (32 * ROUNDS) + lane();
  u32 id[ROUNDS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    u32 row = first + k * 32;
    id[k] = row < count ? __ldcs(ids + row) : ALL;
  }
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    if ((int)id[k] >= 0) {
      flags[id[k]] = 1;
    }
  }
}

// KeyHash.combine(words[row], KeyHash.ofLong(groups[row] + 1)) of the rows at `positions`.
extern "C" __global__ void __launch_bounds__(THREADS) ara_rehash(
    const u64* words, const u32* groups, const u32* positions, u32 count, u64* out) {
  u32 step = gridDim.x * THREADS;
  for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    u32 row = positions[i];
    u64 hash = (u64)((i64)(int)groups[row] + 1) * 0xA0761D6478BD642Full;
    u64 x = (words[row] ^ hash) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 32) * 0x94D049BB133111EBull;
    out[i] = x ^ x >> 29;
  }
}

// Bits 0..count - 1 of `in` (null: ones; `in` null and `zeros`: zeros) to bit `at` and on of `out`, a word a thread.
extern "C" __global__ void __launch_bounds__(THREADS) ara_copy_bits(
    const u32* in, u32 zeros, u32* out, u32 at, u32 count) {
  u32 word = (at >> 5) + blockIdx.x * THREADS + threadIdx.x;
  if (word > (at + count - 1) >> 5) {
    return;
  }
  u32 shift = at & 31;
  u32 value = zeros ? 0 : ALL;
  if (in != nullptr) {
    u32 source = word - (at >> 5);
    value = in[source] << shift;
    if (shift != 0 && source > 0) {
      value |= in[source - 1] >> (32 - shift);
    }
  }
  u32 keep = word == at >> 5 ? (1u << shift) - 1 : 0;
  out[word] = (keep == 0 ? 0 : out[word] & keep) | (value & ~keep);
}

// out[i] = in[i] + delta for i in 0..count: the offsets of texts that are copied in one piece.
extern "C" __global__ void __launch_bounds__(THREADS) ara_shift_offsets(
    const u32* in, u32 delta, u32 count, u32* out) {
  u32 first = blockIdx.x * GATHER_TILE + threadIdx.x;
#pragma unroll
  for (int k = 0; k < ROUNDS; k++) {
    u32 i = first + k * THREADS;
    if (i <= count) {
      out[i] = in[i] + delta;
    }
  }
}
