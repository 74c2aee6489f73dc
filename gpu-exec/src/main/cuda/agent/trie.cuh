// Tries and their intersection: trieLevel, trieStarts, trieRanges, trieMatch, trieCount.
#pragma once
#include "thread/trie_search.cuh"

namespace ara {

HOST_SHARED struct TriePolicy {
  // Sides of a step, and bounds and weights, as TrieStep says.
  static constexpr int MOST = 16;
};

constexpr int MOST = TriePolicy::MOST;

// Pointers may be null where the Java records say so.
HOST_SHARED struct TrieSideArgs {
  const int* values;
  const u32* parents;
  const u32* nodes;
  const u32* starts;
  int min;
  u32 size;
  u32 counted;
  u32 parentSize;
};

HOST_SHARED struct TrieBoundArgs {
  const int* values;
  u64 kind;
};

HOST_SHARED struct TrieWeightArgs {
  const u32* starts;
  const u32* nodes;
};

HOST_SHARED struct TrieStepArgs {
  u32 sides;
  u32 bounds;
  u32 weights;
  u32 different;  // whether a bound is DIFFERENT
  TrieSideArgs side[TriePolicy::MOST];
  TrieBoundArgs bound[TriePolicy::MOST];
  TrieWeightArgs weight[TriePolicy::MOST];
  u32* positions[TriePolicy::MOST];
};

// The step in shared memory: threads read it all the time.
__device__ __forceinline__ void load(const TrieStepArgs* from, TrieStepArgs& to) {
  for (u32 i = threadIdx.x; i < sizeof(TrieStepArgs) / 4; i += blockDim.x) {
    ((u32*)&to)[i] = ((const u32*)from)[i];
  }
  __syncthreads();
}

__device__ __forceinline__ void open(const TrieSideArgs& side, u32 binding, u32& low, u32& high) {
  if (side.parents == nullptr) {
    low = 0;
    high = side.size;
  } else {
    u32 node = __ldg(side.nodes + binding);
    low = __ldg(side.parents + node);
    high = __ldg(side.parents + node + 1);
  }
}

__device__ __forceinline__ u32 seek(const TrieSideArgs& side, u32 low, u32 high, i64 value) {
  return seek(side.values, side.min, low, high, value);
}

__device__ __forceinline__ int value_at(const TrieSideArgs& side, u32 position) {
  return side.values == nullptr ? side.min + (int)position : __ldg(side.values + position);
}

__device__ __forceinline__ u32 rows_at(const TrieSideArgs& side, u32 position) {
  return side.starts == nullptr ? 1 : __ldg(side.starts + position + 1) - __ldg(side.starts + position);
}

// Whether the value at a position of the side that offers it is one of all sides; `keep(side, position, rows)` gets
// where each has it. K: how many sides, 0 if that is only known to the step.
template <int K, class Keep>
__device__ __forceinline__ bool matches(const TrieStepArgs& step, u32 chosen, u32 binding, u32 at, int& value, Keep keep) {
  const TrieSideArgs& offering = step.side[chosen];
  value = value_at(offering, at);
  u32 rows = rows_at(offering, at);
  if (rows == 0) {
    return false;
  }
  if (step.different) {
    for (u32 b = 0; b < step.bounds; b++) {
      if (step.bound[b].kind == DIFFERENT && __ldg(step.bound[b].values + binding) == value) {
        return false;
      }
    }
  }
  keep(chosen, at, rows);
  u32 count = K > 0 ? K : step.sides;
#pragma unroll
  for (u32 s = 0; s < count; s++) {
    if (s == chosen) {
      continue;
    }
    const TrieSideArgs& side = step.side[s];
    u32 low;
    u32 high;
    open(side, binding, low, high);
    u32 found = seek(side, low, high, value);
    if (found == high || value_at(side, found) != value) {
      return false;
    }
    u32 own = rows_at(side, found);
    if (own == 0) {
      return false;
    }
    keep(s, found, own);
  }
  return true;
}

template <int K>
__device__ __forceinline__ void match(
    const TrieStepArgs* global, const u32* chosen, const u32* bindings, const u32* offered, u32 candidates, u32* outBindings,
    int* outValues, u32* found) {
  __shared__ TrieStepArgs step;
  __shared__ u32 sums[WARPS];
  __shared__ u32 base;
  load(global, step);
  u32 rounds = (candidates + gridDim.x * THREADS - 1) / (gridDim.x * THREADS);
  for (u32 round = 0; round < rounds; round++) {
    u32 i = (round * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
    u32 positions[K > 0 ? K : MOST];
    u32 binding = 0;
    int value = 0;
    bool there = false;
    if (i < candidates) {
      binding = __ldcs(bindings + i);
      there = matches<K>(step, __ldg(chosen + binding), binding, __ldcs(offered + i), value, [&](u32 s, u32 at, u32) {
        if (K > 0) {
#pragma unroll
          for (int k = 0; k < K; k++) {
            positions[k] = s == k ? at : positions[k];
          }
        } else {
          positions[s] = at;
        }
      });
    }
    u32 ballot = __ballot_sync(ALL, there);
    if (lane() == 0) {
      sums[warp()] = __popc(ballot);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      u32 total = 0;
      for (int w = 0; w < WARPS; w++) {
        u32 own = sums[w];
        sums[w] = total;
        total += own;
      }
      base = total == 0 ? 0 : atomicAdd(found, total);
    }
    __syncthreads();
    if (there) {
      u32 out = base + sums[warp()] + __popc(ballot & ((1u << lane()) - 1));
      outBindings[out] = binding;
      if (outValues != nullptr) {
        outValues[out] = value;
      }
      u32 count = K > 0 ? K : step.sides;
#pragma unroll
      for (u32 s = 0; s < count; s++) {
        if (step.positions[s] != nullptr) {
          step.positions[s][out] = positions[s];
        }
      }
    }
    __syncthreads();
  }
}

template <int K>
__device__ __forceinline__ void count(
    const TrieStepArgs* global, const u32* chosen, const u32* bindings, const u32* offered, u32 candidates, u64* out,
    u32* overflow) {
  __shared__ TrieStepArgs step;
  load(global, step);
  u32 rounds = (candidates + gridDim.x * THREADS - 1) / (gridDim.x * THREADS);
  for (u32 round = 0; round < rounds; round++) {
    u32 i = (round * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
    u32 binding = ALL;
    u64 rows = 1;
    bool there = false;
    if (i < candidates) {
      binding = __ldcs(bindings + i);
      int value;
      there = matches<K>(step, __ldg(chosen + binding), binding, __ldcs(offered + i), value, [&](u32 s, u32, u32 own) {
        if (step.side[s].counted) {
          rows = multiply(rows, own, overflow);
        }
      });
    }
    // Neighbours have the same binding often: one of them adds for all, if each counts once.
    u32 found = __ballot_sync(ALL, there);
    u32 several = __ballot_sync(ALL, there && rows != 1);
    if (found == 0) {
      continue;
    }
    u32 peers = __match_any_sync(ALL, binding);
    if ((several & peers) == 0) {
      if (lane() == __ffs(peers) - 1 && (found & peers) != 0) {
        add(out + binding, __popc(found & peers), overflow);
      }
    } else if (there) {
      add(out + binding, rows, overflow);
    }
  }
}

}  // namespace ara
