// What all kernels share. Row numbers and ids are 32-bit; a chunk has fewer than 2^31 rows. Buffers may be read and
// overwritten up to 64 bytes behind their end, so a 16-byte access whose first element is in range needs no check.
#pragma once

// Stands before what the host knows as well, a struct of constants or fields, or an enum: build/KernelConstants.java makes
// the Java class CudaConstants of it.
#define HOST_SHARED

namespace ara {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

constexpr u32 ALL = 0xffffffffu;

// Of a block, if a family does not say otherwise.
HOST_SHARED struct BlockPolicy {
  static constexpr int THREADS = 256;
  static constexpr int WARPS = THREADS / 32;
};

constexpr int THREADS = BlockPolicy::THREADS;
constexpr int WARPS = BlockPolicy::WARPS;

__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }

__device__ __forceinline__ u32 lanes_below() { return (1u << lane()) - 1; }

__device__ __forceinline__ u32 warp() { return threadIdx.x >> 5; }

__device__ __forceinline__ bool aligned16(const void* p) { return ((u64)p & 15) == 0; }

__device__ __forceinline__ uint4 zero4() { return make_uint4(0, 0, 0, 0); }

__device__ __forceinline__ bool bit(const u32* bits, u32 i) { return bits[i >> 5] >> (i & 31) & 1; }

}  // namespace ara
