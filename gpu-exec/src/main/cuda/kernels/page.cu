// The kernels that decompress and decode pages of files.
#include "agent/page.cuh"
#include "agent/page_texts.cuh"
#include "block/snappy.cuh"

using namespace ara;

// As StoredBytes of Java.
HOST_SHARED struct StoredBytesArgs {
  u64 from;
  u64 to;
  u32 bytes;
  u32 size;
  u32 page;
  u32 compressed;
};

// Threads of a block that decompresses: a warp for each fragment of a page of a megabyte.
constexpr u32 MOST_UNPACK_THREADS = 512;

// What the host reads, all ones at first: the least page that is wrong, above 8 bits of what is wrong with it. The rows that
// are null are counted behind it.
__device__ __forceinline__ void report(u64* result, u32 page, u32 fault) {
  if (fault != SOUND) {
    atomicMin(result, (u64)page << 8 | fault);
  }
}

// A block a page.
extern "C" __global__ void __launch_bounds__(MOST_UNPACK_THREADS) ara_page_decompress(
    const u8* in, const StoredBytesArgs* pages, u8* out, u64* result) {
  __shared__ SnappyMemory memory;
  StoredBytesArgs args = pages[blockIdx.x];
  const u8* from = in + args.from;
  u8* to = out + args.to;
  if (args.compressed) {
    u32 fault = snappy_by_block(memory, PageCursor{from, from + args.bytes, SOUND}, to, args.size);
    if (threadIdx.x == 0) {
      report(result, args.page, fault);
    }
  } else if (threadIdx.x < 32) {
    warp_copy(to, from, args.size);
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
    const u8* in, const PageArgs* pages, const u32* offsets, const u32* validity, u8* out, u64* result) {
  __shared__ PageMemory memory;
  u32 fault = page_texts(memory, in, pages[blockIdx.x], offsets, validity, out);
  if (threadIdx.x == 0) {
    report(result, blockIdx.x, fault);
  }
}
