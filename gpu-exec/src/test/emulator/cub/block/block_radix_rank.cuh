// Stands for CUB's ranking of a block's digits, one thread for all. Places are as CUB has them: warps, then a thread's items,
// then lanes.
#pragma once
#include "simt.h"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING_MEMOIZE };
enum WarpMatchAlgorithm { WARP_MATCH_ANY };

template <int BLOCK, int BITS, bool DESCENDING, BlockScanAlgorithm SCAN, WarpMatchAlgorithm MATCH, int PARTS>
struct BlockRadixRankMatchEarlyCounts {
  static constexpr int BINS = 1 << BITS;
  static constexpr int MOST_ITEMS = 16;
  static_assert(!DESCENDING && BINS <= BLOCK, "as kernels here use it");

  struct TempStorage {
    // First digits, then ranks.
    unsigned short places[BLOCK * MOST_ITEMS];
    int counts[BINS];
    int starts[BINS];
  };

  TempStorage& storage;

  explicit BlockRadixRankMatchEarlyCounts(TempStorage& storage) : storage(storage) {}

  template <class Key, int ITEMS, class Extractor, class Callback>
  void RankKeys(Key (&keys)[ITEMS], int (&ranks)[ITEMS], Extractor extractor, int (&before)[1], Callback callback) {
    static_assert(ITEMS <= MOST_ITEMS, "room for a tile");
    unsigned first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
    for (int k = 0; k < ITEMS; k++) {
      storage.places[first + 32 * k] = static_cast<unsigned short>(extractor.Digit(keys[k]));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      std::memset(storage.counts, 0, sizeof storage.counts);
      for (int i = 0; i < BLOCK * ITEMS; i++) {
        storage.counts[storage.places[i]]++;
      }
      int sum = 0;
      for (int digit = 0; digit < BINS; digit++) {
        storage.starts[digit] = sum;
        sum += storage.counts[digit];
      }
      std::vector<int> next(storage.starts, storage.starts + BINS);
      for (int i = 0; i < BLOCK * ITEMS; i++) {
        storage.places[i] = static_cast<unsigned short>(next[storage.places[i]]++);
      }
    }
    __syncthreads();
    bool has = threadIdx.x < BINS;
    int count[1] = {has ? storage.counts[threadIdx.x] : 0};
    callback(count);
    before[0] = has ? storage.starts[threadIdx.x] : 0;
    for (int k = 0; k < ITEMS; k++) {
      ranks[k] = storage.places[first + 32 * k];
    }
  }
};

}  // namespace cub
