// Loads and stores of a thread that the language has no operators for.
#pragma once
#include "thread/common.cuh"

namespace ara {

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

// What other blocks write while this one runs: a word is whole, and nothing is said of other words.
#ifdef __CUDA_ARCH__
__device__ __forceinline__ u32 load_relaxed(const u32* p) {
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ u64 load_relaxed(const u64* p) {
  u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

__device__ __forceinline__ void store_relaxed(u32* p, u32 v) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

__device__ __forceinline__ void store_relaxed(u64* p, u64 v) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
}
#else
template <class T>
__device__ inline T load_relaxed(const T* p) {
  return *p;
}

template <class T>
__device__ inline void store_relaxed(T* p, T v) {
  *p = v;
}
#endif

}  // namespace ara
