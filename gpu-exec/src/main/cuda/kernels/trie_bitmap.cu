// The kernels of trieCount where lists are long.
#include "agent/trie_bitmap.cuh"

using namespace ara;

// The key of the list that each binding holds; the largest one if it has no value to try.
extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_held(
    const TrieStepArgs* global, u32 bindings, u32 nodeBits, const u32* chosen, const u64* sums, u64* outKeys) {
  __shared__ TrieStepArgs step;
  load(global, step);
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < bindings; i += grid) {
    bool none = sums[i] == sums[i + 1];
    outKeys[i] = none ? (u64)step.sides << nodeBits : held_key(step, nodeBits, chosen[i], i);
  }
}

// How many values each of some bindings is to try.
extern "C" __global__ void __launch_bounds__(THREADS) ara_trie_lengths(
    const u64* sums, const u32* ids, u32 bindings, u32* out) {
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < bindings; i += grid) {
    u32 id = ids[i];
    out[i] = (u32)(sums[id + 1] - sums[id]);
  }
}

// Adds to out[binding] how many values all its lists have. Keys and ids are in the order of the keys, and sums are those
// of that order; values from begin to end are tried.
extern "C" __global__ void __launch_bounds__(TrieBitmapPolicy::BITMAP_THREADS, 2) ara_trie_count_held(
    const TrieStepArgs* global, u32 bindings, u32 nodeBits, const u32* chosen, const u32* firsts, const u64* keys,
    const u32* ids, const u64* sums, u64 begin, u64 end, u64* out) {
  extern __shared__ u32 bits[];
  __shared__ TrieStepArgs step;
  __shared__ BindingChunk chunk;
  __shared__ u32 first;
  load(global, step);
  for (u32 i = threadIdx.x; i < BITMAP_WORDS; i += CHUNK) {
    bits[i] = 0;
  }
  u64 units = (end - begin + TrieBitmapPolicy::BITMAP_UNIT - 1) / TrieBitmapPolicy::BITMAP_UNIT;
  for (u64 unit = blockIdx.x; unit < units; unit += gridDim.x) {
    u64 from = begin + unit * TrieBitmapPolicy::BITMAP_UNIT;
    u64 to = min(end, from + TrieBitmapPolicy::BITMAP_UNIT);
    __syncthreads();
    if (threadIdx.x == 0) {
      first = lower_bound(0u, bindings, [=](u32 at) { return __ldg(sums + at + 1) <= from; });
    }
    __syncthreads();
    for (u32 at = first; at < bindings && __ldg(sums + at) < to; at += CHUNK) {
      u32 size = min(CHUNK, bindings - at);
      load_chunk(chunk, step, chosen, firsts, keys, ids, sums, at, size, from, to);
      choose_held(chunk, step, nodeBits, keys, at, size);
      u32 others = 0;
      for (u32 word = 0; word < CHUNK_WARPS; word++) {
        for (u32 heavy = chunk.heavy[word]; heavy != 0; heavy &= heavy - 1) {
          const HeldList& list = chunk.lists[chunk.least[word * 32 + __ffs(heavy) - 1]];
          count_searched(chunk, step, others, list.begin, out);
          count_held(chunk, step, list, bits, out);
          others = list.end;
        }
      }
      count_searched(chunk, step, others, size, out);
      __syncthreads();
    }
  }
}
