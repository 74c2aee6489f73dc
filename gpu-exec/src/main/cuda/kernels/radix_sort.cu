// Passes of a radix sort: CUB's onesweep agent (Adinets and Merrill) under names of our own, with 32-bit counts and CUB's
// tuning for sm_90.
// clang-format off: the agent needs the two others before it
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/agent/agent_radix_sort_onesweep.cuh>
// clang-format on

#include "thread/common.cuh"

namespace ara {

HOST_SHARED struct RadixSortPolicy {
  static constexpr int THREADS = 384;
  static constexpr int DIGIT_BITS = 8;
  // Rows of a tile, by the bytes of keys and values.
  static constexpr int TILE_4_4 = 8832;
  static constexpr int TILE_4_8 = 5760;
  static constexpr int TILE_8_4 = 5760;
  static constexpr int TILE_8_8 = 4608;
};

constexpr int SWEEP_THREADS = RadixSortPolicy::THREADS;

template <class K, class V>
struct Sweep {
  static constexpr int NOMINAL = sizeof(K) == 4 ? (sizeof(V) == 4 ? 23 : 30) : (sizeof(V) == 4 ? 30 : 24);
  using Widest = cuda::std::conditional_t<(sizeof(V) > sizeof(K)), V, K>;
  using Policy = cub::AgentRadixSortOnesweepPolicy<
      SWEEP_THREADS, NOMINAL, Widest, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY, cub::BLOCK_SCAN_RAKING_MEMOIZE,
      cub::RADIX_SORT_STORE_DIRECT, RadixSortPolicy::DIGIT_BITS>;
  using Agent = cub::detail::radix_sort::AgentRadixSortOnesweep<Policy, false, K, V, u32, int>;
  static_assert(Policy::BLOCK_THREADS == SWEEP_THREADS, "threads");
};

static_assert(Sweep<u32, u32>::Agent::TILE_ITEMS == RadixSortPolicy::TILE_4_4, "tile");
static_assert(Sweep<u32, u64>::Agent::TILE_ITEMS == RadixSortPolicy::TILE_4_8, "tile");
static_assert(Sweep<u64, u32>::Agent::TILE_ITEMS == RadixSortPolicy::TILE_8_4, "tile");
static_assert(Sweep<u64, u64>::Agent::TILE_ITEMS == RadixSortPolicy::TILE_8_8, "tile");

}  // namespace ara

using namespace ara;

// One pass over one portion of at most 2^28 - 1 rows. `lookback` (256 words a tile) and `counter` are zeroed before;
// `starts` says where each digit's rows go, `nextStarts` (null for the last portion) where those of the next portion do.
#define SWEEP(NAME, K, V)                                                                                         \
  extern "C" __global__ void __launch_bounds__(SWEEP_THREADS) NAME(                                               \
      int* lookback, int* counter, u32* nextStarts, const u32* starts, K* outKeys, const K* keys, V* outValues,   \
      const V* values, int count, int shift, int bits) {                                                          \
    using Agent = Sweep<K, V>::Agent;                                                                             \
    __shared__ typename Agent::TempStorage storage;                                                               \
    Agent agent(                                                                                                  \
        storage, lookback, counter, nextStarts, starts, outKeys, keys, outValues, values, count, shift, bits);    \
    agent.Process();                                                                                              \
  }

SWEEP(ara_sweep_4_4, u32, u32)
SWEEP(ara_sweep_4_8, u32, u64)
SWEEP(ara_sweep_8_4, u64, u32)
SWEEP(ara_sweep_8_8, u64, u64)
