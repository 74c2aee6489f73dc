// The kernels that copy the bytes of gathered texts, split evenly over blocks by merge path.
#include "agent/gather_text.cuh"

using namespace ara;

// Where the tiles begin: starts[i] is the first row of tile i, for i in 0..tiles.
extern "C" __global__ void __launch_bounds__(THREADS) ara_text_split(
    const u32* offsets, u32 rows, u32 tiles, u32* starts) {
  u32 i = blockIdx.x * THREADS + threadIdx.x;
  if (i > tiles) {
    return;
  }
  u32 base = offsets[0];
  u64 bytes = offsets[rows] - base;
  u64 at = (u64)i * SPLIT_TILE;
  at = at < rows + bytes ? at : rows + bytes;
  starts[i] = split(at, rows, bytes, [=](u32 row) { return (u64)(offsets[row + 1] - base); });
}

// `offsets`: where each row's bytes go in `out`, rows + 1 of them.
extern "C" __global__ void __launch_bounds__(THREADS) ara_text_copy(
    const u8* in, const u32* inOffsets, const u32* ids, const u32* offsets, u32 rows, const u32* starts, u8* out) {
  copy_texts(ColumnTexts{in, inOffsets, ids}, offsets, rows, starts, out);
}

// As ara_text_copy, of texts by their addresses.
extern "C" __global__ void __launch_bounds__(THREADS) ara_text_collect(
    const u64* addresses, const u32* offsets, u32 rows, const u32* starts, u8* out) {
  copy_texts(PlacedTexts{addresses}, offsets, rows, starts, out);
}
