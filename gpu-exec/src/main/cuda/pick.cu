// select and selectIds: the positions of rows whose flag, id or bit is as wanted, ascending.
//
// One kernel. Blocks take pieces of rows by ticket, so that those whose way to the memory is shorter do more; a block tests its
// pieces, at the memory's rate, keeps a bit of each row in shared memory (2^27 bits are 16 MB, of 29 on an H200), and positions
// as long as they are few. When no pieces are left it adds up the counts of the pieces before its own, which are done at about
// the same time, and writes positions. So nothing but input and positions crosses the memory, and one launch does it.
//
// Tickets and counts are words in memory that all launches of a stream share, so that nobody clears them before: a number of
// the launch in a count says whose it is, and there are two tickets, of which a launch takes the one and clears the other. A
// block waits only for pieces that blocks have begun with.
#include "lookback.cuh"
#include "positions.cuh"

namespace ara {

// Threads of a block, two of which fill a multiprocessor.
constexpr int PICK_THREADS = 512;
constexpr int PICK_WARPS = PICK_THREADS / 32;

// Units of a warp in a piece, which lie next to each other.
constexpr int PICK_UNITS = 2;
constexpr u32 PIECE = PICK_WARPS * PICK_UNITS * UNIT;

// Positions of a warp that wait for their way out.
constexpr u32 ROOM = 1024;
using Out = Writer<ROOM, true>;
static_assert(PICK_UNITS * UNIT <= 1 << 16, "a warp's rows of a piece in 16 bits");

// A bit for each of four bytes that is not 0.
__device__ __forceinline__ u32 nonZero(u32 bytes) {
  u32 high = (bytes | ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu)) & 0x80808080u;
  // Each byte's highest bit goes to a place of its own among the highest four; no sums of others reach them.
  return high * 0x00204081u >> 28;
}

// Each source: load() asks for what a warp needs of a unit from `row` on, word() makes of it each lane's bits of 32 rows, of which
// those behind the last row are off. AHEAD: a piece is asked for while the one before is tested.

// Bytes that are not 0, or, where `flipped` is all ones, that are 0.
struct Flags {
  static constexpr bool AHEAD = true;
  struct Raw {
    uint4 half[2];
  };
  const u8* flags;
  u32 count;
  u32 flipped;
  bool vector;

  __device__ __forceinline__ void load(u32 row, Raw& raw) const {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      raw.half[h] = load(row + 512 * h + 16 * lane());
    }
  }

  __device__ __forceinline__ uint4 load(u32 row) const {
    if (vector && row < count && count - row >= 16) {
      return __ldcs((const uint4*)(flags + row));
    }
    u32 w[4] = {0, 0, 0, 0};
    for (u32 k = 0; k < 16 && row + k < count; k++) {
      w[k / 4] |= (u32)flags[row + k] << (k % 4 * 8);
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
  }

  __device__ __forceinline__ u32 word(u32 row, const Raw& raw) const {
    u32 both = 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
      uint4 v = raw.half[h];
      u32 bits = nonZero(v.x) | nonZero(v.y) << 4 | nonZero(v.z) << 8 | nonZero(v.w) << 12;
      both |= bits << (16 * h);
    }
    // A lane has 16 rows of the unit's first half, and 16 of its second.
    u32 low = __shfl_sync(ALL, both, 2 * (lane() & 15));
    u32 high = __shfl_sync(ALL, both, 2 * (lane() & 15) + 1);
    u32 word = lane() < 16 ? (low & 0xffffu) | high << 16 : low >> 16 | (high & 0xffff0000u);
    return (word ^ flipped) & inside(row + 32 * lane(), count);
  }
};

// A step of turning a matrix of 8 by 8 nibbles, a row in each of 8 lanes: K says which bit of row and column changes places, `low`
// which nibbles have columns without it.
template <int K>
__device__ __forceinline__ u32 turned(u32 x, u32 low) {
  u32 other = __shfl_xor_sync(ALL, x, K);
  return lane() & K ? (x & ~low) | (other & ~low) >> (4 * K) : (x & low) | (other & low) << (4 * K);
}

// Ids that are rows, or, where `flipped` is all ones, that are -1.
struct Ids {
  static constexpr bool AHEAD = false;
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

// Bits in whole words.
struct Bits {
  static constexpr bool AHEAD = true;
  struct Raw {
    u32 word;
  };
  const u32* bits;
  u32 count;

  __device__ __forceinline__ void load(u32 row, Raw& raw) const {
    u32 at = row + 32 * lane();
    raw.word = at < count ? __ldcs(bits + at / 32) : 0;
  }

  __device__ __forceinline__ u32 word(u32 row, const Raw& raw) const {
    return raw.word & inside(row + 32 * lane(), count);
  }
};

// What a launch has besides its rows.
//
// start: the number of the first row.
// most: pieces of a block at most, 2 to 32; blocks times `most` is as many as there are pieces at least.
// words: two tickets, of which the one of `launch` is 0, then a word a piece, whose upper half says whose the lower one is;
// `launch` is one more from launch to launch.
// out: where the positions go; their number goes to `result`, pinned memory.
#define PICK_ARGS u32 start, u32 most, u64 *words, u32 launch, u32 *out, u64 *result
#define PICK Pick{start, most, words, launch, out, result}
struct Pick {
  u32 start;
  u32 most;
  u64* words;
  u32 launch;
  u32* out;
  u64* result;

  // The number of the first of `many` pieces that nobody else takes.
  __device__ __forceinline__ u32 take(u64 many) const { return (u32)atomicAdd(words + (launch & 1), many); }

  __device__ __forceinline__ u64* count_of(u32 piece) const { return words + 2 + piece; }
};

// The first row of a warp's unit.
__device__ __forceinline__ u32 row_of(u32 piece, u32 unit) { return ((piece * PICK_WARPS + warp()) * PICK_UNITS + unit) * UNIT; }

// `memory`: of each of a block's `most` pieces a word a row of 32, a word a warp and two words; then Out::ROOMS numbers of 16 bits
// a warp.
template <class Source>
__device__ __forceinline__ void pick(const Source& source, u32 count, const Pick& p, u32* memory) {
  typedef typename Source::Raw Raw;
  constexpr u32 W = PICK_WARPS;
  constexpr int U = PICK_UNITS;
  constexpr u32 WORDS = PIECE / 32;
  __shared__ u32 next[2];
  u32* bits = memory + warp() * U * 32;
  u32* sums = memory + p.most * WORDS;
  u32* list = sums + p.most * W;
  u32* befores = list + p.most;
  u16* room = (u16*)(befores + p.most) + warp() * Out::ROOMS;
  u32 pieces = (count - 1) / PIECE + 1;
  u64 mine = (u64)p.launch << 32;
  if (threadIdx.x == 0) {
    next[0] = p.take(2);
    next[1] = next[0] + 1;
  }
  __syncthreads();
  u32 piece = next[0];
  u32 after = next[1];
  // Pieces of this block.
  u32 m = 0;
  // Positions wait already of the first units, as long as there is room: what few there are, are found beside the reading.
  // Lane j knows how many behind piece j.
  u32 early = 0;
  u32 held = 0;
  u32 waiting = 0;
  Raw raw[U];
  if (Source::AHEAD && piece < pieces) {
#pragma unroll
    for (int k = 0; k < U; k++) {
      source.load(row_of(piece, k), raw[k]);
    }
  }
  while (piece < pieces) {
    u32 ticket = ALL;
    if (threadIdx.x == 0 && m + 2 < p.most) {
      ticket = p.take(1);
    }
    Raw ahead[Source::AHEAD ? U : 1];
    if (Source::AHEAD && after < pieces) {
#pragma unroll
      for (int k = 0; k < U; k++) {
        source.load(row_of(after, k), ahead[Source::AHEAD ? k : 0]);
      }
    }
    u32* to = bits + m * WORDS + lane();
    u32 n = 0;
    // What is not loaded ahead is loaded a unit at a time: registers have room for one.
#pragma unroll(Source::AHEAD ? U : 1)
    for (int k = 0; k < U; k++) {
      Raw& some = raw[Source::AHEAD ? k : 0];
      if (!Source::AHEAD) {
        source.load(row_of(piece, k), some);
      }
      u32 word = source.word(row_of(piece, k), some);
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
        store_state(p.count_of(piece), mine | sum);
      }
    }
    piece = after;
    after = next[m & 1];
    if (Source::AHEAD) {
#pragma unroll
      for (int k = 0; k < U; k++) {
        raw[k] = ahead[Source::AHEAD ? k : 0];
      }
    }
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
      u64 state[4];
#pragma unroll
      for (u32 k = 0; k < 4; k++) {
        state[k] = at + 32 * k < end ? load_state(p.count_of(at + 32 * k)) : mine;
      }
#pragma unroll
      for (u32 k = 0; k < 4; k++) {
        while (state[k] >> 32 != p.launch) {
          __nanosleep(20);
          state[k] = load_state(p.count_of(at + 32 * k));
        }
        sum += (u32)state[k];
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
      p.words[p.launch + 1 & 1] = 0;
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

using namespace ara;

// All: count > 0; dynamic shared memory as pick() says.

// Rows whose flag is not 0, or, with `flip` 1, is 0.
extern "C" __global__ void __launch_bounds__(PICK_THREADS, 2) ara_select(const u8* flags, u32 flip, u32 count, PICK_ARGS) {
  extern __shared__ __align__(16) u32 memory[];
  pick(Flags{flags, count, flip ? ALL : 0, aligned16(flags)}, count, PICK, memory);
}

// Rows whose id is a row, or, with `flip` 1, is -1.
extern "C" __global__ void __launch_bounds__(PICK_THREADS, 2) ara_select_ids(const u32* ids, u32 flip, u32 count, PICK_ARGS) {
  extern __shared__ __align__(16) u32 memory[];
  pick(Ids{ids, count, flip ? ALL : 0, aligned16(ids)}, count, PICK, memory);
}

// Rows whose bit is on in `given`, which has whole words; those behind the last row may be anything.
extern "C" __global__ void __launch_bounds__(PICK_THREADS, 2) ara_select_bits(const u32* given, u32 count, PICK_ARGS) {
  extern __shared__ __align__(16) u32 memory[];
  pick(Bits{given, count}, count, PICK, memory);
}
