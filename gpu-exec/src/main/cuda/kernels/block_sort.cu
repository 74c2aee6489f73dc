// A stable sort of a few thousand (key, id) pairs by one block, in place.
#include <cub/block/block_radix_sort.cuh>

#include "thread/common.cuh"

namespace ara {

HOST_SHARED struct BlockSortPolicy {
  static constexpr int ITEMS = 16;
  // Rows at most.
  static constexpr int ROWS = BlockPolicy::THREADS * ITEMS;
};

constexpr int PER = BlockSortPolicy::ITEMS;

}  // namespace ara

using namespace ara;

// Sorts by the key's bits in `mask`, which lie next to each other.
extern "C" __global__ void __launch_bounds__(THREADS) ara_sort_few(u64* keys, u32* ids, u32 count, u64 mask) {
  using Sort = cub::BlockRadixSort<u64, THREADS, PER, u32, 5>;
  __shared__ typename Sort::TempStorage storage;
  __shared__ u64 differs;
  if (threadIdx.x == 0) {
    differs = 0;
  }
  __syncthreads();
  u64 key[PER];
  u32 id[PER];
  u64 first = keys[0];
  u64 spread = 0;
#pragma unroll
  for (int k = 0; k < PER; k++) {
    u32 row = threadIdx.x * PER + k;
    bool there = row < count;
    // What is not there goes behind all that is: it has the largest key, and comes last.
    key[k] = there ? keys[row] : ~0ull;
    id[k] = there ? ids[row] : 0;
    spread |= there ? key[k] ^ first : 0;
  }
  atomicOr(&differs, spread & mask);
  __syncthreads();
  u64 bits = differs;
  if (bits == 0) {
    return;
  }
  Sort(storage).SortBlockedToStriped(key, id, __ffsll((i64)bits) - 1, 64 - __clzll((i64)bits));
#pragma unroll
  for (int k = 0; k < PER; k++) {
    u32 row = k * THREADS + threadIdx.x;
    if (row < count) {
      keys[row] = key[k];
      ids[row] = id[k];
    }
  }
}
