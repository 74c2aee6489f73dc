// What all kernels share. Row numbers and ids are 32-bit; a chunk has fewer than 2^31 rows. Buffers may be read and
// overwritten up to 64 bytes behind their end, so a 16-byte access whose first element is in range needs no check.
#pragma once

namespace ara {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

constexpr u32 ALL = 0xffffffffu;
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;

__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }

__device__ __forceinline__ u32 warp() { return threadIdx.x >> 5; }

__device__ __forceinline__ bool aligned16(const void* p) { return ((u64)p & 15) == 0; }

template <class T>
__device__ __forceinline__ T warp_inclusive(T value) {
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    T other = __shfl_up_sync(ALL, value, step);
    value += lane() >= step ? other : 0;
  }
  return value;
}

__device__ __forceinline__ u64 warp_sum(u64 value) {
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    value += __shfl_xor_sync(ALL, value, step);
  }
  return value;
}

__device__ __forceinline__ uint4 zero4() { return make_uint4(0, 0, 0, 0); }

// Four neighbouring 32-bit elements; `vector` says that the address is a multiple of 16.
__device__ __forceinline__ uint4 load4(const u32* p, bool vector) {
  return vector ? __ldcs((const uint4*)p) : make_uint4(__ldcs(p), __ldcs(p + 1), __ldcs(p + 2), __ldcs(p + 3));
}

// Begins to copy 16 bytes to shared memory, without a register for them; both addresses are multiples of 16. The thread
// that asked for them may read them after copied().
__device__ __forceinline__ void copy16(void* shared, const void* from) {
#ifdef __CUDA_ARCH__
  u32 to = (u32)__cvta_generic_to_shared(shared);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
#else
  *(uint4*)shared = *(const uint4*)from;
#endif
}

__device__ __forceinline__ void copied() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

__device__ __forceinline__ bool bit(const u32* bits, u32 i) { return bits[i >> 5] >> (i & 31) & 1; }

}  // namespace ara
