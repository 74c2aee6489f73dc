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
    pieces[2 + at + i] = (u64)part << 32 | (i + 1);
  }
}

#define JOIN(NAME, W, JOIN_THREADS, ITEMS, CHAINS, BLOCKS)                                                         \
  extern "C" __global__ void __launch_bounds__(JOIN_THREADS, BLOCKS) NAME(                                         \
      u32 parts, u64* pieces, const W* buildWords, const u32* buildStarts, const W* probeWords,                    \
      const u32* probeStarts, int* found, u64* status, u64 widths, u64 in0, u64 in1, u64 in2, u64 in3, u64 in4,    \
      u64 in5, u64 in6, u64 in7, u64 out0, u64 out1, u64 out2, u64 out3, u64 out4, u64 out5, u64 out6, u64 out7) { \
    __shared__ u64 in[8];                                                                                          \
    __shared__ u64 out[8];                                                                                         \
    if (threadIdx.x == 0) {                                                                                        \
      in[0] = in0, in[1] = in1, in[2] = in2, in[3] = in3, in[4] = in4, in[5] = in5, in[6] = in6, in[7] = in7;      \
      out[0] = out0, out[1] = out1, out[2] = out2, out[3] = out3;                                                  \
      out[4] = out4, out[5] = out5, out[6] = out6, out[7] = out7;                                                  \
    }                                                                                                              \
    __shared__ u64 next;                                                                                           \
    u32 part = blockIdx.x;                                                                                         \
    u32 piece = 0;                                                                                                 \
    while (true) {                                                                                                 \
      if (blockIdx.x >= parts) {                                                                                   \
        if (threadIdx.x == 0) {                                                                                    \
          u64 at = atomicAdd(pieces + 1, 1ull);                                                                    \
          next = at < pieces[0] ? pieces[2 + at] : ~0ull;                                                          \
        }                                                                                                          \
        __syncthreads();                                                                                           \
        part = (u32)(next >> 32);                                                                                  \
        piece = (u32)next;                                                                                         \
        if (part == ~0u) {                                                                                         \
          return;                                                                                                  \
        }                                                                                                          \
      }                                                                                                            \
      Join<W, JOIN_THREADS, ITEMS, CHAINS>::run(                                                                   \
          part, piece, buildWords, buildStarts, probeWords, probeStarts, found, status, widths, in, out, shared);  \
      if (blockIdx.x < parts) {                                                                                    \
        return;                                                                                                    \
      }                                                                                                            \
      __syncthreads();                                                                                             \
    }                                                                                                              \
  }

// Partitions of narrow words may be twice as large, which saves a bit of the partition passes. Wide ones have half the
// chains, so that three blocks' memory fits a multiprocessor.
JOIN(ara_parts_join_4, int, 1024, 9, 8192, 2)
JOIN(ara_parts_join_8, u64, 512, 9, 4096, 3)
