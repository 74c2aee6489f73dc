// Building the hash tables of joins. See CudaHashTable for the order of launches.
//
// A build inserts the words, each with its row as id, and notes the slot of each. If the words turn out to
// be unique, that is all. Otherwise the rows of each slot are counted, every used slot gets a range of a list
// and its number as id, and the rows are written to their ranges. Many rows are sorted by their words
// instead (hash_build_sorted.cu).
#pragma once
#include "agent/hash_lookup.cuh"
#include "block/sum.cuh"
#include "warp/count_up.cuh"
#include "warp/reduce.cuh"
#include "warp/scan.cuh"

namespace ara {

constexpr int BOUNDS_ITEMS = 8;

// Bounds of words: out[0] the least and out[1] the complement of the greatest as unsigned numbers, out[2] and
// out[3] the same for words with the top bit flipped (signed order), out[4] the complement of the greatest row id; bits 0
// and 1 of out[5] stay if no word is less than the one before as an unsigned, or signed, number. out must be full of 0xFF
// bytes.
template <class W>
__device__ __forceinline__ void bounds(const W* __restrict__ words, const u32* __restrict__ rows, u32 count, u64* out) {
  u64 low = FREE, high = FREE, signedLow = FREE, signedHigh = FREE, row = FREE;
  bool falls = false, signedFalls = false;
  u64 step = (u64)gridDim.x * THREADS;
  u64 first = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (sizeof(W) == 4) {
    // As 32-bit numbers, whose unsigned and signed orders are those of the wide words.
    u32 least = ~0u, most = 0;
    int signedLeast = 0x7fffffff, signedMost = -0x7fffffff - 1;
    for (u64 i = first; i < count; i += BOUNDS_ITEMS * step) {
      int some[BOUNDS_ITEMS];
#pragma unroll
      for (int k = 0; k < BOUNDS_ITEMS; k++) {
        some[k] = (int)words[i + k * step < count ? i + k * step : i];
      }
#pragma unroll
      for (int k = 0; k < BOUNDS_ITEMS; k++) {
        int next = i + k * step + 1 < count ? (int)words[i + k * step + 1] : some[k];
        falls |= i + k * step + 1 < count && (u32)next < (u32)some[k];
        signedFalls |= i + k * step + 1 < count && next < some[k];
      }
#pragma unroll
      for (int k = 0; k < BOUNDS_ITEMS; k++) {
        least = min(least, (u32)some[k]);
        most = max(most, (u32)some[k]);
        signedLeast = min(signedLeast, some[k]);
        signedMost = max(signedMost, some[k]);
      }
    }
    if (first < count) {
      low = wide((int)least);
      high = ~wide((int)most);
      signedLow = wide(signedLeast) ^ 1ull << 63;
      signedHigh = ~(wide(signedMost) ^ 1ull << 63);
    }
  } else {
    for (u64 i = first; i < count; i += BOUNDS_ITEMS * step) {
      u64 some[BOUNDS_ITEMS];
#pragma unroll
      for (int k = 0; k < BOUNDS_ITEMS; k++) {
        some[k] = wide(words[i + k * step < count ? i + k * step : i]);
      }
#pragma unroll
      for (int k = 0; k < BOUNDS_ITEMS; k++) {
        u64 next = i + k * step + 1 < count ? wide(words[i + k * step + 1]) : FREE;
        falls |= i + k * step + 1 < count && next < some[k];
        signedFalls |= i + k * step + 1 < count && (i64)next < (i64)some[k];
      }
#pragma unroll
      for (int k = 0; k < BOUNDS_ITEMS; k++) {
        u64 s = some[k] ^ 1ull << 63;
        low = min(low, some[k]);
        high = min(high, ~some[k]);
        signedLow = min(signedLow, s);
        signedHigh = min(signedHigh, ~s);
      }
    }
  }
  if (rows != nullptr) {
    for (u64 i = first; i < count; i += step) {
      row = min(row, ~(u64)rows[i]);
    }
  }
  low = warp_min(low);
  high = warp_min(high);
  signedLow = warp_min(signedLow);
  signedHigh = warp_min(signedHigh);
  row = warp_min(row);
  u64 ascends = FREE ^ (__any_sync(~0u, falls) ? 1 : 0) ^ (__any_sync(~0u, signedFalls) ? 2 : 0);
  if (lane() == 0) {
    // Many warps, few that have something new to say.
    volatile u64* known = out;
    if (low < known[0]) atomicMin(out, low);
    if (high < known[1]) atomicMin(out + 1, high);
    if (signedLow < known[2]) atomicMin(out + 2, signedLow);
    if (signedHigh < known[3]) atomicMin(out + 3, signedHigh);
    if (row < known[4]) atomicMin(out + 4, row);
    if ((known[5] & ~ascends) != 0) atomicAnd(out + 5, ascends);
  }
}

// Direct layout: whichever row of a word is stored last stays. The used entries are counted afterwards.
template <class W>
__device__ __forceinline__ void insertDirect(const W* __restrict__ words, const int* __restrict__ rows, u32 count,
                                             int* ids, u64 base, u32* slotOf) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 words4[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    words4[j] = i < count ? wide(words[i]) : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      u32 slot = (u32)(words4[j] - base);
      ids[slot] = rows == nullptr ? (int)i : rows[i];
      slotOf[i] = slot;
    }
  }
}

// steps[0]: adds up slots that were passed in a table in the order of keys; steps[1] is set if a row has given up.
template <class W>
__device__ __forceinline__ void insertPacked(const PackedTable& table, const W* __restrict__ words,
                                             const u32* __restrict__ rows, u32 count, u32* slotOf, u64* claimed,
                                             u64* steps) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 keys[ITEMS], places[ITEMS], items[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    keys[j] = i < count ? wide(words[i]) - table.base : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    places[j] = table.slot(keys[j], mix(keys[j]));
    items[j] = __ldcg(table.slots + places[j]);
  }
  u32 mine = 0, passed = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      u64 slot = places[j];
      u64 item = items[j];
      u32 most = passed + MOST_PASSED;
      u64 wanted = keys[j] << table.idBits | (rows == nullptr ? (u32)i : rows[i]);
      while (true) {
        if (item == FREE) {
          item = atomicCAS(table.slots + slot, FREE, wanted);
          if (item == FREE) {
            mine++;
            break;
          }
        }
        if (item >> table.idBits == keys[j]) {
          break;
        }
        slot = (slot + 1) & table.mask;
        item = __ldcg(table.slots + slot);
        if (table.scale != 0 && ++passed >= most) {
          steps[1] = 1;
          break;
        }
      }
      slotOf[i] = (u32)slot;
    }
  }
  add_block_sum(mine, claimed);
  add_block_sum(passed, steps);
}

template <class W>
__device__ __forceinline__ void insertWide(const W* __restrict__ words, const u32* __restrict__ rows, u32 count,
                                           u64* slots, u64 mask, int shift, u32* slotOf, u64* claimed) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 keys[ITEMS], places[ITEMS], items[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    keys[j] = i < count ? wide(words[i]) : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    places[j] = keys[j] == FREE ? mask + 1 : mix(keys[j]) >> shift;
    items[j] = __ldcg(slots + 2 * places[j]);
  }
  u32 mine = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      u64 slot = places[j];
      u64 item = items[j];
      u32 row = rows == nullptr ? (u32)i : rows[i];
      if (keys[j] == FREE) {
        // Its slot has no word to claim it by; the id tells.
        int* id = reinterpret_cast<int*>(slots + 2 * slot + 1);
        if (__ldcg(id) < 0 && atomicCAS(id, -1, (int)row) < 0) {
          mine++;
        }
      } else {
        while (true) {
          if (item == FREE) {
            item = atomicCAS(slots + 2 * slot, FREE, keys[j]);
            if (item == FREE) {
              *reinterpret_cast<u32*>(slots + 2 * slot + 1) = row;
              mine++;
              break;
            }
          }
          if (item == keys[j]) {
            break;
          }
          slot = (slot + 1) & mask;
          item = __ldcg(slots + 2 * slot);
        }
      }
      slotOf[i] = (u32)slot;
    }
  }
  add_block_sum(mine, claimed);
}

// Numbers the used slots, gives each a range of the list and sets its id to its number. Afterwards counts[slot]
// is where its range starts, to be counted up by ara_hash_scatter.
// cursor: used slots so far << 32 | rows so far. most: the largest count.
template <class Table>
__device__ __forceinline__ void assignRanges(const Table& table, u32* counts, u64 slots, u64* cursor,
                                             u32* starts, u32* most) {
  __shared__ u64 warpTotals[THREADS / 32];
  __shared__ u64 tileStart;
  u64 first = ((u64)blockIdx.x * THREADS + threadIdx.x) * ITEMS;
  u32 mine[ITEMS];
  u64 sum = 0;
  u32 largest = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    mine[j] = first + j < slots ? counts[first + j] : 0;
    largest = max(largest, mine[j]);
    sum += mine[j] > 0 ? (1ull << 32) + mine[j] : 0;
  }
  u64 inclusive = warp_inclusive(sum);
  if (lane() == 31) {
    warpTotals[warp()] = inclusive;
  }
  largest = __reduce_max_sync(~0u, largest);
  if (lane() == 0 && largest > *(volatile u32*)most) {
    atomicMax(most, largest);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 total = 0;
    for (int w = 0; w < THREADS / 32; w++) {
      u64 t = warpTotals[w];
      warpTotals[w] = total;
      total += t;
    }
    tileStart = total == 0 ? 0 : atomicAdd(cursor, total);
  }
  __syncthreads();
  u64 place = tileStart + warpTotals[warp()] + inclusive - sum;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    if (mine[j] > 0) {
      u32 number = (u32)(place >> 32);
      starts[number] = (u32)place;
      counts[first + j] = (u32)place;
      table.setId(first + j, number);
      place += (1ull << 32) + mine[j];
    }
  }
}

}  // namespace ara
