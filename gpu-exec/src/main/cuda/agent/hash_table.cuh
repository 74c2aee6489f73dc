// Maps from 64-bit words to 32-bit ids that live in device memory, as hash_build.cu builds and hash_probe.cu probes them.
//
// An id is -1 where there is none. Every layout starts as memory full of 0xFF bytes.
#pragma once
#include "thread/mix.cuh"

namespace ara {

// The word that marks a free slot. It may be a key as well: it has a slot of its own behind the others.
constexpr u64 FREE = ~0ull;

// Dense keys: one id for each word of a range.
struct DirectTable {
  int* ids;
  u64 base;
  u64 entries;

  typedef int Loaded;

  __device__ __forceinline__ u64 slot(u64 word) const { return word - base; }

  __device__ __forceinline__ Loaded load(u64 slot) const {
    return slot < entries ? __ldg(ids + slot) : -1;
  }

  __device__ __forceinline__ int find(u64, u64, Loaded id) const { return id; }

  __device__ __forceinline__ void setId(u64 slot, u32 id) const { ids[slot] = (int)id; }
};

// Keys of a limited range: offset from the least and id in one 64-bit slot, whose top bit is 0. Slots are in the order of
// keys that ascend and lie evenly, so that rows in that order visit slots one after the other; else of mixed keys.
struct PackedTable {
  u64* slots;
  u64 base;
  u64 range;
  u64 mask;
  int shift;
  int idBits;
  // Slots a key, times 2^64; 0 if keys are mixed.
  u64 scale;

  typedef u64 Loaded;

  __device__ __forceinline__ u64 slot(u64 word) const { return slot(word - base, mix(word - base)); }

  // The words outside the range, which are in no slot, may look at the last one.
  __device__ __forceinline__ u64 slot(u64 key, u64 mixed) const {
    return scale == 0 ? mixed >> shift : min(__umul64hi(key, scale), mask);
  }

  __device__ __forceinline__ Loaded load(u64 slot) const { return __ldg(slots + slot); }

  __device__ __forceinline__ int find(u64 word, u64 slot, Loaded item) const {
    u64 key = word - base;
    if (key > range) {
      return -1;
    }
    while (item != FREE) {
      if (item >> idBits == key) {
        return (int)(item & ((1ull << idBits) - 1));
      }
      slot = (slot + 1) & mask;
      item = load(slot);
    }
    return -1;
  }

  __device__ __forceinline__ void setId(u64 slot, u32 id) const {
    u64 idMask = (1ull << idBits) - 1;
    slots[slot] = (slots[slot] & ~idMask) | id;
  }
};

// A packed table whose ids take 32 bits and whose keys take 31, as words of 4 bytes look it up: key and id are halves of a
// slot, and nothing is computed in 64 bits. Base and range are those of words of 4 bytes as well, so that the distance of a
// word outside of the range is outside of it in 32 bits too.
template <bool ORDERED>
struct PackedTable32 {
  const uint2* slots;
  u32 base;
  u32 range;
  u32 mask;
  int shift;
  u64 scale;

  typedef uint2 Loaded;

  __device__ __forceinline__ u32 slot(u64 word) const {
    u32 key = (u32)word - base;
    if constexpr (ORDERED) {
      // The high word of key * scale.
      u64 low = (u64)key * (u32)scale >> 32;
      return min((u32)(((u64)key * (u32)(scale >> 32) + low) >> 32), mask);
    } else {
      return (u32)(mix(key) >> shift);
    }
  }

  __device__ __forceinline__ Loaded load(u32 slot) const { return __ldg(slots + slot); }

  __device__ __forceinline__ int find(u64 word, u32 slot, Loaded item) const {
    u32 key = (u32)word - base;
    if (key > range) {
      return -1;
    }
    while (item.y != ~0u) {
      if (item.y == key) {
        return (int)item.x;
      }
      slot = (slot + 1) & mask;
      item = load(slot);
    }
    return -1;
  }
};

// Any keys: word (8 bytes), id (4), 4 unused, in one 16-byte slot.
struct WideTable {
  ulonglong2* slots;
  u64 mask;
  int shift;

  typedef ulonglong2 Loaded;

  __device__ __forceinline__ u64 slot(u64 word) const {
    return word == FREE ? mask + 1 : mix(word) >> shift;
  }

  __device__ __forceinline__ Loaded load(u64 slot) const { return __ldg(slots + slot); }

  __device__ __forceinline__ int find(u64 word, u64 slot, Loaded item) const {
    while (item.x != word) {
      if (item.x == FREE) {
        return -1;
      }
      slot = (slot + 1) & mask;
      item = load(slot);
    }
    return (int)(u32)item.y;
  }

  __device__ __forceinline__ void setId(u64 slot, u32 id) const {
    reinterpret_cast<u32*>(slots + slot)[2] = id;
  }
};

// The ids of N words, whose first loads are all in flight before the first is looked at.
template <class Table, int N>
__device__ __forceinline__ void findAll(const Table& table, const u64 (&words)[N], int (&ids)[N]) {
  decltype(table.slot(words[0])) slots[N];
  typename Table::Loaded items[N];
#pragma unroll
  for (int j = 0; j < N; j++) {
    slots[j] = table.slot(words[j]);
    items[j] = table.load(slots[j]);
  }
#pragma unroll
  for (int j = 0; j < N; j++) {
    ids[j] = table.find(words[j], slots[j], items[j]);
  }
}

}  // namespace ara
