// The kernels that decompress and decode pages of files.
#include "agent/page.cuh"
#include "agent/page_texts.cuh"
#include "block/lz.cuh"
#include "thread/lz4.cuh"
#include "thread/snappy.cuh"
#include "warp/copy.cuh"

using namespace ara;

// As StoredBytes of Java.
HOST_SHARED struct StoredBytesArgs {
  u64 from;
  u64 to;
  u32 bytes;
  u32 size;
  u32 page;
  u32 codec;
};

// As PageCodec of Java.
HOST_SHARED enum StoredCodec { STORED, SNAPPY, LZ4 };

// What the host reads, all ones at first: the least page that is wrong, above 8 bits of what is wrong with it. The rows that
// are null are counted behind it.
__device__ __forceinline__ void report(u64* result, u32 page, u32 fault) {
  if (fault != SOUND) {
    atomicMin(result, (u64)page << 8 | fault);
  }
}

// A block a page.
extern "C" __global__ void __launch_bounds__(THREADS, 4) ara_page_decompress(
    const u8* in, const StoredBytesArgs* pages, u8* out, u64* result) {
  __shared__ LzMemory memory;
  StoredBytesArgs args = pages[blockIdx.x];
  const u8* from = in + args.from;
  u8* to = out + args.to;
  PageCursor page = {from, from + args.bytes, SOUND};
  u32 fault = SOUND;
  switch (args.codec) {
    case SNAPPY:
      fault = lz<Snappy>(memory, page, to, args.size);
      break;
    case LZ4:
      fault = lz<Lz4>(memory, page, to, args.size);
      break;
    default:
      if (warp() == 0) {
        warp_copy(to, from, args.size);
      }
  }
  if (threadIdx.x == 0) {
    report(result, args.page, fault);
  }
}

// A block a page.
extern "C" __global__ void __launch_bounds__(THREADS) ara_page_decode(
    const u8* in, const PageArgs* pages, const void* dictionary, void* values, u32* validity, u32 form, u32 width, u64* result) {
  __shared__ PageMemory memory;
  PageArgs args = pages[blockIdx.x];
  PageTarget target = {in, dictionary, values, validity, form, width};
  u32 nulls = 0;
  u32 fault = decode_page(memory, target, args, nulls);
  if (threadIdx.x == 0) {
    report(result, blockIdx.x, fault);
    if (nulls > 0) {
      atomicAdd(result + 1, (u64)nulls);
    }
  }
}

// A block a page.
extern "C" __global__ void __launch_bounds__(THREADS) ara_page_texts(
    const u8* in,
    const PageArgs* pages,
    const u32* offsets,
    const u32* validity,
    const u32* places,
    const u8* words,
    u64 wordBytes,
    u8* out,
    u64* result) {
  __shared__ PageMemory memory;
  TextTarget target = {offsets, validity, places, words, wordBytes, out};
  u32 fault = page_texts(memory, in, pages[blockIdx.x], target);
  if (threadIdx.x == 0) {
    report(result, blockIdx.x, fault);
  }
}
