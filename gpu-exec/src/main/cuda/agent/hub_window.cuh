// Looks for the hubs of a step, and for the values that most of them have: from some of its bindings and of their values.
#pragma once
#include "agent/trie.cuh"

namespace ara {

HOST_SHARED struct HubPolicy {
  // Hubs, and values that have a bit.
  static constexpr int HUBS = 16384;
  static constexpr int ROW_BYTES = HUBS / 8;
  static constexpr int WINDOW_THREADS = 1024;
};

constexpr u32 HUBS = HubPolicy::HUBS;

// Which nodes are hubs, and which values have a bit in their rows.
HOST_SHARED struct HubWindow {
  u32 side;  // the hubs are nodes of this one
  u32 firstNode;
  int firstValue;
  u32 meanBits;  // of a row, estimated
};

constexpr u32 WINDOW_THREADS = HubPolicy::WINDOW_THREADS;
constexpr u32 WINDOW_SAMPLES = 4 * WINDOW_THREADS;
constexpr u32 WINDOW_BINS = 8192;

struct WindowSearch {
  u32 changes[MOST];
  u64 best;
  u32 side;
  u32 same;
  int least;
  int most;
  u32 bins[WINDOW_BINS];
};

// The side whose node differs most often from one binding to the next.
__device__ __forceinline__ void find_side(WindowSearch& search, const TrieStepArgs& step, u32 bindings) {
  for (u32 s = threadIdx.x; s < MOST; s += WINDOW_THREADS) {
    search.changes[s] = 0;
  }
  __syncthreads();
  for (u32 n = threadIdx.x; n < WINDOW_SAMPLES; n += WINDOW_THREADS) {
    u32 binding = (u32)((u64)n * (bindings - 1) / WINDOW_SAMPLES);
    for (u32 s = 0; s < step.sides; s++) {
      const u32* nodes = step.side[s].nodes + binding;
      if (__ldg(nodes) != __ldg(nodes + 1)) {
        atomicAdd(&search.changes[s], 1);
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    search.side = 0;
    for (u32 s = 1; s < step.sides; s++) {
      search.side = search.changes[s] >= search.changes[search.side] ? s : search.side;
    }
  }
  __syncthreads();
}

// The first of the neighbouring nodes with the most values: a multiple of HUBS from the first node, or from the last one.
__device__ __forceinline__ u32 find_nodes(WindowSearch& search, const u32* parents, u32 nodes) {
  u32 windows = (nodes + HUBS - 1) / HUBS;
  search.best = 0;
  __syncthreads();
  for (u32 w = threadIdx.x; w < 2 * windows; w += WINDOW_THREADS) {
    u32 behind = w < windows ? min(nodes, (w + 1) * HUBS) : nodes - (w - windows) * HUBS;
    u32 first = behind < HUBS ? 0 : w < windows ? w * HUBS : behind - HUBS;
    atomicMax(&search.best, (u64)(__ldg(parents + behind) - __ldg(parents + first)) << 32 | first);
  }
  __syncthreads();
  return (u32)search.best;
}

// The first of the values that the hubs have most often, of some of their values: those of the hubs' own numbers if these
// are nearly as many. Sets `found` to the number of samples in the window. Called by all threads.
__device__ __forceinline__ int find_values(
    WindowSearch& search, const TrieSideArgs& side, u32 low, u32 size, int own, u32& found) {
  for (u32 b = threadIdx.x; b < WINDOW_BINS; b += WINDOW_THREADS) {
    search.bins[b] = 0;
  }
  if (threadIdx.x == 0) {
    search.least = 0x7fffffff;
    search.most = -0x80000000;
    search.same = 0;
    search.best = 0;
  }
  __syncthreads();
  auto sample = [&](u32 n) { return __ldg(side.values + low + (u32)((u64)n * size / WINDOW_SAMPLES)); };
  for (u32 n = threadIdx.x; n < WINDOW_SAMPLES; n += WINDOW_THREADS) {
    int value = sample(n);
    atomicMin(&search.least, value);
    atomicMax(&search.most, value);
  }
  __syncthreads();
  int least = search.least;
  u32 range = (u32)search.most - (u32)least;
  u32 shift = 10;
  while (range >> shift >= WINDOW_BINS) {
    shift++;
  }
  for (u32 n = threadIdx.x; n < WINDOW_SAMPLES; n += WINDOW_THREADS) {
    int value = sample(n);
    atomicAdd(&search.bins[((u32)value - (u32)least) >> shift], 1);
    if ((u32)value - (u32)own < HUBS) {
      atomicAdd(&search.same, 1);
    }
  }
  __syncthreads();
  u32 width = max(1u, HUBS >> shift);
  for (u32 b = threadIdx.x; b < WINDOW_BINS; b += WINDOW_THREADS) {
    u32 sum = 0;
    for (u32 i = b; i < min(b + width, WINDOW_BINS); i++) {
      sum += search.bins[i];
    }
    atomicMax(&search.best, (u64)sum << 32 | (WINDOW_BINS - b));
  }
  __syncthreads();
  u32 best = (u32)(search.best >> 32);
  if (10 * (u64)search.same >= 9 * (u64)best) {
    found = search.same;
    return own;
  }
  found = best;
  return (int)((u32)least + ((WINDOW_BINS - (u32)search.best) << shift));
}

}  // namespace ara
