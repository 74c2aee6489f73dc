// The kernels of trieCount where bindings end at hubs.
#include "agent/hub_bitmap.cuh"

using namespace ara;

// Looks for the hubs of a step; one block.
extern "C" __global__ void __launch_bounds__(HubPolicy::WINDOW_THREADS) ara_hub_window(
    const TrieStepArgs* global, u32 bindings, HubWindow* out) {
  __shared__ TrieStepArgs step;
  __shared__ WindowSearch search;
  load(global, step);
  find_side(search, step, bindings);
  const TrieSideArgs& side = step.side[search.side];
  u32 nodes = side.parentSize;
  u32 firstNode = find_nodes(search, side.parents, nodes);
  u32 low = __ldg(side.parents + firstNode);
  u32 size = __ldg(side.parents + min(nodes, firstNode + HUBS)) - low;
  __syncthreads();
  u32 found = 0;
  int firstValue = size == 0 ? 0 : find_values(search, side, low, size, (int)((u32)side.min + firstNode), found);
  if (threadIdx.x == 0) {
    *out = {search.side, firstNode, firstValue, (u32)((u64)size * found / WINDOW_SAMPLES / HUBS)};
  }
}

// The row of each hub, a warp a hub.
extern "C" __global__ void __launch_bounds__(THREADS) ara_hub_rows(
    const TrieStepArgs* global, const HubWindow* window, u32* outRows, HubGap* outGaps) {
  __shared__ u32 words[WARPS][ROW_WORDS];
  u32 hub = blockIdx.x * WARPS + warp();
  const TrieSideArgs& side = global->side[window->side];
  u32 node = window->firstNode + hub;
  u32 nodes = side.parentSize;
  int firstValue = window->firstValue;
  u32 low = node < nodes ? __ldg(side.parents + node) : 0;
  u32 end = node < nodes ? __ldg(side.parents + node + 1) : 0;
  u32 high = end;
  u32 first = set_row(side.values, low, high, firstValue, words[warp()]);
  for (u32 k = lane(); k < ROW_WORDS; k += 32) {
    outRows[(u64)hub * ROW_WORDS + k] = words[warp()][k];
  }
  if (lane() == 0) {
    i64 below = first > low ? (i64)__ldg(side.values + first - 1) : -0x80000001ll;
    i64 above = high < end ? (i64)__ldg(side.values + high) : 0x80000000ll;
    outGaps[hub] = {below, above};
  }
}

#define ARA_HUB_COUNT(SIDES)                                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS) ara_hub_count##SIDES(                                       \
      const TrieStepArgs* global, u32 bindings, const HubWindow* window, const u32* rows, const HubGap* gaps,       \
      u64* out, u32* outOthers, u32* others) {                                                                      \
    __shared__ TrieStepArgs step;                                                                                   \
    __shared__ HubScratch scratch[WARPS];                                                                           \
    load(global, step);                                                                                             \
    HubRows hubs = {*window, rows, gaps};                                                                           \
    if (threadIdx.x == 0) {                                                                                         \
      TrieSideArgs last = step.side[SIDES - 1];                                                                     \
      step.side[SIDES - 1] = step.side[hubs.window.side];                                                           \
      step.side[hubs.window.side] = last;                                                                           \
    }                                                                                                               \
    __syncthreads();                                                                                                \
    count_at_hubs<SIDES>(step, bindings, hubs, scratch[warp()], out, outOthers, others);                            \
  }

ARA_HUB_COUNT(2)
ARA_HUB_COUNT(3)
ARA_HUB_COUNT(4)
