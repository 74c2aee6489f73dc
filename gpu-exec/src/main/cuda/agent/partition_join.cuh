// Join of two sides that have been partitioned alike, where the words of the build side are unique: a block chains one
// partition's words in shared memory by their hash, and finds a piece of the partition's probe rows there. Nothing is
// visited at random but shared memory: the chains first, and then, in the same memory, one column after the other.
#pragma once
#include "agent/columns.cuh"

namespace ara {

// Partitions of words of 4 bytes may be twice as large, which saves a bit of the partition passes. Those of 8 have half the
// chains, so that three blocks' memory fits a multiprocessor.
HOST_SHARED struct PartitionJoinPolicy {
  // Rows of a thread.
  static constexpr int ITEMS = 9;
  static constexpr int NARROW_THREADS = 1024;
  static constexpr int NARROW_CHAINS = 8192;
  static constexpr int NARROW_BLOCKS = 2;
  static constexpr int WIDE_THREADS = 512;
  static constexpr int WIDE_CHAINS = 4096;
  // Of a multiprocessor at once.
  static constexpr int WIDE_BLOCKS = 3;
  // Bytes of shared memory of a chain, and of a row beside its word.
  static constexpr int CHAIN_BYTES = 4;
  static constexpr int ROW_BYTES = 2;
  // 64-bit words before the list of pieces: how many there are, and how many have been taken.
  static constexpr int PIECES_HEADER = 2;
};

constexpr u32 NONE = 0xffff;

// What a join notes for the host besides the number of matches.
constexpr u64 EQUAL_WORDS = 1;
constexpr u64 TOO_MANY_ROWS = 2;

// A word's bits mixed, otherwise than for the partitions.
__device__ __forceinline__ u32 mixed(u32 w) {
  w *= 0xCC9E2D51u;
  w ^= w >> 15;
  return w * 0x1B873593u;
}

__device__ __forceinline__ u32 mixed(int word) { return mixed((u32)word); }

__device__ __forceinline__ u32 mixed(u64 word) { return mixed((u32)word ^ (u32)(word >> 32) * 0x9E3779B1u); }

// A join by blocks of JOIN_THREADS, each of which has ITEMS rows of either side: JOIN_ROWS are the build rows of a
// partition at most, and the probe rows of a piece.
template <class W, int JOIN_THREADS, int ITEMS, u32 CHAINS>
struct Join {
  static constexpr u32 JOIN_ROWS = JOIN_THREADS * ITEMS;
  static_assert(ITEMS % 3 == 0, "rows are asked for by threes");
  static_assert(8 * JOIN_ROWS <= 4 * CHAINS + (sizeof(W) + 2) * JOIN_ROWS, "room for two narrow columns");

  // What lies in shared memory: the last row of each chain, the words, the row before each row; then columns.
  u32* lasts;
  W* keys;
  u16* befores;

  __device__ __forceinline__ Join(unsigned char* shared)
      : lasts((u32*)shared), keys((W*)(lasts + CHAINS)), befores((u16*)(keys + JOIN_ROWS)) {}

  static __device__ __forceinline__ u32 chain_of(W word) { return __umulhi(mixed(word), CHAINS); }

  // Whether all words are different. Barriers stand before and behind.
  __device__ __forceinline__ bool insert(u32 rows) {
#pragma unroll 3
    for (u32 i = threadIdx.x; i < rows; i += JOIN_THREADS) {
      befores[i] = (u16)atomicExch(lasts + chain_of(keys[i]), i);
    }
    __syncthreads();
    bool unique = true;
#pragma unroll 3
    for (u32 i = threadIdx.x; i < rows; i += JOIN_THREADS) {
      unique &= find(keys[i], befores[i]) == NONE;
    }
    return unique;
  }

  // The row with a word, NONE if there is none, from a row of its chain on.
  __device__ __forceinline__ u32 find(W word, u32 row) const {
    while (row != NONE && keys[row] != word) {
      row = befores[row];
    }
    return row;
  }

  // out[i] = the value of the build row of probe row i, by way of shared memory.
  template <class T>
  static __device__ __forceinline__ void fetch(
      T* staged, const T* __restrict__ in, u32 rows, T* __restrict__ out, u32 pieceRows, const W (&ids)[ITEMS]) {
#pragma unroll 3
    for (u32 i = threadIdx.x; i < rows; i += JOIN_THREADS) {
      staged[i] = __ldcs(in + i);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      u32 i = k * JOIN_THREADS + threadIdx.x;
      if (i < pieceRows && (u32)ids[k] != NONE) {
        __stcs(out + i, staged[(u32)ids[k]]);
      }
    }
  }

  // Joins the probe rows from piece * JOIN_ROWS on of a partition. status[0] counts the matches, status[1] has what
  // else there is to say. `found` may be null.
  static __device__ __forceinline__ void run(
      u32 part, u32 piece, const W* __restrict__ buildWords, const u32* __restrict__ buildStarts,
      const W* __restrict__ probeWords, const u32* __restrict__ probeStarts, int* __restrict__ found, u64* status,
      u64 widths, const u64* in, const u64* out, unsigned char* shared) {
    u32 build = buildStarts[part];
    u32 rows = buildStarts[part + 1] - build;
    u32 first = probeStarts[part] + piece * JOIN_ROWS;
    u32 end = probeStarts[part + 1];
    u32 pieceRows = end - first < JOIN_ROWS ? end - first : JOIN_ROWS;
    if (pieceRows == 0) {
      return;
    }
    if (rows > JOIN_ROWS) {
      if (threadIdx.x == 0) {
        atomicOr(status + 1, TOO_MANY_ROWS);
      }
      return;
    }
    // The probe rows' words are on their way while the chains are made; what is found takes their place.
    W ids[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
      u32 i = k * JOIN_THREADS + threadIdx.x;
      ids[k] = i < pieceRows ? __ldcs(probeWords + first + i) : W(0);
    }
    Join chains(shared);
#pragma unroll
    for (u32 i = threadIdx.x; i < CHAINS / 4; i += JOIN_THREADS) {
      ((uint4*)chains.lasts)[i] = make_uint4(NONE, NONE, NONE, NONE);
    }
#pragma unroll 3
    for (u32 i = threadIdx.x; i < rows; i += JOIN_THREADS) {
      chains.keys[i] = __ldcs(buildWords + build + i);
    }
    __syncthreads();
    if (!chains.insert(rows)) {
      atomicOr(status + 1, EQUAL_WORDS);
    }
    u32 mine = 0;
#pragma unroll
    for (int group = 0; group < ITEMS; group += 3) {
      u32 last[3];
#pragma unroll
      for (int k = 0; k < 3; k++) {
        u32 i = (group + k) * JOIN_THREADS + threadIdx.x;
        last[k] = i < pieceRows ? chains.lasts[chain_of(ids[group + k])] : NONE;
      }
#pragma unroll
      for (int k = 0; k < 3; k++) {
        u32 id = chains.find(ids[group + k], last[k]);
        ids[group + k] = (W)id;
        mine += id != NONE;
      }
    }
    if (found != nullptr) {
#pragma unroll
      for (int k = 0; k < ITEMS; k++) {
        u32 i = k * JOIN_THREADS + threadIdx.x;
        if (i < pieceRows) {
          u32 id = (u32)ids[k];
          __stcs(found + first + i, id == NONE ? -1 : (int)(build + id));
        }
      }
    }
    u32 warpMatches = __reduce_add_sync(ALL, mine);
    if (lane() == 0 && warpMatches > 0) {
      atomicAdd(status, (u64)warpMatches);
    }
    // Narrow columns take turns in two places, so that the barrier in the middle of one says that all have done with the
    // one before the last; wide ones, as the chains, take both places.
    u32 room = 0;
    u32 last = 8;
#pragma unroll 1
    for (int c = 0; c < 8; c++) {
      u32 width = (u32)(widths >> (8 * c)) & 255;
      if (width == 0) {
        break;
      }
      if (width == 8 || last == 8) {
        __syncthreads();
        room = 0;
      }
      if (width == 4) {
        fetch((u32*)(shared + room), (const u32*)in[c] + build, rows, (u32*)out[c] + first, pieceRows, ids);
      } else if (width == 8) {
        fetch((u64*)shared, (const u64*)in[c] + build, rows, (u64*)out[c] + first, pieceRows, ids);
      } else if (width == 2) {
        fetch((u16*)(shared + room), (const u16*)in[c] + build, rows, (u16*)out[c] + first, pieceRows, ids);
      } else {
        fetch((u8*)(shared + room), (const u8*)in[c] + build, rows, (u8*)out[c] + first, pieceRows, ids);
      }
      room = 4 * JOIN_ROWS - room;
      last = width;
    }
  }
};

}  // namespace ara
