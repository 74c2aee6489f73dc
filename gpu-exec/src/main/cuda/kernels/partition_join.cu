// The kernels that join partitions in shared memory.
#include "agent/partition_join.cuh"

using namespace ara;

extern __shared__ __align__(16) unsigned char shared[];

// Lists the pieces of partitions that have more than one, but for the first: partition << 32 | piece, in no order, and
// before them how many there are, and 0 for the join to count up. A partition's pieces are listed by a warp.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_parts_pieces(const u32* __restrict__ probeStarts, u32 parts, u32 pieceRows, u64* pieces) {
  u32 part = blockIdx.x * WARPS + warp();
  u32 more = part < parts ? (probeStarts[part + 1] - probeStarts[part] - 1) / pieceRows : 0;
  if (part >= parts || probeStarts[part + 1] == probeStarts[part] || more == 0) {
    return;
  }
  u64 at = lane() == 0 ? atomicAdd(pieces, (u64)more) : 0;
  at = __shfl_sync(ALL, at, 0);
  for (u32 i = lane(); i < more; i += 32) {
    pieces[PartitionJoinPolicy::PIECES_HEADER + at + i] = (u64)part << 32 | (i + 1);
  }
}

#define JOIN(NAME, W, JOIN_THREADS, ITEMS, CHAINS, BLOCKS)                                                        \
  extern "C" __global__ void __launch_bounds__(JOIN_THREADS, BLOCKS) NAME(                                        \
      u32 parts, u64* pieces, const W* buildWords, const u32* buildStarts, const W* probeWords,                   \
      const u32* probeStarts, int* found, u64* status, COLUMN_ARGS) {                                             \
    SHARED_COLUMNS                                                                                                \
    __shared__ u64 next;                                                                                          \
    u32 part = blockIdx.x;                                                                                        \
    u32 piece = 0;                                                                                                \
    while (true) {                                                                                                \
      if (blockIdx.x >= parts) {                                                                                  \
        if (threadIdx.x == 0) {                                                                                   \
          u64 at = atomicAdd(pieces + 1, 1ull);                                                                   \
          next = at < pieces[0] ? pieces[PartitionJoinPolicy::PIECES_HEADER + at] : ~0ull;                        \
        }                                                                                                         \
        __syncthreads();                                                                                          \
        part = (u32)(next >> 32);                                                                                 \
        piece = (u32)next;                                                                                        \
        if (part == ~0u) {                                                                                        \
          return;                                                                                                 \
        }                                                                                                         \
      }                                                                                                           \
      Join<W, JOIN_THREADS, ITEMS, CHAINS>::run(                                                                  \
          part, piece, buildWords, buildStarts, probeWords, probeStarts, found, status, widths, in, out, shared); \
      if (blockIdx.x < parts) {                                                                                   \
        return;                                                                                                   \
      }                                                                                                           \
      __syncthreads();                                                                                            \
    }                                                                                                             \
  }

JOIN(ara_parts_join_4, int, PartitionJoinPolicy::NARROW_THREADS, PartitionJoinPolicy::ITEMS,
     PartitionJoinPolicy::NARROW_CHAINS, PartitionJoinPolicy::NARROW_BLOCKS)
JOIN(ara_parts_join_8, u64, PartitionJoinPolicy::WIDE_THREADS, PartitionJoinPolicy::ITEMS,
     PartitionJoinPolicy::WIDE_CHAINS, PartitionJoinPolicy::WIDE_BLOCKS)
