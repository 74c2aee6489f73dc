// The kernels of trieWalk.
#include "agent/trie_join.cuh"

using namespace ara;

// Adds how many rows there are to counts[0].
extern "C" __global__ void __launch_bounds__(THREADS) ara_walk_count(
    const TrieJoinArgs* walk, u64 from, u64 to, u32 unit, u32 firstUnit, u32 lastUnit, u32* counter, u64* counts,
    u32* overflow) {
  walk_units<COUNT>(walk, from, to, unit, firstUnit, lastUnit, counter, counts, 0, 0, overflow);
}

// Counts the rows of each unit.
extern "C" __global__ void __launch_bounds__(THREADS) ara_walk_units(
    const TrieJoinArgs* walk, u64 from, u64 to, u32 unit, u32 firstUnit, u32 lastUnit, u32* counter, u64* counts,
    u32* overflow) {
  walk_units<UNITS>(walk, from, to, unit, firstUnit, lastUnit, counter, counts, 0, 0, overflow);
}

// Writes those rows whose numbers, from counts[unit] on, are in the window.
extern "C" __global__ void __launch_bounds__(THREADS) ara_walk_emit(
    const TrieJoinArgs* walk, u64 from, u64 to, u32 unit, u32 firstUnit, u32 lastUnit, u32* counter, u64* counts, u64 window,
    u64 windowEnd, u32* overflow) {
  walk_units<EMIT>(walk, from, to, unit, firstUnit, lastUnit, counter, counts, window, windowEnd, overflow);
}
