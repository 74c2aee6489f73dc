// Runs CUDA kernels on the CPU, for tests on machines without a GPU (x86-64, g++): each kernel is compiled as C++ with
// this header in front of it. A thread is a fiber; the blocks of a launch run one after the other, so that what kernels
// share between blocks is seen in the order of block numbers. Fibers change at barriers, warp functions and, now and
// then, at atomic operations. What stops it: a barrier that not all threads of a block or lanes of a mask reach.
//
// Not emulated: what the hardware caches and reorders, alignment faults, inline PTX, and CUB but for what cub/ stands for.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__ SIMT_KERNEL
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#ifndef SIMT_NAMES
#define SIMT_KERNEL
#endif

struct uint2 { unsigned x, y; } __attribute__((aligned(8)));
struct int2 { int x, y; } __attribute__((aligned(8)));
struct uint4 { unsigned x, y, z, w; } __attribute__((aligned(16)));
struct int4 { int x, y, z, w; } __attribute__((aligned(16)));
struct ulonglong2 { unsigned long long x, y; } __attribute__((aligned(16)));
struct longlong2 { long long x, y; } __attribute__((aligned(16)));
struct dim3 { unsigned x, y, z; };

static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }

static dim3 threadIdx, blockIdx, blockDim, gridDim;
using std::max;
using std::min;

namespace simt {

constexpr size_t STACK = 64 << 10;

struct Fiber {
  void* stackPointer;
  bool done;
  // Barriers of the block that it has reached.
  unsigned barriers;
};

struct Warp {
  unsigned char values[32][64];
  // For each mask: how many barriers of that mask each lane has reached.
  std::map<unsigned, std::vector<unsigned>> reached;
};

static std::vector<Fiber> fibers;
static std::vector<char*> stacks;
static std::vector<Warp> warps;
static std::function<void()> body;
static void* schedulerStack;
static unsigned current;
static bool progress;
static std::mt19937 chance(1);

// Saves what a function must keep, changes the stack, and goes on where that one was left.
__attribute__((naked, noinline)) static void change(void** save, void* load) {
  asm volatile(
      "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
      "mov %rsp, (%rdi)\n mov %rsi, %rsp\n"
      "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");
}

[[noreturn]] static void fail(const char* what) {
  std::fprintf(stderr, "emulated GPU: %s (thread %u of block %u)\n", what, current, blockIdx.x);
  std::abort();
}

static void yield() { change(&fibers[current].stackPointer, schedulerStack); }

static void perhapsYield() {
  if (chance() % 64 == 0) {
    progress = true;
    yield();
  }
}

static void begin() {
  body();
  fibers[current].done = true;
  progress = true;
  yield();
  fail("a finished thread ran on");
}

static void runBlock(unsigned threads) {
  fibers.assign(threads, Fiber());
  warps.assign((threads + 31) / 32, Warp());
  for (unsigned t = 0; t < threads; t++) {
    void** top = reinterpret_cast<void**>((reinterpret_cast<uintptr_t>(stacks[t]) + STACK) & ~uintptr_t{15});
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(begin);
    // The six registers that change() takes back.
    for (int i = 0; i < 6; i++) {
      *--top = nullptr;
    }
    fibers[t].stackPointer = top;
  }
  while (true) {
    bool any = false;
    progress = false;
    for (unsigned t = 0; t < threads; t++) {
      if (!fibers[t].done) {
        any = true;
        current = t;
        threadIdx = {t, 0, 0};
        change(&schedulerStack, fibers[t].stackPointer);
      }
    }
    if (!any) {
      return;
    }
    if (!progress) {
      fail("all threads wait");
    }
  }
}

static void launch(unsigned blocks, unsigned threads, std::function<void()> kernel) {
  gridDim = {blocks, 1, 1};
  blockDim = {threads, 1, 1};
  body = std::move(kernel);
  while (stacks.size() < threads) {
    stacks.push_back(static_cast<char*>(std::malloc(STACK)));
  }
  for (unsigned b = 0; b < blocks; b++) {
    blockIdx = {b, 0, 0};
    runBlock(threads);
  }
}

static void blockBarrier() {
  unsigned mine = ++fibers[current].barriers;
  progress = true;
  while (!std::all_of(fibers.begin(), fibers.end(), [&](const Fiber& f) { return f.done || f.barriers >= mine; })) {
    yield();
  }
}

static void warpBarrier(unsigned mask) {
  unsigned me = current;
  std::vector<unsigned>& reached = warps[me / 32].reached[mask];
  reached.resize(32);
  if ((mask >> me % 32 & 1) == 0) {
    fail("a lane is not in its own mask");
  }
  unsigned mine = ++reached[me % 32];
  progress = true;
  for (unsigned k = 0; k < 32; k++) {
    while ((mask >> k & 1) != 0 && reached[k] < mine) {
      unsigned other = me / 32 * 32 + k;
      if (other >= fibers.size() || fibers[other].done) {
        fail("a lane of the mask has left");
      }
      yield();
    }
  }
}

// The values of all lanes of a mask.
template <class T>
struct Values {
  T of[32];
};

template <class T>
Values<T> exchange(unsigned mask, T value) {
  static_assert(sizeof(T) <= sizeof(Warp::values[0]), "a value of a lane");
  Warp& warp = warps[current / 32];
  std::memcpy(warp.values[current % 32], &value, sizeof(T));
  warpBarrier(mask);
  Values<T> all;
  for (int k = 0; k < 32; k++) {
    std::memcpy(&all.of[k], warp.values[k], sizeof(T));
  }
  warpBarrier(mask);
  return all;
}

template <class T, class F>
T reduce(unsigned mask, T value, F fold) {
  Values<T> all = exchange(mask, value);
  T result = value;
  for (int k = 0; k < 32; k++) {
    if ((mask >> k & 1) != 0) {
      result = fold(result, all.of[k]);
    }
  }
  return result;
}

template <class T, class F>
T update(T* place, F change) {
  perhapsYield();
  T before = *place;
  *place = change(before);
  return before;
}

// Calls a kernel with arguments at these addresses.
template <class... A, size_t... I>
void call(void (*kernel)(A...), unsigned blocks, unsigned threads, void** arguments, std::index_sequence<I...>) {
  std::tuple<std::decay_t<A>...> values(*static_cast<std::decay_t<A>*>(arguments[I])...);
  launch(blocks, threads, [&] { kernel(std::get<I>(values)...); });
}

template <class... A>
void call(void (*kernel)(A...), unsigned blocks, unsigned threads, void** arguments) {
  call(kernel, blocks, threads, arguments, std::index_sequence_for<A...>{});
}

// The number of a kernel's parameters and the bytes of each.
template <class... A>
int widths(void (*)(A...), int* out) {
  int bytes[] = {static_cast<int>(sizeof(A))..., 0};
  std::copy(bytes, bytes + sizeof...(A), out);
  return sizeof...(A);
}

}  // namespace simt

static inline void __syncthreads() { simt::blockBarrier(); }

static inline int __syncthreads_count(int p) {
  static int count;
  simt::blockBarrier();
  count = 0;
  simt::blockBarrier();
  count += p != 0;
  simt::blockBarrier();
  return count;
}

static inline int __syncthreads_and(int p) { return __syncthreads_count(p == 0) == 0; }

static inline void __syncwarp(unsigned mask = ~0u) { simt::warpBarrier(mask); }
static inline void __threadfence() {}
static inline void __threadfence_system() {}
static inline void __nanosleep(unsigned) { simt::yield(); }
// Any subset of the lanes that are here will do: the caller alone.
static inline unsigned __activemask() { return 1u << (threadIdx.x & 31); }

template <class T>
T __shfl_sync(unsigned mask, T v, int from) {
  return simt::exchange(mask, v).of[from & 31];
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned d) {
  unsigned lane = threadIdx.x & 31;
  return simt::exchange(mask, v).of[lane >= d ? lane - d : lane];
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned d) {
  unsigned lane = threadIdx.x & 31;
  return simt::exchange(mask, v).of[lane + d < 32 ? lane + d : lane];
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, unsigned d) {
  return simt::exchange(mask, v).of[(threadIdx.x & 31) ^ d];
}
template <class T>
unsigned __match_any_sync(unsigned mask, T v) {
  simt::Values<T> all = simt::exchange(mask, v);
  unsigned same = 0;
  for (int k = 0; k < 32; k++) {
    same |= (mask >> k & 1) != 0 && all.of[k] == v ? 1u << k : 0;
  }
  return same;
}
static inline unsigned __ballot_sync(unsigned mask, int p) {
  return simt::reduce(mask, p != 0 ? 1u << (threadIdx.x & 31) : 0u, [](unsigned a, unsigned b) { return a | b; });
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, p) == mask; }
static inline unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  simt::Values<unsigned> all = simt::exchange(mask, v);
  unsigned sum = 0;
  for (int k = 0; k < 32; k++) {
    sum += (mask >> k & 1) != 0 ? all.of[k] : 0;
  }
  return sum;
}
static inline unsigned __reduce_max_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, [](unsigned a, unsigned b) { return max(a, b); });
}
static inline unsigned __reduce_min_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, [](unsigned a, unsigned b) { return min(a, b); });
}
static inline unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, [](unsigned a, unsigned b) { return a | b; });
}
static inline unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return simt::reduce(mask, v, [](unsigned a, unsigned b) { return a & b; });
}

#define SIMT_ATOMIC(name, expression)                     \
  template <class T>                                      \
  T name(T* p, std::common_type_t<T> v) {                 \
    return simt::update(p, [&](T old) { return expression; }); \
  }
SIMT_ATOMIC(atomicAdd, static_cast<T>(old + v))
SIMT_ATOMIC(atomicMin, min(old, v))
SIMT_ATOMIC(atomicMax, max(old, v))
SIMT_ATOMIC(atomicAnd, old & v)
SIMT_ATOMIC(atomicOr, old | v)
SIMT_ATOMIC(atomicXor, old ^ v)
SIMT_ATOMIC(atomicExch, v)
template <class T>
T atomicCAS(T* p, std::common_type_t<T> expected, std::common_type_t<T> v) {
  return simt::update(p, [&](T old) { return old == expected ? v : old; });
}

#define SIMT_LOAD(name)   \
  template <class T>      \
  T name(const T* p) {    \
    return *p;            \
  }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
template <class T, class U>
void __stcs(T* p, U v) {
  *p = v;
}

static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz(static_cast<unsigned>(v)); }
static inline int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(v)); }
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
static inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
static inline unsigned long long __brevll(unsigned long long v) {
  unsigned long long result = 0;
  for (int i = 0; i < 64; i++) {
    result |= (v >> i & 1) << (63 - i);
  }
  return result;
}
static inline float __uint_as_float(unsigned v) {
  float f;
  std::memcpy(&f, &v, sizeof f);
  return f;
}
static inline unsigned __float_as_uint(float f) {
  unsigned v;
  std::memcpy(&v, &f, sizeof v);
  return v;
}
static inline double __longlong_as_double(long long v) {
  double d;
  std::memcpy(&d, &v, sizeof d);
  return d;
}
static inline long long __double_as_longlong(double d) {
  long long v;
  std::memcpy(&v, &d, sizeof v);
  return v;
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) {
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
  }
  return result;
}
// Of each half.
static inline unsigned __vmaxu2(unsigned a, unsigned b) {
  return max(a & 0xFFFFu, b & 0xFFFFu) | max(a >> 16, b >> 16) << 16;
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned s) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (s & 31));
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned s) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (s & 31) >> 32);
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned s) {
  return s >= 32 ? low : __funnelshift_l(low, high, s);
}
