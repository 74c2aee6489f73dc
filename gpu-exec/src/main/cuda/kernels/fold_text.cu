// MIN, MAX and ANY_VALUE of strings. Between batches each group keeps its string in a heap: group g has the bytes from
// keptStarts[g] to keptStarts[g + 1], if it has any (keptSeen). Within a batch it also has the row of the best string so
// far, which rows replace by compare and swap. Afterwards a new heap is made.
#include "agent/fold_functions.cuh"

namespace ara {

HOST_SHARED enum TextFunction { ANY = 0, MINIMUM = 1, MAXIMUM = 2 };

}  // namespace ara

using namespace ara;

// The eight bytes at any address, the first highest. What lies in the same aligned words is read too.
__device__ __forceinline__ u64 bytesAt(const unsigned char* p) {
  u64 address = (u64)p;
  const u64* aligned = (const u64*)(address & ~7ull);
  int shift = (int)(address & 7) * 8;
  u64 word = __ldg(aligned);
  if (shift != 0) {
    word = word >> shift | __ldg(aligned + 1) << (64 - shift);
  }
  u32 low = __byte_perm((u32)word, 0, 0x0123);
  u32 high = __byte_perm((u32)(word >> 32), 0, 0x0123);
  return (u64)low << 32 | high;
}

// Negative, zero or positive as a is before, equal to or behind b in the order of unsigned bytes.
__device__ __forceinline__ int compareText(const unsigned char* a, u32 lengthA, const unsigned char* b, u32 lengthB) {
  u32 common = min(lengthA, lengthB);
  for (u32 i = 0; i < common; i += 8) {
    u64 x = bytesAt(a + i);
    u64 y = bytesAt(b + i);
    if (common - i < 8) {
      int unused = 8 * (int)(8 - (common - i));
      x = x >> unused << unused;
      y = y >> unused << unused;
    }
    if (x != y) {
      return x < y ? -1 : 1;
    }
  }
  return lengthA < lengthB ? -1 : lengthA > lengthB;
}

// best[group]: the data row of the best string of this batch that is better than the kept one, -1 if there is none.
// *changed = 1 if there is one.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_text_fold_best(BATCH_ARGS, const u32* __restrict__ offsets, int function, const unsigned char* keptBytes,
              const u64* __restrict__ keptStarts, const unsigned char* __restrict__ keptSeen, int* best, u32* changed) {
  Batch b = BATCH;
  const unsigned char* bytes = static_cast<const unsigned char*>(values);
  int id[1], group[1];
  bool valid[1];
  locateRows<THREADS>(b, (u64)blockIdx.x * THREADS + threadIdx.x, id, group, valid);
  if (!valid[0]) {
    return;
  }
  int row = id[0];
  int g = group[0];
  const unsigned char* text = bytes + offsets[row];
  u32 length = offsets[row + 1] - offsets[row];
  int current = __ldcg(best + g);
  bool kept = keptSeen[g] != 0;
  while (true) {
    if (function == ANY && (kept || current >= 0)) {
      return;
    }
    int order = -1;
    if (current >= 0) {
      order = compareText(text, length, bytes + offsets[current], offsets[current + 1] - offsets[current]);
    } else if (kept) {
      order = compareText(text, length, keptBytes + keptStarts[g], (u32)(keptStarts[g + 1] - keptStarts[g]));
    } else {
      order = function == MAXIMUM ? 1 : -1;
    }
    if (function == MAXIMUM ? order <= 0 : order >= 0) {
      return;
    }
    int before = atomicCAS(best + g, current, row);
    if (before == current) {
      *changed = 1;
      return;
    }
    current = before;
  }
}

// The length of each group's string after the batch, 0 where there is none. offsets: null if there was no batch.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_text_fold_lengths(const u32* __restrict__ offsets, const int* __restrict__ best, const u64* __restrict__ keptStarts,
                 const unsigned char* __restrict__ keptSeen, u32 count, u32* out) {
  u64 g = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (g >= count) {
    return;
  }
  int row = best == nullptr ? -1 : best[g];
  out[g] = row >= 0          ? offsets[row + 1] - offsets[row]
           : keptSeen[g] != 0 ? (u32)(keptStarts[g + 1] - keptStarts[g])
                              : 0;
}

// Copies each group's string to its place in the new heap: a warp takes 32 groups, one after the other. Marks the groups
// that have one now.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_text_fold_copy(const unsigned char* __restrict__ bytes, const u32* __restrict__ offsets, const int* __restrict__ best,
              const unsigned char* __restrict__ keptBytes, const u64* __restrict__ keptStarts, unsigned char* keptSeen,
              u32 count, const u64* __restrict__ starts, unsigned char* out) {
  u64 g = (u64)blockIdx.x * THREADS + threadIdx.x;
  u64 from = 0;
  u64 to = 0;
  u32 length = 0;
  if (g < count) {
    int row = best == nullptr ? -1 : best[g];
    to = (u64)(out + starts[g]);
    length = (u32)(starts[g + 1] - starts[g]);
    if (row >= 0) {
      from = (u64)(bytes + offsets[row]);
      keptSeen[g] = 1;
    } else if (keptSeen[g] != 0) {
      from = (u64)(keptBytes + keptStarts[g]);
    }
  }
  for (int k = 0; k < 32; k++) {
    u32 n = __shfl_sync(~0u, length, k);
    const unsigned char* source = (const unsigned char*)__shfl_sync(~0u, from, k);
    unsigned char* target = (unsigned char*)__shfl_sync(~0u, to, k);
    for (u32 i = lane(); i < n; i += 32) {
      target[i] = source[i];
    }
  }
}

// 32-bit offsets of 64-bit ones.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_text_fold_offsets(const u64* __restrict__ starts, u32 count, u32* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < count) {
    out[i] = (u32)starts[i];
  }
}
