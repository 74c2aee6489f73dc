// The kernels that copy through row ids: materialize and append of fixed widths, gatherIds, scatter, mark, rehash.
#include "agent/gather.cuh"

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
