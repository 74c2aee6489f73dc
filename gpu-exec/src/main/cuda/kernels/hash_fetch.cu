// The kernels that probe hash tables and fetch the build rows of matches.
#include "agent/hash_fetch.cuh"

using namespace ara;

#define PROBE(NAME, TABLE, W)                                                                                      \
  extern "C" __global__ void __launch_bounds__(THREADS) NAME(                                                      \
      u64 address, u64 base, u64 range, u64 mask, int shift, int idBits, const W* words, u32 count, u64* matches,  \
      u64 widths, u64 in0, u64 in1, u64 in2, u64 in3, u64 in4, u64 in5, u64 in6, u64 in7, u64 out0, u64 out1,      \
      u64 out2, u64 out3, u64 out4, u64 out5, u64 out6, u64 out7) {                                                \
    __shared__ u64 in[COLUMNS];                                                                                    \
    __shared__ u64 out[COLUMNS];                                                                                   \
    if (threadIdx.x == 0) {                                                                                        \
      in[0] = in0, in[1] = in1, in[2] = in2, in[3] = in3, in[4] = in4, in[5] = in5, in[6] = in6, in[7] = in7;      \
      out[0] = out0, out[1] = out1, out[2] = out2, out[3] = out3;                                                  \
      out[4] = out4, out[5] = out5, out[6] = out6, out[7] = out7;                                                  \
    }                                                                                                              \
    probe(TABLE, words, count, matches, widths, in, out);                                                          \
  }

PROBE(ara_probe_direct, DIRECT, u64)
PROBE(ara_probe_packed, PACKED, u64)
PROBE(ara_probe_wide, WIDE, u64)
PROBE(ara_probe_direct_4, DIRECT, int)
PROBE(ara_probe_packed_4, PACKED, int)
PROBE(ara_probe_wide_4, WIDE, int)
