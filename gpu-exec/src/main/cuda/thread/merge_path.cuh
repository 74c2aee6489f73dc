// Merge path (Odeh, Green et al.) over rows and what they expand to: a tile takes so many rows and outputs together,
// so that neither long ranges nor millions of empty ones make a tile long.
//
// The path consumes a row once its range has ended, `end(row) <= output`, and an output otherwise. The outputs of a tile
// therefore belong to its rows from the first one to the one that it ends in, inclusive.
#pragma once
#include "thread/common.cuh"

namespace ara {

HOST_SHARED struct MergePathPolicy {
  // Rows and outputs of a tile.
  static constexpr u32 TILE = 4096;
};

constexpr u32 SPLIT_TILE = MergePathPolicy::TILE;

// The rows that lie before diagonal `at` of `rows` rows and `outputs` outputs.
template <class End>
__device__ __forceinline__ u32 split(u64 at, u32 rows, u64 outputs, End end) {
  u64 low = at > outputs ? at - outputs : 0;
  u64 high = at < rows ? at : rows;
  auto passed = [=](u64 row) { return end((u32)row) <= at - 1 - row; };
  // Three rows are asked for at once: the way down is a chain of accesses, of which this takes half.
  while (high - low > 3) {
    u64 quarter = (high - low) / 4;
    u64 first = low + quarter;
    u64 second = first + quarter;
    u64 third = second + quarter;
    bool one = passed(first);
    bool two = passed(second);
    bool three = passed(third);
    low = three ? third + 1 : two ? second + 1 : one ? first + 1 : low;
    high = three ? high : two ? third : one ? second : first;
  }
  while (low < high) {
    u64 middle = (low + high) / 2;
    if (passed(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (u32)low;
}

}  // namespace ara
