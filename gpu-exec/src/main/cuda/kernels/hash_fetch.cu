// Probe of a table of unique words that fetches what is wanted of the build rows in the same pass: nothing is written but
// the result. For probes of which all or nearly all rows have a partner; the caller finds that out first.
#include "agent/hash_lookup.cuh"

static constexpr int COLUMNS = 8;

// out[i] = in[id of row i] for the rows of a tile that have one.
template <class T>
__device__ __forceinline__ void fetch(const T* in, T* out, u64 first, u32 count, const int (&ids)[ITEMS]) {
  T values[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    values[j] = ids[j] >= 0 ? __ldg(in + ids[j]) : T(0);
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      __stcs(out + i, values[j]);
    }
  }
}

// `widths`: bytes of the values of a column, a byte a column, 0 behind the last. *matches counts the rows with an id.
template <class Table, class W>
__device__ __forceinline__ void probe(const Table& table, const W* __restrict__ words, u32 count, u64* matches,
                                      u64 widths, const u64* in, const u64* out) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 some[ITEMS];
  int ids[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    some[j] = i < count ? wide(__ldcs(words + i)) : 0;
  }
  findAll(table, some, ids);
  u32 mine = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    ids[j] = first + j * THREADS < count ? ids[j] : -1;
    mine += ids[j] >= 0;
  }
  mine = __reduce_add_sync(~0u, mine);
  __shared__ u32 sum;
  if (threadIdx.x == 0) {
    sum = 0;
  }
  __syncthreads();
  if (lane() == 0) {
    atomicAdd(&sum, mine);
  }
#pragma unroll 1
  for (int c = 0; c < COLUMNS; c++) {
    u32 width = (u32)(widths >> (8 * c)) & 255;
    if (width == 0) {
      break;
    }
    if (width == 4) {
      fetch((const u32*)in[c], (u32*)out[c], first, count, ids);
    } else if (width == 8) {
      fetch((const u64*)in[c], (u64*)out[c], first, count, ids);
    } else if (width == 2) {
      fetch((const unsigned short*)in[c], (unsigned short*)out[c], first, count, ids);
    } else {
      fetch((const unsigned char*)in[c], (unsigned char*)out[c], first, count, ids);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && sum > 0) {
    atomicAdd(matches, (u64)sum);
  }
}

#define DIRECT DirectTable{(int*)address, base, range + 1}
#define PACKED PackedTable{(u64*)address, base, range, mask, shift, idBits}
#define WIDE WideTable{(ulonglong2*)address, mask, shift}

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
