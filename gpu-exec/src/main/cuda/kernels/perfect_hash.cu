// The kernels of perfect hash joins.
#include "agent/perfect_hash.cuh"

using namespace ara;

extern __shared__ __align__(16) unsigned char shared[];

#define BITS(NAME, W)                                                                                              \
  extern "C" __global__ void __launch_bounds__(BITS_THREADS) NAME(                                                 \
      const W* words, const u32* starts, u64 base, int shift, int split, u64 words32, int more, int runs,          \
      u32* out, u64* twice) {                                                                                      \
    set_bits(words, starts, base, shift, split, words32, more, runs, out, twice, (u32*)shared);                    \
  }

BITS(ara_perfect_hash_bits_4, int)
BITS(ara_perfect_hash_bits_8, u64)

// Names end in the bytes of a word, of a slot and of a column.
#define SLOTS(SUFFIX, W, BYTES, WIDTH)                                                                       \
  extern "C" __global__ void __launch_bounds__(THREADS) ara_perfect_hash_fill##SUFFIX(                             \
      const W* words, u32 count, u64 base, u64 slots, int columns, u64 c0, u64 c1, u64 c2, u64 c3,           \
      const u32* pieces, u32 piece_count) {                                                                  \
    const u64 in[PerfectHashPolicy::COLUMNS] = {c0, c1, c2, c3};                                             \
    fill_slots<W, BYTES, WIDTH>(                                                                             \
        words, count, base, (Slot<BYTES>*)slots, columns, in, Pieces{pieces, piece_count});                  \
  }                                                                                                          \
  extern "C" __global__ void __launch_bounds__(THREADS) ara_perfect_hash_fetch##SUFFIX(                            \
      const W* words, u32 count, u64 base, u64 range, const u32* bits, u64 slots, u64* matches, int columns, \
      u64 c0, u64 c1, u64 c2, u64 c3, const u32* pieces, u32 piece_count) {                                  \
    const u64 out[PerfectHashPolicy::COLUMNS] = {c0, c1, c2, c3};                                            \
    fetch_slots<W, BYTES, WIDTH>(                                                                            \
        words, count, base, range, bits, (const Slot<BYTES>*)slots, matches, columns, out,                   \
        Pieces{pieces, piece_count});                                                                        \
  }

SLOTS(_4_4_4, int, 4, 4)
SLOTS(_4_8_4, int, 8, 4)
SLOTS(_4_16_4, int, 16, 4)
SLOTS(_4_8_8, int, 8, 8)
SLOTS(_4_16_8, int, 16, 8)
SLOTS(_8_4_4, u64, 4, 4)
SLOTS(_8_8_4, u64, 8, 4)
SLOTS(_8_16_4, u64, 16, 4)
SLOTS(_8_8_8, u64, 8, 8)
SLOTS(_8_16_8, u64, 16, 8)
