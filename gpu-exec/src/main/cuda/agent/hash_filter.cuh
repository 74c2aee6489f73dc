// Probes behind a filter of the table's words that each block keeps in shared memory: words that are not in the table, which
// most often are most of them, are hardly ever looked for in the table, which lies in the L2 at best.
#pragma once
#include "agent/hash_lookup.cuh"
#include "warp/scan.cuh"

namespace ara {

HOST_SHARED struct HashFilterPolicy {
  // Of a block, which has a multiprocessor to itself.
  static constexpr int THREADS = 1024;
  static constexpr int WARPS = THREADS / 32;
  // Rows that a warp tests together: a lane has groups of four that lie side by side.
  static constexpr int GROUPS = 2;
  static constexpr int STEP = 32 * 4 * GROUPS;
  // Rows that a warp goes through before it takes others: it writes their pairs together.
  static constexpr int SEGMENT = 8 * STEP;
  // Rows of a warp that wait to be looked up: fewer than a warp's lanes, and those that are tested next.
  static constexpr int WAITING = STEP + 32;
  static constexpr int WAITING_BYTES = 2 * WARPS * WAITING;
  static constexpr int MOST_BITS = 8 * (192 << 10);
  // Bits for each word where there is room, of which two are set: one word in twenty passes that should not.
  static constexpr int WORD_BITS = 8;
  // With so few one word in four does.
  static constexpr int LEAST_WORD_BITS = 3;
  // Fewer words are in a table that the SM's own cache holds.
  static constexpr int LEAST_WORDS = 1 << 12;
};

// A bit for each distance from the table's least word, or a Bloom filter of these distances, whose bits for one are in one
// 32-bit word.
struct HashFilter {
  u32* words;
  u32 bits;

  static __device__ __forceinline__ u32 mixed(u64 distance) {
    u32 product = (u32)distance * 0x9E3779B1u + (u32)(distance >> 32) * 0x85EBCA77u;
    return product ^ product >> 15;
  }

  __device__ __forceinline__ u32* wordOf(u32 mixed) const { return words + __umulhi(mixed, bits / 32); }

  __device__ __forceinline__ void add(u64 distance, bool exact) const {
    if (exact) {
      atomicOr(words + (u32)distance / 32, 1u << (distance & 31));
    } else {
      u32 mix = mixed(distance);
      atomicOr(wordOf(mix), 1u << (mix & 31) | 1u << (mix >> 5 & 31));
    }
  }

  // 1 if the distance may be in the table, which is yet to be seen in any case.
  template <bool EXACT>
  __device__ __forceinline__ u32 has(u64 distance) const {
    if constexpr (EXACT) {
      u32 bit = (u32)distance;
      return bit < bits ? words[bit / 32] >> (bit & 31) & 1 : 0;
    }
    u32 mix = mixed(distance);
    u32 word = *wordOf(mix);
    return word >> (mix & 31) & word >> (mix >> 5 & 31) & 1;
  }
};

// How a filter is passed: where its words lie, how many bits there are, and whether it has a bit for each distance.
#define FILTER_ARGS const u32 *__restrict__ filterWords, u32 filterBits, int filterExact

// The four rows of each of a lane's groups, of which the first is row `base`; any behind the last row.
template <class W>
struct FilterWords {
  static constexpr int GROUPS = HashFilterPolicy::GROUPS;
  W words[GROUPS][4];

  // `together`: whether words lie side by side on a multiple of 16 bytes.
  __device__ __forceinline__ void load(const ProbeWords<W>& probe, u64 base, bool together) {
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      u64 i = base + 128 * g + 4 * lane();
      if (together && i < probe.count) {
        load4(probe.words + i, words[g]);
      } else {
#pragma unroll
        for (int k = 0; k < 4; k++) {
          words[g][k] = i + k < probe.count ? probe.at(i + k) : W(0);
        }
      }
    }
  }

  static __device__ __forceinline__ void load4(const int* from, int (&to)[4]) {
    int4 four = __ldcs(reinterpret_cast<const int4*>(from));
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
  }

  static __device__ __forceinline__ void load4(const u64* from, u64 (&to)[4]) {
    ulonglong2 low = __ldcs(reinterpret_cast<const ulonglong2*>(from));
    ulonglong2 high = __ldcs(reinterpret_cast<const ulonglong2*>(from) + 1);
    to[0] = low.x;
    to[1] = low.y;
    to[2] = high.x;
    to[3] = high.y;
  }

  // Puts the offsets of the rows that may be in the table behind the `have` of the warp that wait, in the order of rows.
  //
  // at: the offset of row `base`; rows: that of the last row, plus 1.
  template <bool EXACT>
  __device__ __forceinline__ u32 test(const HashFilter& filter, u64 least, u32 at, u32 rows, u16* waiting,
                                      u32 have) const {
    u32 passed[GROUPS];
    // Of each group in 16 bits.
    u32 mine = 0;
    static_assert(GROUPS == 2, "sums of two groups are in one word");
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      u32 first = at + 128 * g + 4 * lane();
      u32 all = 0;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        all |= filter.has<EXACT>(wide(words[g][k]) - least) << k;
      }
      passed[g] = first + 4 <= rows ? all : first < rows ? all & (1u << (rows - first)) - 1 : 0;
      mine += __popc(passed[g]) << (16 * g);
    }
    u32 upTo = warp_inclusive(mine);
    u32 total = __shfl_sync(ALL, upTo, 31);
    u32 before = upTo - mine;
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      u16* to = waiting + have + (g == 0 ? before & 0xffff : (total & 0xffff) + (before >> 16));
#pragma unroll
      for (int k = 0; k < 4; k++) {
        if (passed[g] >> k & 1) {
          *to++ = (u16)(at + 128 * g + 4 * lane() + k);
        }
      }
    }
    return have + (total & 0xffff) + (total >> 16);
  }
};

// Calls look(row, id) for rows of a segment that may have an id, 32 in the order of rows at a time; all lanes of a warp call
// it, those without a row with the id -1. begin(row) is called before, for each fourth row.
template <bool EXACT, class W, class Begin, class Look>
__device__ __forceinline__ void look_through(const PackedTable& table, const HashFilter& filter, u16* waiting,
                                             const ProbeWords<W>& probe, u64 segment, Begin begin, Look look) {
  constexpr u32 STEP = HashFilterPolicy::STEP;
  u64 base = segment * HashFilterPolicy::SEGMENT;
  u32 rows = (u32)min((u64)HashFilterPolicy::SEGMENT, probe.count - base);
  bool together = probe.rows == nullptr && aligned16(probe.words);
  auto find = [&](u32 from, u32 many) {
    bool mine = lane() < many;
    u64 row = base + (mine ? waiting[from + lane()] : 0);
    int id = -1;
    if (mine) {
      u64 word = wide(probe.at(row));
      u64 slot = table.slot(word);
      id = table.find(word, slot, table.load(slot));
    }
    look(row, id);
  };
  u32 have = 0;
  FilterWords<W> next;
  next.load(probe, base, together);
#pragma unroll 1
  for (u32 at = 0; at < rows; at += STEP) {
    FilterWords<W> words = next;
    if (at + STEP < rows) {
      next.load(probe, base + at + STEP, together);
    }
#pragma unroll
    for (u32 i = at + 4 * lane(); i < at + STEP; i += 128) {
      if (i < rows) {
        begin(base + i);
      }
    }
    have = words.template test<EXACT>(filter, table.base, at, rows, waiting, have);
    __syncwarp();
    u32 from = 0;
#pragma unroll 1
    for (; have - from >= 32; from += 32) {
      find(from, 32);
    }
    if (from > 0) {
      have -= from;
      u16 rest = lane() < have ? waiting[from + lane()] : 0;
      __syncwarp();
      if (lane() < have) {
        waiting[lane()] = rest;
      }
      __syncwarp();
    }
  }
  if (have > 0) {
    find(0, have);
  }
  __syncwarp();
}

// Calls each(filter, where this warp's rows may wait, segment) for all segments of a probe, which warps share. The filter is
// brought to shared memory first.
template <class Each>
__device__ __forceinline__ void each_segment(const u32* words, u32 bits, u32 count, Each each) {
  extern __shared__ __align__(16) u32 filterShared[];
  u32 sixteens = bits / 128;
  for (u32 i = threadIdx.x; i < sixteens; i += HashFilterPolicy::THREADS) {
    reinterpret_cast<uint4*>(filterShared)[i] = __ldg(reinterpret_cast<const uint4*>(words) + i);
  }
  __syncthreads();
  u16* waiting = reinterpret_cast<u16*>(filterShared + 4 * sixteens) + warp() * HashFilterPolicy::WAITING;
  constexpr u32 SEGMENT = HashFilterPolicy::SEGMENT;
  u64 step = (u64)gridDim.x * HashFilterPolicy::WARPS;
  for (u64 s = (u64)blockIdx.x * HashFilterPolicy::WARPS + warp(); s * SEGMENT < count; s += step) {
    each(HashFilter{filterShared, bits}, waiting, s);
  }
}

}  // namespace ara
