// Counts what two lists or more have in common, many bindings at a time: trieCount where lists are long.
//
// Of each binding's lists the shortest one is tried, and the longest one is held: bindings are in the order of the lists
// that they hold, so that a block sets a bit in shared memory for each value of a list once, and then tries the values of
// all bindings of that list with one look each. Of lists that are not worth it values are found by binary search. Blocks
// take units of equally many values, whichever bindings they belong to.
#pragma once
#include "agent/trie.cuh"
#include "warp/reduce.cuh"

namespace ara {

HOST_SHARED struct TrieBitmapPolicy {
  // One thread a binding of a chunk.
  static constexpr int BITMAP_THREADS = 512;
  static constexpr int BITMAP_WORDS = 20 << 10;
  static constexpr int BITMAP_BYTES = 4 * BITMAP_WORDS;
  // Values that a block tries at a time.
  static constexpr int BITMAP_UNIT = 1 << 17;
};

constexpr u32 CHUNK = TrieBitmapPolicy::BITMAP_THREADS;
constexpr u32 CHUNK_WARPS = CHUNK / 32;
constexpr u32 BITMAP_WORDS = TrieBitmapPolicy::BITMAP_WORDS;
constexpr u32 BITMAP_BITS = 32 * BITMAP_WORDS;

// A list is held for so many values to try, and twice its own.
constexpr u32 WORTH_HOLDING = 2048;
constexpr u32 MOST_HELD = TrieBitmapPolicy::BITMAP_UNIT / WORTH_HOLDING + 1;

// The list that a binding holds, as sorting has it: the relation above the node, and behind all those that hold nothing.
__device__ __forceinline__ u64 held_key(const TrieStepArgs& step, u32 nodeBits, u32 chosen, u32 binding) {
  u32 held = chosen == 0 ? 1 : 0;
  u32 longest = 0;
  for (u32 s = 0; s < step.sides; s++) {
    if (s != chosen) {
      u32 low;
      u32 high;
      open(step.side[s], binding, low, high);
      if (high - low >= longest) {
        longest = high - low;
        held = s;
      }
    }
  }
  const TrieSideArgs& side = step.side[held];
  u32 node = side.parents == nullptr ? 0 : __ldg(side.nodes + binding);
  return (u64)held << nodeBits | node;
}

// How much of a list its bits tell.
enum HeldKind {
  EXACT,  // all
  HEAD,   // which values there are up to some place; the few behind it are searched
  FILTER  // that a value is not there: several have a bit in common
};

// A list in shared memory: a bit a value, from `base` on.
struct HeldList {
  const TrieSideArgs* side;
  u32 begin;  // of the bindings that hold it
  u32 end;
  u32 low;
  u32 tail;  // the first position whose value has no bit of its own
  u32 high;
  int base;
  HeldKind kind;

  template <class Change>
  __device__ __forceinline__ void each(Change change) const {
    for (u32 p = low + threadIdx.x; p < (kind == FILTER ? high : tail); p += CHUNK) {
      u32 at = ((u32)__ldg(side->values + p) - (u32)base) % BITMAP_BITS;
      change(at >> 5, 1u << (at & 31));
    }
  }

  template <HeldKind KIND>
  __device__ __forceinline__ bool has(const u32* bits, int value) const {
    u32 at = (u32)value - (u32)base;
    if (KIND == FILTER) {
      return bit(bits, at % BITMAP_BITS) && SearchedList{side->values + low, high - low}.has(value);
    }
    if (at < BITMAP_BITS) {
      return bit(bits, at);
    }
    return KIND == HEAD && value > base && SearchedList{side->values + tail, high - tail}.has(value);
  }
};

// What a block knows of the bindings of a chunk, a thread each.
struct BindingChunk {
  u32 ids[CHUNK];
  u32 firsts[CHUNK];  // in the list that is tried
  u32 chosen[CHUNK];
  u32 sums[CHUNK + 1];  // of the values to try
  int least[CHUNK];     // where a run of bindings of one list begins: the bounds of what they try
  int most[CHUNK];
  u32 starts[CHUNK_WARPS];  // a bit where a run begins
  u32 heavy[CHUNK_WARPS];   // and where it is one whose list is held
  u32 held;
  HeldList lists[MOST_HELD];
};

// The first binding of the run that one belongs to.
__device__ __forceinline__ u32 run_start(const BindingChunk& chunk, u32 at) {
  u32 word = at >> 5;
  u32 bits = chunk.starts[word] & (ALL >> (31 - (at & 31)));
  while (bits == 0) {
    bits = chunk.starts[--word];
  }
  return word * 32 + 31 - __clz(bits);
}

// The first binding behind the run that begins at one.
__device__ __forceinline__ u32 run_end(const BindingChunk& chunk, u32 at, u32 size) {
  u32 word = at >> 5;
  u32 bits = chunk.starts[word] & ~(ALL >> (31 - (at & 31)));
  while (bits == 0 && ++word < CHUNK_WARPS) {
    bits = chunk.starts[word];
  }
  u32 end = bits == 0 ? CHUNK : word * 32 + __ffs(bits) - 1;
  return end < size ? end : size;
}

// The first list of a binding that is none of two.
__device__ __forceinline__ SearchedList other_list(const TrieStepArgs& step, u32 one, u32 two, u32 binding) {
  u32 s = 0;
  while (s == one || s == two) {
    s++;
  }
  u32 low;
  u32 high;
  open(step.side[s], binding, low, high);
  return {step.side[s].values + low, high - low};
}

// Whether a value is in all lists of a binding but two, which may be one.
__device__ __forceinline__ bool in_others(const TrieStepArgs& step, u32 one, u32 two, u32 binding, int value) {
  for (u32 s = 0; s < step.sides; s++) {
    if (s != one && s != two) {
      u32 low;
      u32 high;
      open(step.side[s], binding, low, high);
      if (!SearchedList{step.side[s].values + low, high - low}.has(value)) {
        return false;
      }
    }
  }
  return true;
}

// The binding that has one of the chunk's values; called by whole warps.
__device__ __forceinline__ u32 binding_of(const BindingChunk& chunk, u32 at) {
  constexpr u32 STRIDE = CHUNK / 32;
  u32 first = STRIDE * __popc(__ballot_sync(ALL, chunk.sums[STRIDE * (lane() + 1)] <= at));
  return first + __popc(__ballot_sync(ALL, lane() < STRIDE && chunk.sums[first + lane() + 1] <= at));
}

// Counts those of a chunk's values, from one to another, that a test lets through: the values of a long list by all lanes
// of a warp, those of short ones side by side. Each warp takes its share. Called by whole warps.
//
// prepare(binding): what test(that, binding, value) wants to know of a binding.
template <class Prepare, class Test>
__device__ __forceinline__ void count_values(
    const TrieStepArgs& step, const BindingChunk& chunk, u32 from, u32 to, u64* out, Prepare prepare, Test test) {
  u32 share = ((to - from + CHUNK - 1) / CHUNK) * 32;
  u32 at = from + warp() * share;
  u32 end = min(to, at + share);
  if (at >= end) {
    return;
  }
  u32 binding = binding_of(chunk, at);
  while (at < end) {
    u32 stop = min(end, chunk.sums[binding + 1]);
    if (stop - at >= 32) {
      const int* list = step.side[chunk.chosen[binding]].values + chunk.firsts[binding] - chunk.sums[binding];
      auto prepared = prepare(binding);
      u32 found = 0;
      u32 i = at + lane();
      for (; i + 96 < stop; i += 128) {
        int values[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
          values[k] = __ldg(list + i + 32 * k);
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
          found += test(prepared, binding, values[k]) ? 1 : 0;
        }
      }
      for (; i < stop; i += 32) {
        found += test(prepared, binding, __ldg(list + i)) ? 1 : 0;
      }
      found = __reduce_add_sync(ALL, found);
      if (lane() == 0 && found > 0) {
        atomicAdd(out + chunk.ids[binding], (u64)found);
      }
      at = stop;
      binding++;
    } else {
      // A bit for each of the window's values that is the first one of its binding.
      u32 begin = binding + 1 + lane() < CHUNK ? chunk.sums[binding + 1 + lane()] - at : 32;
      u32 firsts = __reduce_or_sync(ALL, begin < 32 ? 1u << begin : 0);
      u32 mine = binding + __popc(firsts & (ALL >> (31 - lane())));
      bool hit = false;
      if (at + lane() < end) {
        const int* list = step.side[chunk.chosen[mine]].values + chunk.firsts[mine];
        hit = test(prepare(mine), mine, __ldg(list + (at + lane() - chunk.sums[mine])));
      }
      u32 hits = __ballot_sync(ALL, hit);
      if (lane() == 0 || (firsts >> lane() & 1) != 0) {
        u32 later = lane() == 31 ? 0 : firsts & (ALL << (lane() + 1));
        u32 own = hits & (ALL << lane()) & (later == 0 ? ALL : (1u << (__ffs(later) - 1)) - 1);
        if (own != 0) {
          atomicAdd(out + chunk.ids[mine], (u64)__popc(own));
        }
      }
      at += 32;
      binding += __popc(firsts);
      binding += at < end && chunk.sums[binding + 1] <= at ? 1 : 0;
    }
  }
}

// Reads the bindings of a chunk and finds the runs of those that hold the same list. Called by all threads.
__device__ __forceinline__ void load_chunk(
    BindingChunk& chunk, const TrieStepArgs& step, const u32* chosen, const u32* firsts, const u64* keys, const u32* ids,
    const u64* sums, u32 begin, u32 size, u64 from, u64 to) {
  u32 me = threadIdx.x;
  u32 count = 0;
  u32 first = 0;
  u32 side = 0;
  bool start = false;
  if (me < size) {
    u32 binding = __ldg(ids + begin + me);
    u64 low = __ldg(sums + begin + me);
    u64 least = min(max(low, from), to);
    u64 most = min(max((u64)__ldg(sums + begin + me + 1), from), to);
    count = (u32)(most - least);
    first = __ldg(firsts + binding) + (u32)(least - low);
    side = __ldg(chosen + binding);
    chunk.ids[me] = binding;
    chunk.sums[me] = (u32)(least - from);
    chunk.sums[me + 1] = (u32)(most - from);
    start = me == 0 || __ldg(keys + begin + me) != __ldg(keys + begin + me - 1);
  }
  chunk.firsts[me] = first;
  chunk.chosen[me] = side;
  chunk.least[me] = 0x7fffffff;
  chunk.most[me] = -0x80000000;
  u32 starts = __ballot_sync(ALL, start);
  if (lane() == 0) {
    chunk.starts[warp()] = starts;
    chunk.heavy[warp()] = 0;
  }
  if (me == 0) {
    chunk.held = 0;
  }
  __syncthreads();
  if (me >= size) {
    chunk.sums[me + 1] = chunk.sums[size];
  }
  if (count > 0) {
    u32 run = run_start(chunk, me);
    const int* list = step.side[side].values;
    atomicMin(&chunk.least[run], __ldg(list + first));
    atomicMax(&chunk.most[run], __ldg(list + first + count - 1));
  }
  __syncthreads();
}

// lower_bound by each eight lanes of a warp, which search for a value of their own: nine parts at a time, since what it
// takes is how often one waits for memory.
__device__ __forceinline__ u32 lower_bound_by_eight(const int* values, u32 low, u32 high, i64 value) {
  u32 me = lane() & 7;
  while (__any_sync(ALL, low < high)) {
    u32 step = (high - low) / 9 + 1;
    u32 probe = low + (me + 1) * step - 1;
    bool less = probe < high && __ldg(values + probe) < value;
    u32 passed = __popc(__ballot_sync(ALL, less) >> (lane() & 24) & 0xff);
    low += passed * step;
    high = min(high, low + step - 1);
  }
  return low;
}

// Decides which runs' lists are held. Called by all threads.
__device__ __forceinline__ void choose_held(
    BindingChunk& chunk, const TrieStepArgs& step, u32 nodeBits, const u64* keys, u32 begin, u32 size) {
  u32 me = threadIdx.x;
  u32 end = 0;
  bool worth = false;
  if (me < size && (chunk.starts[warp()] >> lane() & 1) != 0) {
    end = run_end(chunk, me, size);
    worth = chunk.sums[end] - chunk.sums[me] >= WORTH_HOLDING;
  }
  for (u32 runs = __ballot_sync(ALL, worth); runs != 0; runs &= runs - 1) {
    u32 run = warp() * 32 + __ffs(runs) - 1;
    u32 runEnd = __shfl_sync(ALL, end, run & 31);
    u64 key = __ldg(keys + begin + run);
    const TrieSideArgs& side = step.side[key >> nodeBits];
    u32 node = (u32)(key & ((1ull << nodeBits) - 1));
    u32 first = side.parents == nullptr ? 0 : __ldg(side.parents + node);
    u32 last = side.parents == nullptr ? side.size : __ldg(side.parents + node + 1);
    int base = chunk.least[run];
    i64 behind = (i64)chunk.most[run] + 1;
    i64 bound = lane() < 8 ? (i64)base : lane() < 16 ? min(behind, (i64)base + BITMAP_BITS) : behind;
    u32 at = lower_bound_by_eight(side.values, first, last, bound);
    u32 low = __shfl_sync(ALL, at, 0);
    u32 tail = __shfl_sync(ALL, at, 8);
    u32 high = __shfl_sync(ALL, at, 16);
    __syncwarp();
    if (lane() == 0 && chunk.sums[runEnd] - chunk.sums[run] >= WORTH_HOLDING + 2ull * (high - low)) {
      u32 slot = atomicAdd(&chunk.held, 1);
      HeldKind kind = tail == high ? EXACT : high - tail <= (tail - low) / 4 ? HEAD : FILTER;
      chunk.lists[slot] = {&side, run, runEnd, low, tail, high, base, kind};
      chunk.least[run] = (int)slot;
      chunk.heavy[warp()] |= 1u << (run & 31);
    }
    __syncwarp();
  }
  __syncthreads();
}

template <HeldKind KIND>
__device__ __forceinline__ void count_tested(
    const BindingChunk& chunk, const TrieStepArgs& step, const HeldList& list, const u32* bits, u64* out) {
  u32 held = (u32)(list.side - step.side);
  u32 from = chunk.sums[list.begin];
  u32 to = chunk.sums[list.end];
  if (step.sides == 2) {
    auto none = [](u32) { return 0; };
    count_values(step, chunk, from, to, out, none, [&](int, u32, int value) { return list.has<KIND>(bits, value); });
  } else {
    auto third = [&](u32 binding) { return other_list(step, chunk.chosen[binding], held, chunk.ids[binding]); };
    count_values(step, chunk, from, to, out, third, [&](const SearchedList& other, u32 binding, int value) {
      return list.has<KIND>(bits, value) && other.has(value)
          && (step.sides == 3 || in_others(step, chunk.chosen[binding], held, chunk.ids[binding], value));
    });
  }
}

// Counts for a run of bindings whose list is held; all bits are clear before and after. Called by all threads.
__device__ __forceinline__ void count_held(
    const BindingChunk& chunk, const TrieStepArgs& step, HeldList list, u32* bits, u64* out) {
  if (list.low >= list.high) {
    return;
  }
  list.each([&](u32 word, u32 mask) { atomicOr(bits + word, mask); });
  __syncthreads();
  if (list.kind == EXACT) {
    count_tested<EXACT>(chunk, step, list, bits, out);
  } else if (list.kind == HEAD) {
    count_tested<HEAD>(chunk, step, list, bits, out);
  } else {
    count_tested<FILTER>(chunk, step, list, bits, out);
  }
  __syncthreads();
  list.each([&](u32 word, u32) { bits[word] = 0; });
  __syncthreads();
}

// Counts for the bindings of a chunk that are between two runs, or at an end. Called by all threads.
__device__ __forceinline__ void count_searched(
    const BindingChunk& chunk, const TrieStepArgs& step, u32 from, u32 to, u64* out) {
  if (step.sides == 2) {
    auto second = [&](u32 binding) {
      u32 chosen = chunk.chosen[binding];
      return other_list(step, chosen, chosen, chunk.ids[binding]);
    };
    count_values(step, chunk, chunk.sums[from], chunk.sums[to], out, second, [](const SearchedList& other, u32, int value) {
      return other.has(value);
    });
  } else {
    auto none = [](u32) { return 0; };
    count_values(step, chunk, chunk.sums[from], chunk.sums[to], out, none, [&](int, u32 binding, int value) {
      u32 chosen = chunk.chosen[binding];
      return in_others(step, chosen, chosen, chunk.ids[binding], value);
    });
  }
}

}  // namespace ara
