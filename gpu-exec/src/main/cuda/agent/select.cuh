// select: the positions of rows whose flag or bit is on, or whose word is small enough, ascending.
//
// One kernel, whose blocks are as many as the GPU holds at once where shared memory suffices for the bits of their rows.
// A block first tests its rows, at the memory's rate, and keeps a bit of each, and positions as long as they are few; then
// it waits for the counts of the blocks before it, which are done at about the same time, and writes positions. So nothing
// but flags and positions crosses the memory, and one launch does it.
//
// Counts are words in memory that all launches of a stream share (see block/launch_counts.cuh). Blocks begin in the order of their
// numbers (see block/look_back.cuh): one waits only for those that have begun. Ids are another matter: select_ids.cu.
#pragma once
#include "block/launch_counts.cuh"
#include "block/sum.cuh"
#include "warp/position_writer.cuh"
#include "warp/scan.cuh"

namespace ara {

HOST_SHARED struct SelectPolicy {
  // Of a block, two of which fill a multiprocessor.
  static constexpr int THREADS = 512;
  static constexpr int WARPS = THREADS / 32;
  static constexpr int BLOCKS = 2;
  // Of a warp at most, which lie next to each other.
  static constexpr int UNITS = 32;
  // Positions of a warp that wait for their way out, and bytes of shared memory that they take.
  static constexpr u32 ROOM = 1024;
  static constexpr u32 ROOM_BYTES = (ROOM + 32) / 32 * 34 * 2;
};

constexpr int PICK_THREADS = SelectPolicy::THREADS;
constexpr int PICK_WARPS = SelectPolicy::WARPS;
constexpr u32 ROOM = SelectPolicy::ROOM;
using Out = Writer<ROOM>;
static_assert(Out::ROOMS * sizeof(u16) == SelectPolicy::ROOM_BYTES, "shared memory");
static_assert(SelectPolicy::UNITS * UNIT < 1 << 16, "a warp's rows in 16 bits");

// A bit for each of four bytes that is not 0.
__device__ __forceinline__ u32 nonZero(u32 bytes) {
  u32 high = (bytes | ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu)) & 0x80808080u;
  // Each byte's highest bit goes to a place of its own among the highest four; no sums of others reach them.
  return high * 0x00204081u >> 28;
}

// Bytes that are not 0, or, where `flipped` is all ones, that are 0.
struct Flags {
  static constexpr int UNITS = 4;
  const u8* flags;
  u32 count;
  u32 flipped;
  bool vector;

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

  __device__ __forceinline__ void words(u32 row, u32 (&out)[UNITS]) const {
    uint4 raw[2 * UNITS];
#pragma unroll
    for (int j = 0; j < 2 * UNITS; j++) {
      raw[j] = load(row + 512 * j + 16 * lane());
    }
#pragma unroll
    for (int k = 0; k < UNITS; k++) {
      u32 both = 0;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        uint4 v = raw[2 * k + h];
        u32 bits = nonZero(v.x) | nonZero(v.y) << 4 | nonZero(v.z) << 8 | nonZero(v.w) << 12;
        both |= bits << (16 * h);
      }
      // A lane has 16 rows of the unit's first half, and 16 of its second.
      u32 low = __shfl_sync(ALL, both, 2 * (lane() & 15));
      u32 high = __shfl_sync(ALL, both, 2 * (lane() & 15) + 1);
      u32 word = lane() < 16 ? (low & 0xffffu) | high << 16 : low >> 16 | (high & 0xffff0000u);
      out[k] = (word ^ flipped) & inside(row + k * UNIT + 32 * lane(), count);
    }
  }
};

// Bits in whole words.
struct Bits {
  static constexpr int UNITS = 4;
  const u32* bits;
  u32 count;

  __device__ __forceinline__ void words(u32 row, u32 (&out)[UNITS]) const {
#pragma unroll
    for (u32 k = 0; k < UNITS; k++) {
      u32 at = row + k * UNIT + 32 * lane();
      out[k] = at < count ? __ldcs(bits + at / 32) & inside(at, count) : 0;
    }
  }
};

// Words that are not greater than a bound.
struct UpTo {
  static constexpr int UNITS = 1;
  const u64* given;
  u64 bound;
  u32 count;

  __device__ __forceinline__ void words(u32 row, u32 (&out)[UNITS]) const {
    out[0] = 0;
#pragma unroll 8
    for (u32 k = 0; k < 32; k++) {
      u32 at = row + 32 * k + lane();
      u32 bits = __ballot_sync(ALL, at < count && __ldcs(given + at) <= bound);
      out[0] = lane() == k ? bits : out[0];
    }
  }
};

// What a launch has besides its rows.
//
// per: units of a warp, 1 to 32.
// words: of the stream; a count is that of a block.
// out: where the positions go; their number goes to `result`, pinned memory.
#define PICK_ARGS u32 per, u64 *words, u32 launch, u32 *out, u64 *result
#define PICK Pick{per, LaunchCounts{words, launch}, out, result}
struct Pick {
  u32 per;
  LaunchCounts words;
  u32* out;
  u64* result;
};

// `source.words(row, out)` is called by whole warps for Source::UNITS units from `row` on and gives each lane its words, whose
// bits behind the last row are off. `memory`: a word a lane and unit of all warps, then Out::ROOMS numbers of 16 bits a warp.
template <class Source>
__device__ __forceinline__ void pick(const Source& source, u32 count, const Pick& p, u32* memory) {
  constexpr u32 TOGETHER = Source::UNITS;
  __shared__ u32 sums[PICK_WARPS];
  __shared__ u32 befores[PICK_WARPS];
  u32* bits = memory + warp() * p.per * 32 + lane();
  u16* room = (u16*)(memory + PICK_WARPS * p.per * 32) + warp() * Out::ROOMS;
  u32 first = (blockIdx.x * PICK_WARPS + warp()) * p.per * UNIT;
  // Lane u has the number of positions of the warp's unit u.
  u32 found = 0;
  // Those of the first units, as long as there is room, wait already: what few there are, are found beside the reading.
  u32 early = 0;
  u32 held = 0;
#pragma unroll 1
  for (u32 u = 0; u < p.per; u += TOGETHER) {
    u32 row = first + u * UNIT;
    u32 some[TOGETHER];
    if (row < count) {
      source.words(row, some);
    }
#pragma unroll
    for (u32 k = 0; k < TOGETHER; k++) {
      if (u + k < p.per) {
        u32 word = row < count ? some[k] : 0;
        bits[32 * (u + k)] = word;
        u32 n = __reduce_add_sync(ALL, __popc(word));
        found = lane() == u + k ? n : found;
        if (early == u + k && held + n <= ROOM && n <= DENSE) {
          u32 at = held + warp_inclusive((u32)__popc(word)) - __popc(word);
          for (u32 left = word; left != 0; left &= left - 1) {
            room[at++] = (u16)((u + k) * UNIT + lane() * 32 + __ffs(left) - 1);
          }
          held += n;
          early++;
        }
      }
    }
  }
  u32 total = block_sum<PICK_WARPS>(found, sums);
  u32 before = 0;
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) {
      p.words.put(blockIdx.x, total);
    }
    for (u32 i = threadIdx.x; i < blockIdx.x; i += PICK_THREADS) {
      before += p.words.await(i, p.words.look(i));
    }
    before = block_sum<PICK_WARPS>(before, befores);
  }
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) {
    *p.result = before + total;
    p.words.end();
  }
  for (u32 w = 0; w < warp(); w++) {
    before += sums[w];
  }
  __syncwarp();
  for (u32 i = lane(); i < held; i += 32) {
    __stcs(p.out + before + i, first + room[i]);
  }
  __syncwarp();
  Out writer(room, p.out + before + held, first);
  // Four units at a time, whose sums are on their way together, two in a word.
#pragma unroll 1
  for (u32 u = early; u < p.per; u += 4) {
    u32 words[4];
    u32 upTo[4];
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
      words[k] = u + k < p.per ? bits[32 * (u + k)] : 0;
    }
#pragma unroll
    for (u32 k = 0; k < 4; k += 2) {
      u32 both = warp_inclusive((u32)__popc(words[k]) | (u32)__popc(words[k + 1]) << 16);
      upTo[k] = both & 0xffff;
      upTo[k + 1] = both >> 16;
    }
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
      u32 n = __shfl_sync(ALL, found, (u + k) & 31);
      if (u + k < p.per) {
        writer.add(words[k], nullptr, (u + k) * UNIT, upTo[k] - __popc(words[k]), n);
      }
    }
  }
  writer.flush();
}

}  // namespace ara
