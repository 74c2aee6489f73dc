// The kernels of trieLevel, trieStarts, trieRanges, trieMatch and trieCount.
#include "agent/trie.cuh"

using namespace ara;

extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_shift(
    const u64* words, u32 count, u32 shift, u64* out) {
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += grid) {
    out[i] = words[i] >> shift;
  }
}

// The word and the value of each run.
extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_runs(
    const u64* words, const u32* starts, u32 runs, u64 mask, int min, u64* outWords, int* outValues) {
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < runs; i += grid) {
    u64 word = words[starts[i]];
    outWords[i] = word;
    outValues[i] = (int)(u32)(word & mask) + min;
  }
}

// out[i]: how many words are smaller than i without their low bits, for i in 0..size.
extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_starts(
    const u64* words, u32 count, u32 shift, u32 size, u32* out) {
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i <= size; i += grid) {
    out[i] = lower_bound(0u, count, [=](u32 at) { return __ldg(words + at) >> shift < i; });
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_ranges(
    const TrieStepArgs* global, u32 bindings, u32* outSides, u32* outFirsts, u32* outCounts) {
  __shared__ TrieStepArgs step;
  load(global, step);
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < bindings; i += grid) {
    u32 best = 0;
    u32 low;
    u32 high;
    open(step.side[0], i, low, high);
    for (u32 s = 1; s < step.sides; s++) {
      u32 first;
      u32 end;
      open(step.side[s], i, first, end);
      if (end - first < high - low) {
        best = s;
        low = first;
        high = end;
      }
    }
    if (step.bounds > 0) {
      Range range;
      for (u32 b = 0; b < step.bounds; b++) {
        range.limit(step.bound[b].kind, __ldg(step.bound[b].values + i));
      }
      range.cut(step.side[best].values, step.side[best].min, low, high);
    }
    outSides[i] = best;
    outFirsts[i] = low;
    outCounts[i] = high - low;
  }
}

#define ARA_TRIE(NAME, K)                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_match##NAME(                                         \
      const TrieStepArgs* step, const u32* chosen, const u32* bindings, const u32* offered, u32 candidates,           \
      u32* outBindings, int* outValues, u32* found) {                                                                 \
    match<K>(step, chosen, bindings, offered, candidates, outBindings, outValues, found);                             \
  }                                                                                                                   \
  extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_count##NAME(                                         \
      const TrieStepArgs* step, const u32* chosen, const u32* bindings, const u32* offered, u32 candidates, u64* out, \
      u32* overflow) {                                                                                                \
    count<K>(step, chosen, bindings, offered, candidates, out, overflow);                                             \
  }

ARA_TRIE(1, 1)
ARA_TRIE(2, 2)
ARA_TRIE(3, 3)
ARA_TRIE(_n, 0)

// Multiplies each count by the rows that its binding has reached in other relations.
extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_weigh(
    const TrieStepArgs* global, u32 bindings, u64* counts, u32* overflow) {
  __shared__ TrieStepArgs step;
  load(global, step);
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < bindings; i += grid) {
    u64 count = counts[i];
    for (u32 w = 0; w < step.weights && count != 0; w++) {
      u32 node = __ldg(step.weight[w].nodes + i);
      count = multiply(count, step.weight[w].starts[node + 1] - step.weight[w].starts[node], overflow);
    }
    counts[i] = count;
  }
}
