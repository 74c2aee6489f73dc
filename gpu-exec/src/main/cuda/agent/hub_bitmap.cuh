// Counts what lists have in common where many bindings end at hubs: nodes whose lists are so long, within a window of
// values, that a bit a value is read sooner than values are tried.
//
// The hubs' lists become rows of a matrix of bits, which stays in the L2. Of a binding the lists of all sides but the one
// that differs most from binding to binding become a row in shared memory, which neighbours share; what it has in common
// with the hub's row are bits. Only words where that row has any are read. Of a binding that does not end at a hub, or may
// have values outside the window, the last list's values are looked up in the row if they are few; others are left.
#pragma once
#include "agent/hub_window.cuh"

namespace ara {

constexpr u32 ROW_WORDS = HUBS / 32;
constexpr u32 LANE_WORDS = ROW_WORDS / 32;

// What a part of a warp reads of a row at a time, 16 bytes a lane; a row has 32 groups at most.
constexpr u32 GROUP_BITS = 1024;
constexpr u32 PART = GROUP_BITS / 128;

// Values outside the window that a list has are told by a bit of this many for several: whether it may have one.
constexpr u32 FILTER_BITS = 4096;
constexpr u32 FILTER_WORDS = FILTER_BITS / 32;

// The longest list of the first side that has a filter, and how many values of the last side are few beside any list.
constexpr u32 MOST_FILTERED = 4096;
constexpr u32 FEW = 256;

// What a warp has in shared memory.
struct alignas(16) HubScratch {
  u32 row[ROW_WORDS];
  u32 filter[FILTER_WORDS];
};

// Values that a lane waits for together.
constexpr u32 AT_A_TIME = 8;

// The values nearest to the window on either side that a hub has.
struct HubGap {
  i64 below;
  i64 above;
};

// The first position of an ascending list whose value is not less; called by whole warps, which look at 32 places at a time.
__device__ __forceinline__ u32 warp_lower_bound(const int* values, u32 low, u32 high, i64 value) {
  while (low < high) {
    u32 step = (high - low + 31) / 32;
    u32 probe = low + lane() * step;
    u32 passed = __popc(__ballot_sync(ALL, probe < high && __ldg(values + probe) < value));
    if (passed == 0) {
      return low;
    }
    u32 last = low + (passed - 1) * step;
    low = last + 1;
    high = min(high, last + step);
  }
  return low;
}

__device__ __forceinline__ void clear_row(u32* words) {
#pragma unroll
  for (u32 k = 0; k < LANE_WORDS; k++) {
    words[32 * k + lane()] = 0;
  }
}

// A lane's share of the values of a list.
template <class Take>
__device__ __forceinline__ void each_value(const int* values, u32 low, u32 high, Take take) {
  for (u32 at = low + lane(); at < high; at += 32 * AT_A_TIME) {
    int some[AT_A_TIME];
#pragma unroll
    for (u32 i = 0; i < AT_A_TIME; i++) {
      some[i] = at + 32 * i < high ? __ldg(values + at + 32 * i) : 0;
    }
#pragma unroll
    for (u32 i = 0; i < AT_A_TIME; i++) {
      if (at + 32 * i < high) {
        take(some[i]);
      }
    }
  }
}

// Makes a row of the values of a list that lie in the window; returns the position of the first one, and sets `high` to
// the position behind the last. Called by whole warps.
__device__ __forceinline__ u32 set_row(const int* values, u32 low, u32& high, int firstValue, u32* words) {
  clear_row(words);
  __syncwarp();
  u32 first = warp_lower_bound(values, low, high, firstValue);
  for (u32 at = first;; at += 32 * AT_A_TIME) {
    u32 bits[AT_A_TIME];
#pragma unroll
    for (u32 i = 0; i < AT_A_TIME; i++) {
      u32 own = at + 32 * i + lane();
      bits[i] = own < high ? (u32)__ldg(values + own) - (u32)firstValue : HUBS;
    }
    u32 inside = 0;
#pragma unroll
    for (u32 i = 0; i < AT_A_TIME; i++) {
      if (bits[i] < HUBS) {
        atomicOr(words + bits[i] / 32, 1u << (bits[i] % 32));
      }
      inside += bits[i] < HUBS ? 1 : 0;
    }
    inside = __reduce_add_sync(ALL, inside);
    if (inside < 32 * AT_A_TIME) {
      high = at + inside;
      break;
    }
  }
  __syncwarp();
  return first;
}

// The place of the n-th bit of a word that is set, from 0 on.
__device__ __forceinline__ u32 nth_bit(u32 bits, u32 n) {
  u32 place = 0;
#pragma unroll
  for (u32 width = 16; width > 0; width /= 2) {
    u32 low = __popc(bits >> place & ((1u << width) - 1));
    place += n >= low ? width : 0;
    n -= n >= low ? low : 0;
  }
  return place;
}

// The rows of the hubs' lists, and their gaps.
struct HubRows {
  HubWindow window;
  const u32* rows;
  const HubGap* gaps;

  // The row of a side's node; HUBS or more if there is none.
  __device__ __forceinline__ u32 row_of(const TrieStepArgs& step, int side, u32 node) const {
    const TrieSideArgs& last = step.side[step.sides - 1];
    const TrieSideArgs& own = step.side[side];
    u32 hub = node - window.firstNode;
    return own.values == last.values && own.parents == last.parents ? hub : HUBS;
  }
};

// Of bits from one on: those of the word whose first bit is another one.
__device__ __forceinline__ u32 bits_from(u32 from, u32 first) {
  return __funnelshift_lc(0, ALL, from > first ? from - first : 0);
}

// The same without those behind another one.
__device__ __forceinline__ u32 bits_between(u32 from, u32 to, u32 first) {
  return bits_from(from, first) & ~bits_from(to + 1, first);
}

// What the lists of all sides but the last have in common, as a row; called by whole warps, which have the same fields.
template <int SIDES>
struct CommonRow {
  u32 node[SIDES - 1];
  u32* words;
  u32 groups;  // a bit for each group that has any
  u32* filter;
  SearchedList list;  // of the first side
  bool outside;       // whether it has values outside the window

  __device__ __forceinline__ explicit CommonRow(HubScratch& scratch)
      : words(scratch.row), groups(0), filter(scratch.filter), list{nullptr, 0}, outside(false) {
#pragma unroll
    for (int s = 0; s < SIDES - 1; s++) {
      node[s] = ALL;
    }
  }

  __device__ __forceinline__ void make(const TrieStepArgs& step, const HubRows& hubs) {
    u32 before[LANE_WORDS];
#pragma unroll
    for (int s = 0; s < SIDES - 1; s++) {
      if (s > 0) {
#pragma unroll
        for (u32 k = 0; k < LANE_WORDS; k++) {
          before[k] = words[32 * k + lane()];
        }
      }
      __syncwarp();
      u32 hub = hubs.row_of(step, s, node[s]);
      if (hub < HUBS) {
        const u32* row = hubs.rows + (u64)hub * ROW_WORDS + lane();
#pragma unroll
        for (u32 k = 0; k < LANE_WORDS; k++) {
          words[32 * k + lane()] = __ldg(row + 32 * k);
        }
      } else {
        const TrieSideArgs& side = step.side[s];
        u32 low = __ldg(side.parents + node[s]);
        u32 high = __ldg(side.parents + node[s] + 1);
        if (SIDES == 2 && high - low <= MOST_FILTERED) {
          set_row_and_filter(side.values, low, high, hubs.window.firstValue);
        } else {
          set_row(side.values, low, high, hubs.window.firstValue, words);
        }
      }
      if (s > 0) {
#pragma unroll
        for (u32 k = 0; k < LANE_WORDS; k++) {
          words[32 * k + lane()] &= before[k];
        }
      }
    }
    __syncwarp();
    u32 own = 0;
#pragma unroll
    for (u32 k = 0; k < LANE_WORDS; k++) {
      own |= words[32 * k + lane()] != 0 ? 1u << k : 0;
    }
    groups = __reduce_or_sync(ALL, own);
  }

  // Makes a row of what a list has in the window, and the filter of the rest.
  __device__ __forceinline__ void set_row_and_filter(const int* values, u32 low, u32 high, int firstValue) {
    list = {values + low, high - low};
    clear_row(words);
    for (u32 w = lane(); w < FILTER_WORDS; w += 32) {
      filter[w] = 0;
    }
    __syncwarp();
    bool beyond = false;
    each_value(values, low, high, [&](int value) {
      u32 place = (u32)value - (u32)firstValue;
      bool own = place < HUBS;
      u32 bit = own ? place : (u32)value % FILTER_BITS;
      atomicOr((own ? words : filter) + bit / 32, 1u << (bit % 32));
      beyond |= !own;
    });
    outside = __any_sync(ALL, beyond);
  }

  __device__ __forceinline__ bool has(int value, int firstValue) const {
    u32 place = (u32)value - (u32)firstValue;
    return place < HUBS ? bit(words, place) : outside && bit(filter, (u32)value % FILTER_BITS) && list.has(value);
  }

  // How many of a list's values it has, in all lanes.
  __device__ __forceinline__ u32 count(const int* values, u32 low, u32 high, int firstValue) const {
    u32 found = 0;
    each_value(values, low, high, [&](int value) { found += has(value, firstValue) ? 1 : 0; });
    __syncwarp();
    return __reduce_add_sync(ALL, found);
  }

  // How many bits from one to another, which is no less, it has in common with a row: of as many rows at a time as a warp
  // has parts, in all lanes of a part. A part that has none calls with `none`.
  __device__ __forceinline__ u32 count_bits(const u32* row, u32 from, u32 to, bool none) const {
    u32 sum = 0;
    u32 first = from / GROUP_BITS;
    u32 last = to / GROUP_BITS;
    for (u32 todo = none ? 0 : groups & (ALL << first) & (ALL >> (31 - last)); todo != 0; todo &= todo - 1) {
      u32 group = __ffs(todo) - 1;
      u32 at = 32 * group + 4 * (lane() % PART);
      uint4 theirs = __ldg((const uint4*)(row + at));
      uint4 ours = *(const uint4*)(words + at);
      uint4 both = {theirs.x & ours.x, theirs.y & ours.y, theirs.z & ours.z, theirs.w & ours.w};
      if (group == first || group == last) {
        both.x &= bits_between(from, to, 32 * at);
        both.y &= bits_between(from, to, 32 * at + 32);
        both.z &= bits_between(from, to, 32 * at + 64);
        both.w &= bits_between(from, to, 32 * at + 96);
      }
      sum += __popc(both.x) + __popc(both.y) + __popc(both.z) + __popc(both.w);
    }
    __syncwarp();
#pragma unroll
    for (u32 step = PART / 2; step > 0; step /= 2) {
      sum += __shfl_xor_sync(ALL, sum, step);
    }
    return sum;
  }
};

// What a warp knows of the bindings of a chunk that it counts for, a lane each: neighbours have the same lists but the last,
// and of these those that end at hubs come first.
template <int SIDES>
struct ChunkBindings {
  u32 binding;
  u32 node[SIDES - 1];  // of the sides but the last
  u32 hub;              // its row, or the first of the values to look up
  u32 bounds;           // the first bit, and 16 bits higher the one behind the last; or behind the last value
  u32 size;
  u32 runs;     // a bit for each that has other nodes than the one before
  u32 endings;  // a bit for each that ends at a hub

  __device__ __forceinline__ void take(u32 from) {
    binding = __shfl_sync(ALL, binding, from);
    hub = __shfl_sync(ALL, hub, from);
    bounds = __shfl_sync(ALL, bounds, from);
  }

  // `chosen`: which lanes have one; `atHub`: whether it ends at a hub.
  __device__ __forceinline__ void gather(u32 chosen, bool atHub) {
    size = __popc(chosen);
    u32 from = lane() < size ? nth_bit(chosen, lane()) : 0;
    bool same = lane() > 0;
#pragma unroll
    for (int s = 0; s < SIDES - 1; s++) {
      node[s] = __shfl_sync(ALL, node[s], from);
      u32 before = __shfl_up_sync(ALL, node[s], 1);
      same &= before == node[s];
    }
    bool ends = __shfl_sync(ALL, atHub, from) && lane() < size;
    runs = __ballot_sync(ALL, !same && lane() < size);
    endings = __ballot_sync(ALL, ends);
    take(from);
    u32 begin = 31 - __clz(runs & (ALL >> (31 - lane())) | 1);
    u32 later = lane() == 31 ? 0 : runs & (ALL << (lane() + 1));
    u32 run = ALL << begin & (ALL >> (32 - (later == 0 ? max(size, 1u) : __ffs(later) - 1)));
    u32 first = __popc(run & endings);
    u32 n = lane() - begin;
    u32 place = n < first ? nth_bit(run & endings, n) : nth_bit(run & ~endings, n - first);
    take(lane() < size ? place : 0);
    endings = __ballot_sync(ALL, lane() < size && n < first);
  }

  // Counts for all of them.
  __device__ __forceinline__ void count(
      const TrieStepArgs& step, const HubRows& hubs, CommonRow<SIDES>& common, u64* out) const {
    for (u32 begin = 0; begin < size;) {
      u32 later = begin == 31 ? 0 : runs & (ALL << (begin + 1));
      u32 end = later == 0 ? size : __ffs(later) - 1;
      bool same = true;
#pragma unroll
      for (int s = 0; s < SIDES - 1; s++) {
        u32 own = __shfl_sync(ALL, node[s], begin);
        same &= own == common.node[s];
        common.node[s] = own;
      }
      if (!same) {
        common.make(step, hubs);
      }
      u32 hubEnd = begin + __popc(endings & (ALL << begin) & (ALL >> (32 - end)));
      for (; begin < hubEnd; begin += 32 / PART) {
        u32 at = begin + lane() / PART;
        u32 limits = __shfl_sync(ALL, bounds, at);
        const u32* row = hubs.rows + (u64)__shfl_sync(ALL, hub, at) * ROW_WORDS;
        u32 to = __shfl_sync(ALL, binding, at);
        u32 found = common.count_bits(row, limits & 0xffff, (limits >> 16) - 1, at >= hubEnd);
        if (at < hubEnd && lane() % PART == 0) {
          out[to] = found;
        }
      }
      for (begin = hubEnd; SIDES == 2 && begin < end; begin++) {
        u32 low = __shfl_sync(ALL, hub, begin);
        u32 high = __shfl_sync(ALL, bounds, begin);
        u32 to = __shfl_sync(ALL, binding, begin);
        u32 found = common.count(step.side[1].values, low, high, hubs.window.firstValue);
        if (lane() == 0) {
          out[to] = found;
        }
      }
      begin = end;
    }
  }
};

// The first position of an ascending list whose value is not less, by one thread: of three places at a time, since what it
// takes is how often one waits for memory.
__device__ __forceinline__ u32 seek_by_four(const int* values, u32 low, u32 high, i64 value) {
  while (low < high) {
    u32 step = (high - low) / 4 + 1;
    u32 passed = 0;
#pragma unroll
    for (u32 i = 1; i < 4; i++) {
      u32 probe = low + i * step - 1;
      passed += probe < high && __ldg(values + probe) < value ? 1 : 0;
    }
    low += passed * step;
    high = min(high, low + step - 1);
  }
  return low;
}

// Whether the values of a binding's last list are few beside those of its first one, whose row has no other lists' bits;
// then `mine` says where they are.
__device__ __forceinline__ bool has_few_values(
    const TrieStepArgs& step, const HubRows& hubs, const Range& range, ChunkBindings<2>& mine) {
  u32 first;
  u32 end;
  open(step.side[0], mine.binding, first, end);
  u32 size = end - first;
  if (size > MOST_FILTERED || hubs.row_of(step, 0, mine.node[0]) < HUBS) {
    return false;
  }
  const TrieSideArgs& side = step.side[1];
  open(side, mine.binding, mine.hub, mine.bounds);
  mine.hub = seek_by_four(side.values, mine.hub, mine.bounds, range.least);
  if (range.most < 0x7fffffff) {
    mine.bounds = seek_by_four(side.values, mine.hub, mine.bounds, range.most + 1);
  }
  return mine.bounds - mine.hub <= 4 * size + FEW;
}

// Counts for the bindings that end at a hub or have few values, and writes the numbers of the others; the side of the hubs
// is the last one.
template <int SIDES>
__device__ __forceinline__ void count_at_hubs(
    const TrieStepArgs& step, u32 bindings, const HubRows& hubs, HubScratch& scratch, u64* out, u32* outOthers,
    u32* others) {
  CommonRow<SIDES> common(scratch);
  u64 grid = (u64)gridDim.x * THREADS;
  for (u64 chunk = (u64)blockIdx.x * THREADS + warp() * 32; chunk < bindings; chunk += grid) {
    ChunkBindings<SIDES> mine;
    u32 binding = (u32)chunk + lane();
    bool there = binding < bindings;
#pragma unroll
    for (int s = 0; s < SIDES - 1; s++) {
      mine.node[s] = there ? __ldg(step.side[s].nodes + binding) : ALL;
    }
    mine.binding = binding;
    mine.hub = there ? __ldg(step.side[SIDES - 1].nodes + binding) - hubs.window.firstNode : ALL;
    Range range;
    for (u32 b = 0; b < step.bounds && there; b++) {
      range.limit(step.bound[b].kind, __ldg(step.bound[b].values + binding));
    }
    bool atHub = mine.hub < HUBS;
    if (atHub) {
      HubGap gap = hubs.gaps[mine.hub];
      atHub = range.least > gap.below && range.most < gap.above;
    }
    bool few = false;
    bool any = false;
    if (atHub) {
      i64 firstValue = hubs.window.firstValue;
      u32 from = (u32)min(max(range.least - firstValue, 0ll), (i64)HUBS);
      u32 to = (u32)min(max(range.most - firstValue + 1, 0ll), (i64)HUBS);
      mine.bounds = from | to << 16;
      any = from < to;
    } else if constexpr (SIDES == 2) {
      few = there && has_few_values(step, hubs, range, mine);
      any = few && mine.hub < mine.bounds;
    }
    bool other = there && !atHub && !few;
    u32 left = __ballot_sync(ALL, other);
    u32 place = lane() == 0 && left != 0 ? atomicAdd(others, __popc(left)) : 0;
    if (there && !other && !any) {
      out[binding] = 0;
    }
    mine.gather(__ballot_sync(ALL, any), atHub);
    mine.count(step, hubs, common, out);
    place = __shfl_sync(ALL, place, 0) + __popc(left & lanes_below());
    if (other) {
      outOthers[place] = binding;
    }
  }
}

}  // namespace ara
