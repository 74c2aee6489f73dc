// selectIds: the positions of rows whose id is a row, or is -1, ascending.
//
// One kernel. Blocks take pieces of rows by ticket, so that those whose way to the memory is shorter do more: ids are four bytes,
// and reading them, the most of the time, goes at the memory's rate only so (0.133 ms for 2^27 ids, 0.142 where each block has its
// share; of flags, a quarter of that, tickets cost more than they bring: select.cu). A block tests its pieces, keeps a bit of each row
// in shared memory (2^27 bits are 16 MB, of 29 on an H200), and positions as long as they are few. When no pieces are left it adds
// up the counts of the pieces before its own, which are done at about the same time, and writes positions. So nothing but ids and
// positions crosses the memory, and one launch does it. A block waits only for pieces that blocks have begun with.
#pragma once
#include "block/launch_counts.cuh"
#include "warp/position_writer.cuh"
#include "warp/scan.cuh"

namespace ara {

HOST_SHARED struct SelectIdsPolicy {
  // Of a block, two of which fill a multiprocessor.
  static constexpr int THREADS = 512;
  static constexpr int WARPS = THREADS / 32;
  static constexpr int BLOCKS = 2;
  // Of a warp in a piece, which lie next to each other.
  static constexpr int UNITS = 2;
  // Rows of a piece, and bytes of shared memory that a block keeps of each of its pieces.
  static constexpr u32 PIECE = WARPS * UNITS * PositionsPolicy::UNIT;
  static constexpr u32 PIECE_BYTES = PIECE / 8 + 4 * WARPS + 8;
  // Of a block at most: a lane each.
  static constexpr int PIECES = 32;
  // Positions of a warp that wait for their way out, and bytes of shared memory that they take.
  static constexpr u32 ROOM = 1024;
  static constexpr u32 ROOM_BYTES = (ROOM + 32) * 2;
};

constexpr int PICK_THREADS = SelectIdsPolicy::THREADS;
constexpr int PICK_WARPS = SelectIdsPolicy::WARPS;
constexpr int PICK_UNITS = SelectIdsPolicy::UNITS;
constexpr u32 PIECE = SelectIdsPolicy::PIECE;
constexpr u32 ROOM = SelectIdsPolicy::ROOM;
using Out = Writer<ROOM, true>;
static_assert(Out::ROOMS * sizeof(u16) == SelectIdsPolicy::ROOM_BYTES, "shared memory");
static_assert(PICK_UNITS * UNIT <= 1 << 16, "a warp's rows of a piece in 16 bits");

// A step of turning a matrix of 8 by 8 nibbles, a row in each of 8 lanes: K says which bit of row and column changes places, `low`
// which nibbles have columns without it.
template <int K>
__device__ __forceinline__ u32 turned(u32 x, u32 low) {
  u32 other = __shfl_xor_sync(ALL, x, K);
  return lane() & K ? (x & ~low) | (other & ~low) >> (4 * K) : (x & low) | (other & low) << (4 * K);
}

// Ids that are rows, or, where `flipped` is all ones, that are -1. What a warp needs of a unit from `row` on is load()ed, and
// word() makes of it each lane's bits of 32 rows, of which those behind the last row are off.
struct Ids {
  struct Raw {
    uint4 eighth[8];
  };
  const u32* ids;
  u32 count;
  u32 flipped;
  bool vector;

  __device__ __forceinline__ void load(u32 row, Raw& raw) const {
#pragma unroll
    for (int j = 0; j < 8; j++) {
      u32 at = row + 128 * j + 4 * lane();
      raw.eighth[j] = at < count ? load4(ids + at, vector) : zero4();
    }
  }

  __device__ __forceinline__ u32 word(u32 row, const Raw& raw) const {
    // A lane has four rows of each eighth.
    u32 x = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      uint4 v = raw.eighth[j];
      x |= (v.x >> 31 | v.y >> 31 << 1 | v.z >> 31 << 2 | v.w >> 31 << 3) << (4 * j);
    }
    x = turned<4>(x, 0x0000ffffu);
    x = turned<2>(x, 0x00ff00ffu);
    x = turned<1>(x, 0x0f0f0f0fu);
    // Lane 8 * g + i has word 4 * i + g.
    u32 word = __shfl_sync(ALL, x, (lane() & 3) << 3 | lane() >> 2);
    return (~word ^ flipped) & inside(row + 32 * lane(), count);
  }
};

// What a launch has besides its rows.
//
// start: the number of the first row.
// most: pieces of a block at most, 2 to 32; blocks times `most` is as many as there are pieces at least.
// words: of the stream; a count is that of a piece.
// out: where the positions go; their number goes to `result`, pinned memory.
#define PICK_ARGS u32 start, u32 most, u64 *words, u32 launch, u32 *out, u64 *result
#define PICK Pick{start, most, LaunchCounts{words, launch}, out, result}
struct Pick {
  u32 start;
  u32 most;
  LaunchCounts words;
  u32* out;
  u64* result;
};

// The first row of a warp's unit.
__device__ __forceinline__ u32 row_of(u32 piece, u32 unit) { return ((piece * PICK_WARPS + warp()) * PICK_UNITS + unit) * UNIT; }

// `memory`: of each of a block's `most` pieces a word a row of 32, a word a warp and two words; then Out::ROOMS numbers of 16 bits
// a warp.
__device__ __forceinline__ void pick(const Ids& source, u32 count, const Pick& p, u32* memory) {
  constexpr u32 W = PICK_WARPS;
  constexpr int U = PICK_UNITS;
  constexpr u32 WORDS = PIECE / 32;
  // Of rounds two words in turn; those of the first two pieces are read before a barrier parts readers from round 0's writer.
  __shared__ u32 next[4];
  u32* bits = memory + warp() * U * 32;
  u32* sums = memory + p.most * WORDS;
  u32* list = sums + p.most * W;
  u32* befores = list + p.most;
  u16* room = (u16*)(befores + p.most) + warp() * Out::ROOMS;
  u32 pieces = (count - 1) / PIECE + 1;
  if (threadIdx.x == 0) {
    next[2] = p.words.take(2);
    next[3] = next[2] + 1;
  }
  __syncthreads();
  u32 piece = next[2];
  u32 after = next[3];
  // Pieces of this block.
  u32 m = 0;
  // Positions wait already of the first units, as long as there is room: what few there are, are found beside the reading.
  // Lane j knows how many behind piece j.
  u32 early = 0;
  u32 held = 0;
  u32 waiting = 0;
  while (piece < pieces) {
    u32 ticket = ALL;
    if (threadIdx.x == 0 && m + 2 < p.most) {
      ticket = p.words.take(1);
    }
    u32* to = bits + m * WORDS + lane();
    u32 n = 0;
    // A unit at a time: registers have room for one.
#pragma unroll 1
    for (int k = 0; k < U; k++) {
      Ids::Raw raw;
      source.load(row_of(piece, k), raw);
      u32 word = source.word(row_of(piece, k), raw);
      to[32 * k] = word;
      u32 own = __popc(word);
      u32 all = __reduce_add_sync(ALL, own);
      if (early == m * U + k && held + all <= ROOM && all <= DENSE) {
        u32 at = held + warp_inclusive(own) - own;
        for (u32 left = word; left != 0; left &= left - 1) {
          room[at++] = (u16)(k * UNIT + lane() * 32 + __ffs(left) - 1);
        }
        held += all;
        early++;
      }
      n += all;
    }
    waiting = lane() == m ? held : waiting;
    if (lane() == 0) {
      sums[m * W + warp()] = n;
    }
    if (threadIdx.x == 0) {
      list[m] = piece;
      next[m & 1] = ticket;
    }
    __syncthreads();
    if (warp() == m % W) {
      u32 sum = __reduce_add_sync(ALL, lane() < W ? sums[m * W + lane()] : 0);
      if (lane() == 0) {
        p.words.put(piece, sum);
      }
    }
    piece = after;
    after = next[m & 1];
    m++;
  }
  if (m == 0) {
    return;
  }
  // A warp adds up what is between a piece and the block's piece before it.
  for (u32 j = warp(); j < m; j += W) {
    u32 end = list[j];
    u32 sum = 0;
    for (u32 at = (j == 0 ? 0 : list[j - 1]) + lane(); at < end; at += 4 * 32) {
      u64 seen[4];
#pragma unroll
      for (u32 k = 0; k < 4; k++) {
        seen[k] = at + 32 * k < end ? p.words.look(at + 32 * k) : 0;
      }
#pragma unroll
      for (u32 k = 0; k < 4; k++) {
        sum += at + 32 * k < end ? p.words.await(at + 32 * k, seen[k]) : 0;
      }
    }
    sum = __reduce_add_sync(ALL, sum);
    if (lane() == 0) {
      befores[j] = sum;
    }
  }
  __syncthreads();
  // Lane j: where this warp's part of piece j begins.
  u32 base = warp_inclusive(lane() < m ? befores[lane()] : 0u);
  if (lane() < m) {
    for (u32 w = 0; w < warp(); w++) {
      base += sums[lane() * W + w];
    }
    if (warp() == W - 1 && list[lane()] == pieces - 1) {
      *p.result = base + sums[lane() * W + warp()];
      p.words.end();
    }
  }
  u32 j = 0;
  // Of whole pieces only.
  for (u32 begin = 0; j < early / U; j++) {
    u32 end = __shfl_sync(ALL, waiting, j);
    u32* to = p.out + __shfl_sync(ALL, base, j) - begin;
    u32 first = p.start + row_of(list[j], 0);
    for (u32 i = begin + lane(); i < end; i += 32) {
      __stcs(to + i, first + room[i]);
    }
    begin = end;
  }
  __syncwarp();
#pragma unroll 1
  for (; j < m; j++) {
    Out writer(room, p.out + __shfl_sync(ALL, base, j), p.start + row_of(list[j], 0));
    const u32* own = bits + j * WORDS;
    // Not unrolled: what writes positions is long as it is.
#pragma unroll 1
    for (int k = 0; k < U; k++) {
      u32 word = own[32 * k + lane()];
      u32 upTo = warp_inclusive((u32)__popc(word));
      writer.add(word, own + 32 * k, k * UNIT, upTo - __popc(word), __shfl_sync(ALL, upTo, 31));
    }
    writer.flush();
  }
}

}  // namespace ara
