// Folds a batch into the states of groups. One function in four forms:
//   all   all rows belong to group 0: threads fold into registers;
//   few   every thread has a state of its own for each group, in shared memory: nobody waits for anybody;
//   block every block has a state for each group, in shared memory;
//   many  states in global memory; neighbouring rows of one group are folded before.
#pragma once
#include "agent/fold_functions.cuh"

namespace ara {

HOST_SHARED struct FoldPolicy {
  static constexpr int ITEMS = 4;
  static constexpr int ALL_THREADS = 256;
  static constexpr int FEW_THREADS = 128;
  static constexpr int BLOCK_THREADS = 512;
  static constexpr int MANY_THREADS = 256;
  // Groups that a thread has a bit for.
  static constexpr int FEW_GROUPS = 32;
};

template <class Op, int THREADS>
__device__ __forceinline__ void foldAll(const Batch& b, const State& s) {
  static constexpr int ITEMS = FoldPolicy::ITEMS;
  typename Op::Acc acc = Op::none();
  bool any = false;
  u64 step = (u64)gridDim.x * THREADS * ITEMS;
  for (u64 first = (u64)blockIdx.x * THREADS * ITEMS + threadIdx.x; first < b.count; first += step) {
    int id[ITEMS], group[ITEMS];
    bool valid[ITEMS];
    typename Op::Value value[ITEMS];
    locateRows<THREADS>(b, first, id, group, valid);
    Op::load(b, id, group, valid, value);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      if (valid[j]) {
        Op::add(acc, value[j]);
        any = true;
      }
    }
  }
  acc = warpFold<Op>(acc);
  any = __any_sync(~0u, any);
  if (lane() == 0 && any) {
    Op::flush(s, 0, acc);
    if (s.seen != nullptr) s.seen[0] = 1;
  }
}

// groupCount: at most FEW_GROUPS.
template <class Op, int THREADS>
__device__ __forceinline__ void foldFew(const Batch& b, const State& s, int groupCount) {
  static constexpr int ITEMS = FoldPolicy::ITEMS;
  typedef typename Op::Acc Acc;
  extern __shared__ __align__(16) unsigned char dynamicShared[];
  __shared__ u32 seenGroups;
  Acc* states = reinterpret_cast<Acc*>(dynamicShared);
  Acc* mine = states + threadIdx.x;
  for (int g = 0; g < groupCount; g++) {
    mine[g * THREADS] = Op::none();
  }
  if (threadIdx.x == 0) {
    seenGroups = 0;
  }
  __syncthreads();
  u32 seen = 0;
  u64 step = (u64)gridDim.x * THREADS * ITEMS;
  for (u64 first = (u64)blockIdx.x * THREADS * ITEMS + threadIdx.x; first < b.count; first += step) {
    int id[ITEMS], group[ITEMS];
    bool valid[ITEMS];
    typename Op::Value value[ITEMS];
    locateRows<THREADS>(b, first, id, group, valid);
    Op::load(b, id, group, valid, value);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      if (valid[j]) {
        Acc acc = mine[group[j] * THREADS];
        Op::add(acc, value[j]);
        mine[group[j] * THREADS] = acc;
        seen |= 1u << group[j];
      }
    }
  }
  atomicOr(&seenGroups, seen);
  __syncthreads();
  for (int g = threadIdx.x / 32; g < groupCount; g += THREADS / 32) {
    Acc acc = Op::none();
    for (int t = lane(); t < THREADS; t += 32) {
      Op::merge(acc, states[g * THREADS + t]);
    }
    acc = warpFold<Op>(acc);
    if (lane() == 0 && (seenGroups >> g & 1) != 0) {
      Op::flush(s, g, acc);
      if (s.seen != nullptr) s.seen[g] = 1;
    }
  }
}

template <class Op, int THREADS>
__device__ __forceinline__ void foldBlock(const Batch& b, const State& s, int groupCount) {
  static constexpr int ITEMS = FoldPolicy::ITEMS;
  extern __shared__ __align__(16) unsigned char dynamicShared[];
  u32* states = reinterpret_cast<u32*>(dynamicShared);
  // A byte a group behind the states.
  unsigned char* seen = reinterpret_cast<unsigned char*>(states + (u64)groupCount * Op::SHARED);
  for (int g = threadIdx.x; g < groupCount; g += THREADS) {
    Op::clear(states + (u64)g * Op::SHARED);
    seen[g] = 0;
  }
  __syncthreads();
  u64 step = (u64)gridDim.x * THREADS * ITEMS;
  for (u64 first = (u64)blockIdx.x * THREADS * ITEMS + threadIdx.x; first < b.count; first += step) {
    int id[ITEMS], group[ITEMS];
    bool valid[ITEMS];
    typename Op::Value value[ITEMS];
    locateRows<THREADS>(b, first, id, group, valid);
    Op::load(b, id, group, valid, value);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
      if (valid[j]) {
        Op::share(states + (u64)group[j] * Op::SHARED, value[j]);
        seen[group[j]] = 1;
      }
    }
  }
  __syncthreads();
  for (int g = threadIdx.x; g < groupCount; g += THREADS) {
    if (seen[g] != 0) {
      Op::flush(s, g, Op::gather(states + (u64)g * Op::SHARED));
      if (s.seen != nullptr) s.seen[g] = 1;
    }
  }
}

template <class Op, int THREADS>
__device__ __forceinline__ void foldMany(const Batch& b, const State& s) {
  static constexpr int ITEMS = FoldPolicy::ITEMS;
  // More runs of equal groups among 32 rows than this are not worth folding before.
  static constexpr int MANY_RUNS = 20;
  int id[ITEMS], group[ITEMS];
  bool valid[ITEMS];
  typename Op::Value value[ITEMS];
  locateRows<THREADS>(b, (u64)blockIdx.x * THREADS * ITEMS + threadIdx.x, id, group, valid);
  Op::load(b, id, group, valid, value);
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    typename Op::Acc acc = Op::none();
    if (valid[j]) {
      Op::add(acc, value[j]);
    }
    int before = __shfl_up_sync(~0u, group[j], 1);
    bool head = lane() == 0 || group[j] != before;
    u32 heads = __ballot_sync(~0u, head);
    bool any = valid[j];
    if (__popc(heads) <= MANY_RUNS) {
      u32 above = lane() == 31 ? 0 : heads >> (lane() + 1) << (lane() + 1);
      int end = above == 0 ? 32 : __ffs(above) - 1;
#pragma unroll
      for (int d = 1; d < 32; d <<= 1) {
        typename Op::Acc other = fromBelow(acc, d);
        if ((int)lane() + d < end) {
          Op::merge(acc, other);
        }
      }
      u32 votes = __ballot_sync(~0u, valid[j]);
      u32 run = (end == 32 ? ~0u : (1u << end) - 1) & ~((1u << lane()) - 1);
      any = head && (votes & run) != 0;
    }
    if (any) {
      Op::flush(s, group[j], acc);
      if (s.seen != nullptr && s.seen[group[j]] == 0) s.seen[group[j]] = 1;
    }
  }
}

}  // namespace ara
