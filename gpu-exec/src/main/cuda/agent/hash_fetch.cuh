// Probe of a table of unique words that fetches what is wanted of the build rows in the same pass: nothing is written but
// the result. For probes of which all or nearly all rows have a partner; the caller finds that out first.
#pragma once
#include "agent/columns.cuh"
#include "agent/hash_lookup.cuh"

namespace ara {

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
__device__ __forceinline__ void probe(const Table& table, const ProbeWords<W>& words, u64* matches, u64 widths,
                                      const u64* in, const u64* out) {
  u32 count = words.count;
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  find_tile(table, words, first, ids);
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

}  // namespace ara
