// Leapfrog triejoin, depth first: trieWalk.
//
// A warp takes some candidates of the first level from a counter that all share, and goes down with up to 32 bindings at
// a time: their candidates of the next level, whichever binding they belong to, are tried a lane each, those that all
// lists have become the next batch, and that is finished before the level goes on. So lanes are busy however short lists
// are, and a level never has more than one batch. All of a warp's state is in shared memory: CudaTrieWalk lays it out.
#pragma once
#include "thread/trie_search.cuh"
#include "warp/reduce.cuh"
#include "warp/scan.cuh"

namespace ara {

// With so many bindings a batch goes down: one that is half full has more candidates than lanes nearly always.
constexpr u32 ENOUGH = 16;

// The words of a level in a warp's state: the first candidate of each binding of the batch above and their number, the
// next candidate, factors of what is counted, and for each of the bindings its first position and who offers it; then,
// of the level's own batch, which binding each came of.
HOST_SHARED struct TrieJoinPolicy {
  // Bindings of a batch: a lane each.
  static constexpr u32 SLOTS = 32;
  static constexpr u32 SUMS = 0;
  static constexpr u32 NEXT = 2 * (SLOTS + 1);
  static constexpr u32 FACTORS = NEXT + 2;
  static constexpr u32 FIRSTS = FACTORS + 2 * SLOTS;
  static constexpr u32 CHOSEN = FIRSTS + SLOTS;
  static constexpr u32 PARENTS = CHOSEN + SLOTS;
  static constexpr u32 LEVEL_WORDS = PARENTS + SLOTS;
  // What nobody wants is there.
  static constexpr u32 NOWHERE = 0xffffffffu;
  static constexpr int PLACES = 16;
  static constexpr int CURSORS = 64;
  // As TrieWalk says.
  static constexpr int LEVELS = 40;
  static constexpr int BOUNDS = 64;
  static constexpr int OUTPUTS = 16;
};

constexpr u32 SLOTS = TrieJoinPolicy::SLOTS;
constexpr u32 SUMS = TrieJoinPolicy::SUMS;
constexpr u32 NEXT = TrieJoinPolicy::NEXT;
constexpr u32 FACTORS = TrieJoinPolicy::FACTORS;
constexpr u32 FIRSTS = TrieJoinPolicy::FIRSTS;
constexpr u32 CHOSEN = TrieJoinPolicy::CHOSEN;
constexpr u32 PARENTS = TrieJoinPolicy::PARENTS;
constexpr u32 NOWHERE = TrieJoinPolicy::NOWHERE;

// Pointers may be null where the Java records say so.
HOST_SHARED struct TrieJoinCursor {
  const int* values;
  const u32* parents;
  const u32* starts;
  const u32* nodes;  // the positions of bindings that were there before
  int min;
  u32 size;
  int parent;
  u32 weight;
  u32 batch;      // in which its positions are: 0 are the bindings that were there before
  u32 positions;  // where they are, NOWHERE if nobody wants them
  u32 ranges;     // where the first position below each binding is, and 32 words on the one behind the last
  u32 unused;
};

HOST_SHARED struct TrieJoinLevel {
  u32 firstCursor;
  u32 cursors;
  u32 firstBound;
  u32 bounds;
  u32 different;  // whether a bound is DIFFERENT
  u32 state;
  u32 values;  // where the values of its batch are, NOWHERE if nobody wants them
  u32 unused;
};

HOST_SHARED struct TrieJoinBound {
  const int* values;  // of bindings that were there before
  u32 kind;
  u32 batch;
  u32 at;
  u32 unused;
};

HOST_SHARED struct TrieJoinOutput {
  const u32* rows;
  u32* out;
  u64 cursor;
};

HOST_SHARED struct TrieJoinArgs {
  const u32* sides;
  const u32* firsts;
  const u64* sums;
  u32 bindings;
  u32 levels;
  u32 cursors;
  u32 outputs;
  u32 words;  // of a warp's state
  u32 found;  // where the positions that a lane has found are, 32 words a cursor
  u32 places[TrieJoinPolicy::PLACES];
  TrieJoinCursor cursor[TrieJoinPolicy::CURSORS];
  TrieJoinLevel level[TrieJoinPolicy::LEVELS];
  TrieJoinBound bound[TrieJoinPolicy::BOUNDS];
  TrieJoinOutput output[TrieJoinPolicy::OUTPUTS];
};

enum Mode { COUNT, UNITS, EMIT };

// The last row whose sum is not above `at`, by all lanes.
__device__ __forceinline__ u32 row_of(const u64* sums, u32 rows, u64 at) {
  u32 low = 0;
  u32 high = rows;
  while (high - low > 1) {
    u32 step = (high - low + 31) / 32;
    u32 probe = low + (lane() + 1) * step;
    u32 passed = __popc(__ballot_sync(ALL, probe < high && __ldg(sums + probe) <= at));
    low += passed * step;
    high = min(high, low + step);
  }
  return low;
}

struct Walker {
  const TrieJoinArgs& walk;
  u32* state;
  u32* overflow;
  // The first of the bindings that are walked from.
  u32 row;

  __device__ __forceinline__ u64& wide(u32 at) const { return *(u64*)(state + at); }

  // The slot in an earlier batch that a slot came of.
  __device__ __forceinline__ u32 origin(u32 batch, u32 slot, u32 earlier) const {
    for (; batch > earlier; batch--) {
      slot = state[walk.level[batch - 1].state + PARENTS + slot];
    }
    return slot;
  }

  __device__ __forceinline__ u32 position(const TrieJoinCursor& cursor, u32 batch, u32 slot) const {
    u32 from = origin(batch, slot, cursor.batch);
    return cursor.batch == 0 ? __ldg(cursor.nodes + row + from) : state[cursor.positions + from];
  }

  __device__ __forceinline__ int value(const TrieJoinBound& bound, u32 batch, u32 slot) const {
    u32 from = origin(batch, slot, bound.batch);
    return bound.batch == 0 ? __ldg(bound.values + row + from) : (int)state[bound.at + from];
  }

  __device__ __forceinline__ u64 times(u64 factor, const TrieJoinCursor& cursor, u32 at) const {
    for (u32 i = 0; i < cursor.weight; i++) {
      factor = multiply(factor, __ldg(cursor.starts + at + 1) - __ldg(cursor.starts + at), overflow);
    }
    return factor;
  }

  // Opens the lists of a level below the bindings of the batch above it, of which each lane has one.
  __device__ __forceinline__ void lists(u32 k, u32& best, u32& low, u32& high) const {
    const TrieJoinLevel& level = walk.level[k];
    for (u32 s = 0; s < level.cursors; s++) {
      const TrieJoinCursor& cursor = walk.cursor[level.firstCursor + s];
      u32 from = 0;
      u32 to = cursor.size;
      if (cursor.parents != nullptr) {
        u32 node = position(walk.cursor[cursor.parent], k, lane());
        from = __ldg(cursor.parents + node);
        to = __ldg(cursor.parents + node + 1);
      }
      state[cursor.ranges + lane()] = from;
      state[cursor.ranges + SLOTS + lane()] = to;
      if (s == 0 || to - from < high - low) {
        best = s;
        low = from;
        high = to;
      }
    }
  }

  // What the lanes' bindings are to try.
  __device__ __forceinline__ void candidates(u32 k, u32 chosen, u32 first, u64 count) const {
    u32 base = walk.level[k].state;
    u64 sum = warp_inclusive(count);
    wide(base + SUMS + 2 * lane()) = sum - count;
    if (lane() == 31) {
      wide(base + SUMS + 2 * SLOTS) = sum;
    }
    state[base + FIRSTS + lane()] = first;
    state[base + CHOSEN + lane()] = chosen;
    __syncwarp();
  }

  // The first level, from the row of the first lane's binding on: of its candidates those in range.
  __device__ __forceinline__ void begin(u32 rows, u64 from, u64 to) const {
    u32 best = 0;
    u32 low = 0;
    u32 high = 0;
    u64 count = 0;
    __syncwarp();
    if (lane() < rows) {
      lists(0, best, low, high);
      u64 begin = __ldg(walk.sums + row + lane());
      u64 end = min(to, __ldg(walk.sums + row + lane() + 1));
      u64 at = max(from, begin);
      count = end > at ? end - at : 0;
      low = __ldg(walk.firsts + row + lane()) + (u32)(at - begin);
      best = walk.places[__ldg(walk.sides + row + lane())];
      u64 factor = 1;
      for (u32 c = 0; c < walk.cursors; c++) {
        const TrieJoinCursor& cursor = walk.cursor[c];
        if (cursor.batch == 0 && cursor.weight > 0) {
          factor = times(factor, cursor, __ldg(cursor.nodes + row + lane()));
        }
      }
      wide(walk.level[0].state + FACTORS + 2 * lane()) = factor;
    }
    candidates(0, best, low, count);
  }

  // A later level, for so many bindings of the batch above it.
  __device__ __forceinline__ void open(u32 k, u32 slots) const {
    const TrieJoinLevel& level = walk.level[k];
    u32 best = 0;
    u32 low = 0;
    u32 high = 0;
    if (lane() < slots) {
      lists(k, best, low, high);
      if (level.bounds > 0) {
        Range range;
        for (u32 b = 0; b < level.bounds; b++) {
          const TrieJoinBound& bound = walk.bound[level.firstBound + b];
          range.limit(bound.kind, value(bound, k, lane()));
        }
        const TrieJoinCursor& cursor = walk.cursor[level.firstCursor + best];
        range.cut(cursor.values, cursor.min, low, high);
      }
    }
    candidates(k, best, low, high - low);
  }

  __device__ __forceinline__ int value_at(const TrieJoinCursor& cursor, u32 at) const {
    return cursor.values == nullptr ? cursor.min + (int)at : __ldg(cursor.values + at);
  }

  __device__ __forceinline__ bool bare(const TrieJoinCursor& cursor, u32 at) const {
    return cursor.starts != nullptr && __ldg(cursor.starts + at) == __ldg(cursor.starts + at + 1);
  }

  // Whether all lists of a level have what a candidate offers; where it is in each goes to the lane's found positions.
  __device__ __forceinline__ bool matches(u32 k, u64 candidate, u32& slot, int& found) const {
    const TrieJoinLevel& level = walk.level[k];
    slot = 0;
#pragma unroll
    for (u32 step = SLOTS / 2; step > 0; step >>= 1) {
      slot += wide(level.state + SUMS + 2 * (slot + step)) <= candidate ? step : 0;
    }
    u32 offset = (u32)(candidate - wide(level.state + SUMS + 2 * slot));
    u32 at = state[level.state + FIRSTS + slot] + offset;
    u32 chosen = state[level.state + CHOSEN + slot];
    const TrieJoinCursor& offering = walk.cursor[level.firstCursor + chosen];
    found = value_at(offering, at);
    if (bare(offering, at)) {
      return false;
    }
    if (level.different) {
      for (u32 b = 0; b < level.bounds; b++) {
        const TrieJoinBound& bound = walk.bound[level.firstBound + b];
        if (bound.kind == DIFFERENT && value(bound, k, slot) == found) {
          return false;
        }
      }
    }
    state[walk.found + SLOTS * chosen + lane()] = at;
    for (u32 s = 0; s < level.cursors; s++) {
      if (s == chosen) {
        continue;
      }
      const TrieJoinCursor& cursor = walk.cursor[level.firstCursor + s];
      u32 end = state[cursor.ranges + SLOTS + slot];
      u32 there = seek(cursor.values, cursor.min, state[cursor.ranges + slot], end, found);
      if (there == end || value_at(cursor, there) != found || bare(cursor, there)) {
        return false;
      }
      state[walk.found + SLOTS * s + lane()] = there;
    }
    return true;
  }

  // The factor of what is counted, with the level's own.
  __device__ __forceinline__ u64 factor(u32 k, u32 slot) const {
    const TrieJoinLevel& level = walk.level[k];
    u64 result = wide(level.state + FACTORS + 2 * slot);
    for (u32 s = 0; s < level.cursors; s++) {
      const TrieJoinCursor& cursor = walk.cursor[level.firstCursor + s];
      if (cursor.weight > 0) {
        result = times(result, cursor, state[walk.found + SLOTS * s + lane()]);
      }
    }
    return result;
  }

  // Fills a level's batch from candidate `next` on; how many bindings it has then.
  __device__ __forceinline__ u32 fill(u32 k, u64& next) const {
    const TrieJoinLevel& level = walk.level[k];
    u64 total = wide(level.state + SUMS + 2 * SLOTS);
    u32 count = 0;
    while (count < ENOUGH && next < total) {
      u32 slot = 0;
      int found = 0;
      bool there = next + lane() < total && matches(k, next + lane(), slot, found);
      u32 all = __ballot_sync(ALL, there);
      u32 own = count + __popc(all & ((1u << lane()) - 1));
      // What there is no room for is tried again.
      u32 late = __ballot_sync(ALL, there && own >= SLOTS);
      if (there && own < SLOTS) {
        state[level.state + PARENTS + own] = slot;
        if (level.values != NOWHERE) {
          state[level.values + own] = (u32)found;
        }
        for (u32 s = 0; s < level.cursors; s++) {
          const TrieJoinCursor& cursor = walk.cursor[level.firstCursor + s];
          if (cursor.positions != NOWHERE) {
            state[cursor.positions + own] = state[walk.found + SLOTS * s + lane()];
          }
        }
        wide(walk.level[k + 1].state + FACTORS + 2 * own) = factor(k, slot);
      }
      count = min(SLOTS, count + __popc(all));
      next += late == 0 ? SLOTS : __ffs(late) - 1;
    }
    return count;
  }

  __device__ __forceinline__ void emit(u32 k, u32 slot, u64 to) const {
    for (u32 o = 0; o < walk.outputs; o++) {
      const TrieJoinOutput& output = walk.output[o];
      const TrieJoinCursor& cursor = walk.cursor[output.cursor];
      u32 at = cursor.batch == k + 1
          ? state[walk.found + SLOTS * (output.cursor - walk.level[k].firstCursor) + lane()]
          : position(cursor, k, slot);
      output.out[to] = __ldg(output.rows + at);
    }
  }
};

// Walks units of so many candidates each.
template <Mode MODE>
__device__ __forceinline__ void walk_units(
    const TrieJoinArgs* global, u64 from, u64 to, u32 unit, u32 firstUnit, u32 lastUnit, u32* counter, u64* counts, u64 window,
    u64 windowEnd, u32* overflow) {
  extern __shared__ __align__(16) u32 dynamic[];
  for (u32 i = threadIdx.x; i < sizeof(TrieJoinArgs) / 4; i += blockDim.x) {
    dynamic[i] = ((const u32*)global)[i];
  }
  __syncthreads();
  const TrieJoinArgs& walk = *(const TrieJoinArgs*)dynamic;
  Walker walker{walk, dynamic + sizeof(TrieJoinArgs) / 4 + warp() * walk.words, overflow, 0};
  u32 last = walk.levels - 1;
  u64 mine = 0;
  while (true) {
    u32 number = 0;
    if (lane() == 0) {
      number = firstUnit + atomicAdd(counter, 1u);
    }
    number = __shfl_sync(ALL, number, 0);
    if (number >= lastUnit) {
      break;
    }
    u64 at = from + (u64)number * unit;
    u64 end = min(to, at + unit);
    // The number of the next row.
    u64 rows = MODE == EMIT ? counts[number] : 0;
    bool done = false;
    for (walker.row = row_of(walk.sums, walk.bindings, at);
         !done && walker.row < walk.bindings && __ldg(walk.sums + walker.row) < end;
         walker.row += SLOTS) {
      walker.begin(min(SLOTS, walk.bindings - walker.row), at, end);
      u32 k = 0;
      u64 next = 0;
      while (!done) {
        u32 state = walk.level[k].state;
        if (k < last) {
          u32 slots = walker.fill(k, next);
          if (slots > 0) {
            // All lanes have read what the first one is about to change.
            __syncwarp();
            if (lane() == 0) {
              walker.wide(state + NEXT) = next;
            }
            __syncwarp();
            walker.open(++k, slots);
            next = 0;
            continue;
          }
        } else {
          u64 total = walker.wide(state + SUMS + 2 * SLOTS);
          for (; next < total && !done; next += SLOTS) {
            u32 slot = 0;
            int found = 0;
            bool there = next + lane() < total && walker.matches(k, next + lane(), slot, found);
            if (MODE == COUNT) {
              if (there) {
                mine += walker.factor(k, slot);
                if (mine > LARGEST) {
                  *overflow = 1;
                }
              }
            } else {
              u32 all = __ballot_sync(ALL, there);
              if (MODE == EMIT) {
                u64 row = rows + __popc(all & ((1u << lane()) - 1));
                if (there && row >= window && row < windowEnd) {
                  walker.emit(k, slot, row - window);
                }
              }
              rows += __popc(all);
              done = MODE == EMIT && rows >= windowEnd;
            }
          }
        }
        if (k == 0) {
          break;
        }
        // All lanes have read what the level above is about to change.
        __syncwarp();
        k--;
        next = walker.wide(walk.level[k].state + NEXT);
      }
    }
    if (MODE == UNITS && lane() == 0) {
      counts[number] = rows;
    }
  }
  if (MODE == COUNT) {
    if (__any_sync(ALL, mine >> 57 != 0)) {
      add(counts, mine, overflow);
    } else {
      mine = warp_sum(mine);
      if (lane() == 0) {
        add(counts, mine, overflow);
      }
    }
  }
}

}  // namespace ara
