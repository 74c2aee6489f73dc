// Counters that the lanes of a warp count up together.
#pragma once
#include "thread/common.cuh"

namespace ara {

// Adds 1 to counters[slot] for every active lane, once for all lanes of one slot, and tells each lane the
// value it would have seen alone.
__device__ __forceinline__ u32 count_up(u32* counters, u32 slot) {
  u32 active = __activemask();
  u32 peers = __match_any_sync(active, slot);
  int leader = __ffs(peers) - 1;
  u32 before = 0;
  if ((int)lane() == leader) {
    before = atomicAdd(counters + slot, __popc(peers));
  }
  before = __shfl_sync(peers, before, leader);
  return before + __popc(peers & lanes_below());
}

}  // namespace ara
