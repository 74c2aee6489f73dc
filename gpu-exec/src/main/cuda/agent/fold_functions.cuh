// What accumulators and segmented reductions share: reading values, and the functions that fold them.
#pragma once
#include "thread/common.cuh"

namespace ara {

constexpr i64 LEAST = -0x7fffffffffffffffll - 1;

// How values lie in memory; HIGH and LOW choose one half of a sign-extended 128-bit value.
HOST_SHARED enum ValueKind { NOTHING = 0, I8 = 1, I16 = 2, I32 = 3, I64 = 4, F32 = 5, F64 = 6, I128 = 7, HIGH = 8, LOW = 16 };

// A batch. Row i of count is batch row mask[i] (or i); it has group groups[row] (or 0) and is data row ids[row]
// (or row), which is null if negative or by its validity bit.
struct Batch {
  const void* values;
  int kind;
  const unsigned char* validity;
  const int* ids;
  const int* groups;
  const int* mask;
  u32 count;
  // Values are taken with these bits turned over: the minimum is the maximum of complements.
  u64 flip;
  // With LOW: only rows whose high half is that of their group here.
  const i64* guard;
};

#define BATCH_ARGS                                                                                           \
  const void *values, int kind, const unsigned char *validity, const int *ids, const int *groups,            \
      const int *mask, u32 count, u64 flip, const i64 *guard
#define BATCH Batch{values, kind, validity, ids, groups, mask, count, flip, guard}

// What a function keeps of a group: 64-bit limbs, which are also a thread's state, and 32-bit words in shared memory.
HOST_SHARED struct FoldStates {
  static constexpr int COUNT_LIMBS = 1;
  static constexpr int COUNT_WORDS = 1;
  static constexpr int ONE_LIMBS = 1;
  static constexpr int ONE_WORDS = 2;
  static constexpr int SUM2_LIMBS = 2;
  static constexpr int SUM2_WORDS = 3;
  static constexpr int SUM3_LIMBS = 3;
  static constexpr int SUM3_WORDS = 5;
};

// The state of all groups: up to three 64-bit limbs of each, in arrays of their own, and whether it has seen a value
// (null: nobody asks).
struct State {
  u64* lo;
  u64* hi;
  u64* ext;
  unsigned char* seen;
};

#define STATE_ARGS u64 *lo, u64 *hi, u64 *ext, unsigned char *seen
#define STATE State{lo, hi, ext, seen}

// A double as an integer of the same order: -0.0 before 0.0, one NaN, the greatest. Its own inverse but for NaNs.
__device__ __forceinline__ i64 ordered(double value) {
  i64 bits = value != value ? 0x7ff8000000000000ll : __double_as_longlong(value);
  return bits ^ ((bits >> 63) & 0x7fffffffffffffffll);
}

struct Int128 {
  u64 lo;
  i64 hi;
};

// Data rows, groups and validity of N rows, THREADS apart. Rows behind the end have group -1.
template <int THREADS, int N>
__device__ __forceinline__ void locateRows(const Batch& b, u64 first, int (&id)[N], int (&group)[N], bool (&valid)[N]) {
  int row[N];
#pragma unroll
  for (int j = 0; j < N; j++) {
    u64 i = first + (u64)j * THREADS;
    bool inside = i < b.count;
    row[j] = !inside ? -1 : b.mask == nullptr ? (int)i : __ldg(b.mask + i);
  }
#pragma unroll
  for (int j = 0; j < N; j++) {
    id[j] = row[j] < 0 || b.ids == nullptr ? row[j] : __ldg(b.ids + row[j]);
    group[j] = row[j] < 0 ? -1 : b.groups == nullptr ? 0 : __ldg(b.groups + row[j]);
  }
#pragma unroll
  for (int j = 0; j < N; j++) {
    valid[j] = id[j] >= 0;
    if (valid[j] && b.validity != nullptr) {
      valid[j] = (__ldg(b.validity + (id[j] >> 3)) >> (id[j] & 7) & 1) != 0;
    }
  }
}

template <class T, int N>
__device__ __forceinline__ void loadAs(const void* values, const int (&id)[N], const bool (&valid)[N], i64 (&out)[N]) {
#pragma unroll
  for (int j = 0; j < N; j++) {
    out[j] = valid[j] ? (i64)__ldg(static_cast<const T*>(values) + id[j]) : 0;
  }
}

template <class T, int N>
__device__ __forceinline__ void loadOrdered(const void* values, const int (&id)[N], const bool (&valid)[N],
                                            i64 (&out)[N]) {
#pragma unroll
  for (int j = 0; j < N; j++) {
    out[j] = valid[j] ? ordered((double)__ldg(static_cast<const T*>(values) + id[j])) : 0;
  }
}

__device__ __forceinline__ Int128 wideAt(const void* values, int id) {
  ulonglong2 v = __ldg(static_cast<const ulonglong2*>(values) + id);
  return Int128{v.x, (i64)v.y};
}

// Values of up to 64 bits; floats as their ordered images.
template <int N>
__device__ __forceinline__ void loadWords(const Batch& b, const int (&id)[N], const bool (&valid)[N], i64 (&out)[N]) {
  switch (b.kind & 7) {
    case I8: loadAs<signed char>(b.values, id, valid, out); break;
    case I16: loadAs<short>(b.values, id, valid, out); break;
    case I32: loadAs<int>(b.values, id, valid, out); break;
    case I64: loadAs<i64>(b.values, id, valid, out); break;
    case F32: loadOrdered<float>(b.values, id, valid, out); break;
    case F64: loadOrdered<double>(b.values, id, valid, out); break;
    default:
#pragma unroll
      for (int j = 0; j < N; j++) {
        out[j] = 0;
      }
  }
}

// Integers of any width.
template <int N>
__device__ __forceinline__ void loadWides(const Batch& b, const int (&id)[N], const bool (&valid)[N],
                                          Int128 (&out)[N]) {
  if ((b.kind & 7) == I128) {
#pragma unroll
    for (int j = 0; j < N; j++) {
      out[j] = valid[j] ? wideAt(b.values, id[j]) : Int128{0, 0};
    }
  } else {
    i64 words[N];
    loadWords(b, id, valid, words);
#pragma unroll
    for (int j = 0; j < N; j++) {
      out[j] = Int128{(u64)words[j], words[j] >> 63};
    }
  }
}

// What Max takes in: a word, or one half of a wide value, as an integer of the right order.
template <int N>
__device__ __forceinline__ void loadOrders(const Batch& b, const int (&id)[N], const int (&group)[N],
                                           bool (&valid)[N], i64 (&out)[N]) {
  if (b.kind < HIGH) {
    loadWords(b, id, valid, out);
#pragma unroll
    for (int j = 0; j < N; j++) {
      out[j] ^= (i64)b.flip;
    }
    return;
  }
  Int128 wides[N];
  loadWides(b, id, valid, wides);
#pragma unroll
  for (int j = 0; j < N; j++) {
    i64 high = wides[j].hi ^ (i64)b.flip;
    if ((b.kind & HIGH) != 0) {
      out[j] = high;
    } else {
      valid[j] = valid[j] && high == __ldg(b.guard + group[j]);
      out[j] = (i64)(wides[j].lo ^ b.flip) ^ LEAST;
    }
  }
}

// Functions. Acc: what a thread keeps; Value: what a row adds; neutral() changes nothing. load() reads N rows. flush() folds an Acc into the state
// of a group, once or often, in any order. Shared: 32-bit words of a group that a block keeps in shared memory, where
// share() folds a value and gather() makes an Acc of them again.

__device__ __forceinline__ u64 shared64(const u32* words) { return (u64)words[1] << 32 | words[0]; }

// Adds a number of any width, given by its low 64 bits and what all words above are, to shared 32-bit words.
template <int WORDS>
__device__ __forceinline__ void shareSum(u32* words, u64 low, u64 high, u32 sign) {
  u32 carry = 0;
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    u32 add = w == 0 ? (u32)low : w == 1 ? (u32)(low >> 32) : w == 2 ? (u32)high : w == 3 ? (u32)(high >> 32) : sign;
    u64 sum = (u64)add + carry;
    carry = (u32)(sum >> 32);
    if ((u32)sum != 0) {
      u32 before = atomicAdd(words + w, (u32)sum);
      carry += before + (u32)sum < before;
    }
  }
}

struct Count {
  typedef u64 Acc;
  typedef u32 Value;
  static constexpr int SHARED = FoldStates::COUNT_WORDS;
  static_assert(sizeof(Acc) == 8 * FoldStates::COUNT_LIMBS, "limbs");

  static __device__ __forceinline__ Acc none() { return 0; }
  static __device__ __forceinline__ Value neutral() { return 0; }

  template <int N>
  static __device__ __forceinline__ void load(const Batch&, const int (&)[N], const int (&)[N], bool (&)[N],
                                              Value (&out)[N]) {
#pragma unroll
    for (int j = 0; j < N; j++) {
      out[j] = 1;
    }
  }

  static __device__ __forceinline__ void add(Acc& acc, Value value) { acc += value; }
  static __device__ __forceinline__ void merge(Acc& acc, Acc other) { acc += other; }

  static __device__ __forceinline__ void flush(const State& s, int group, Acc acc) {
    if (acc != 0) atomicAdd(s.lo + group, acc);
  }

  static __device__ __forceinline__ void store(const State& s, int group, Acc acc) { s.lo[group] = acc; }
  static __device__ __forceinline__ void clear(u32* words) { words[0] = 0; }
  static __device__ __forceinline__ void share(u32* words, Value value) { atomicAdd(words, value); }
  static __device__ __forceinline__ Acc gather(const u32* words) { return words[0]; }
};

// What functions share whose state is a 64-bit word that begins as 0.
struct OneWord {
  typedef u64 Acc;
  typedef i64 Value;
  static constexpr int SHARED = FoldStates::ONE_WORDS;
  static_assert(sizeof(Acc) == 8 * FoldStates::ONE_LIMBS, "limbs");

  static __device__ __forceinline__ Acc none() { return 0; }
  static __device__ __forceinline__ Value neutral() { return 0; }

  template <int N>
  static __device__ __forceinline__ void load(const Batch& b, const int (&id)[N], const int (&)[N], bool (&valid)[N],
                                              Value (&out)[N]) {
    loadWords(b, id, valid, out);
  }

  static __device__ __forceinline__ void store(const State& s, int group, Acc acc) { s.lo[group] = acc; }
  static __device__ __forceinline__ void clear(u32* words) { words[0] = words[1] = 0; }
  static __device__ __forceinline__ Acc gather(const u32* words) { return shared64(words); }
};

// Sums that are known to fit 64 bits.
struct Sum1 : OneWord {
  static __device__ __forceinline__ void add(Acc& acc, Value value) { acc += (u64)value; }
  static __device__ __forceinline__ void merge(Acc& acc, Acc other) { acc += other; }

  static __device__ __forceinline__ void flush(const State& s, int group, Acc acc) {
    if (acc != 0) atomicAdd(s.lo + group, acc);
  }

  static __device__ __forceinline__ void share(u32* words, Value value) { shareSum<2>(words, (u64)value, 0, 0); }
};

// Sums of 64-bit values in 128 bits.
struct Sum2 {
  typedef Int128 Acc;
  typedef i64 Value;
  static constexpr int SHARED = FoldStates::SUM2_WORDS;
  static_assert(sizeof(Acc) == 8 * FoldStates::SUM2_LIMBS, "limbs");

  static __device__ __forceinline__ Acc none() { return Acc{0, 0}; }
  static __device__ __forceinline__ Value neutral() { return 0; }

  template <int N>
  static __device__ __forceinline__ void load(const Batch& b, const int (&id)[N], const int (&)[N], bool (&valid)[N],
                                              Value (&out)[N]) {
    loadWords(b, id, valid, out);
  }

  static __device__ __forceinline__ void add(Acc& acc, Value value) { merge(acc, Int128{(u64)value, value >> 63}); }

  // By the compiler's own type, whose additions hand their carry on.
  static __device__ __forceinline__ void merge(Acc& acc, Acc other) {
    unsigned __int128 sum = ((unsigned __int128)(u64)acc.hi << 64 | acc.lo) +
                            ((unsigned __int128)(u64)other.hi << 64 | other.lo);
    acc = Int128{(u64)sum, (i64)(u64)(sum >> 64)};
  }

  static __device__ __forceinline__ void flush(const State& s, int group, Acc acc) {
    // The low limb's value before tells each addition its own carry, whatever their order.
    u64 high = (u64)acc.hi;
    if (acc.lo != 0) {
      u64 before = atomicAdd(s.lo + group, acc.lo);
      high += before + acc.lo < before;
    }
    if (high != 0) atomicAdd(s.hi + group, high);
  }

  static __device__ __forceinline__ void store(const State& s, int group, Acc acc) {
    s.lo[group] = acc.lo;
    s.hi[group] = (u64)acc.hi;
  }

  static __device__ __forceinline__ void clear(u32* words) { words[0] = words[1] = words[2] = 0; }

  // A block has fewer than 2^31 rows: 96 bits hold their sum.
  static __device__ __forceinline__ void share(u32* words, Value value) {
    shareSum<3>(words, (u64)value, (u64)(value >> 63), 0);
  }

  static __device__ __forceinline__ Acc gather(const u32* words) { return Acc{shared64(words), (int)words[2]}; }
};

// Sums of 128-bit values in 192 bits, so that they are exact even where they leave 128 bits.
struct Sum3 {
  struct Acc {
    u64 lo;
    u64 hi;
    i64 ext;
  };
  typedef Int128 Value;
  static constexpr int SHARED = FoldStates::SUM3_WORDS;
  static_assert(sizeof(Acc) == 8 * FoldStates::SUM3_LIMBS, "limbs");

  static __device__ __forceinline__ Acc none() { return Acc{0, 0, 0}; }
  static __device__ __forceinline__ Value neutral() { return Value{0, 0}; }

  template <int N>
  static __device__ __forceinline__ void load(const Batch& b, const int (&id)[N], const int (&)[N], bool (&valid)[N],
                                              Value (&out)[N]) {
    loadWides(b, id, valid, out);
  }

  static __device__ __forceinline__ void add(Acc& acc, Value value) {
    merge(acc, Acc{value.lo, (u64)value.hi, value.hi >> 63});
  }

  static __device__ __forceinline__ void merge(Acc& acc, Acc other) {
    acc.lo += other.lo;
    u64 carry = acc.lo < other.lo;
    u64 high = other.hi + carry;
    u64 further = high < carry;
    acc.hi += high;
    further += acc.hi < high;
    acc.ext += other.ext + (i64)further;
  }

  static __device__ __forceinline__ void flush(const State& s, int group, Acc acc) {
    u64 carry = 0;
    if (acc.lo != 0) {
      u64 before = atomicAdd(s.lo + group, acc.lo);
      carry = before + acc.lo < before;
    }
    u64 high = acc.hi + carry;
    u64 further = high < carry;
    if (high != 0) {
      u64 before = atomicAdd(s.hi + group, high);
      further += before + high < before;
    }
    u64 ext = (u64)acc.ext + further;
    if (ext != 0) atomicAdd(s.ext + group, ext);
  }

  static __device__ __forceinline__ void store(const State& s, int group, Acc acc) {
    s.lo[group] = acc.lo;
    s.hi[group] = acc.hi;
    s.ext[group] = (u64)acc.ext;
  }

  static __device__ __forceinline__ void clear(u32* words) {
    words[0] = words[1] = words[2] = words[3] = words[4] = 0;
  }

  static __device__ __forceinline__ void share(u32* words, Value value) {
    shareSum<5>(words, value.lo, (u64)value.hi, (u32)(value.hi >> 63));
  }

  static __device__ __forceinline__ Acc gather(const u32* words) {
    return Acc{shared64(words), shared64(words + 2), (int)words[4]};
  }
};

// Sums of floats, as doubles.
struct SumDouble {
  typedef double Acc;
  typedef double Value;
  static constexpr int SHARED = FoldStates::ONE_WORDS;
  static_assert(sizeof(Acc) == 8 * FoldStates::ONE_LIMBS, "limbs");

  static __device__ __forceinline__ Acc none() { return 0; }
  static __device__ __forceinline__ Value neutral() { return 0; }

  template <int N>
  static __device__ __forceinline__ void load(const Batch& b, const int (&id)[N], const int (&)[N], bool (&valid)[N],
                                              Value (&out)[N]) {
    bool single = (b.kind & 7) == F32;
#pragma unroll
    for (int j = 0; j < N; j++) {
      out[j] = !valid[j] ? 0.0
               : single  ? (double)__ldg(static_cast<const float*>(b.values) + id[j])
                         : __ldg(static_cast<const double*>(b.values) + id[j]);
    }
  }

  static __device__ __forceinline__ void add(Acc& acc, Value value) { acc += value; }
  static __device__ __forceinline__ void merge(Acc& acc, Acc other) { acc += other; }

  static __device__ __forceinline__ void flush(const State& s, int group, Acc acc) {
    if (acc != 0) atomicAdd(reinterpret_cast<double*>(s.lo) + group, acc);
  }

  static __device__ __forceinline__ void store(const State& s, int group, Acc acc) {
    reinterpret_cast<double*>(s.lo)[group] = acc;
  }

  static __device__ __forceinline__ void clear(u32* words) { words[0] = words[1] = 0; }
  static __device__ __forceinline__ void share(u32* words, Value value) {
    atomicAdd(reinterpret_cast<double*>(words), value);
  }
  static __device__ __forceinline__ Acc gather(const u32* words) {
    return __longlong_as_double((i64)shared64(words));
  }
};

// The greatest integer of 64 bits.
struct Max {
  typedef i64 Acc;
  typedef i64 Value;
  static constexpr int SHARED = FoldStates::ONE_WORDS;
  static_assert(sizeof(Acc) == 8 * FoldStates::ONE_LIMBS, "limbs");

  static __device__ __forceinline__ Acc none() { return LEAST; }
  static __device__ __forceinline__ Value neutral() { return LEAST; }

  template <int N>
  static __device__ __forceinline__ void load(const Batch& b, const int (&id)[N], const int (&group)[N],
                                              bool (&valid)[N], Value (&out)[N]) {
    loadOrders(b, id, group, valid, out);
  }

  static __device__ __forceinline__ void add(Acc& acc, Value value) { acc = acc > value ? acc : value; }
  static __device__ __forceinline__ void merge(Acc& acc, Acc other) { acc = acc > other ? acc : other; }

  static __device__ __forceinline__ void flush(const State& s, int group, Acc acc) {
    i64* state = reinterpret_cast<i64*>(s.lo) + group;
    // A look is cheaper than an atomic operation, and hardly any value is a new maximum.
    if (acc > *(volatile i64*)state) atomicMax(state, acc);
  }

  static __device__ __forceinline__ void store(const State& s, int group, Acc acc) { s.lo[group] = (u64)acc; }
  static __device__ __forceinline__ void clear(u32* words) { *reinterpret_cast<i64*>(words) = LEAST; }
  static __device__ __forceinline__ void share(u32* words, Value value) {
    i64* state = reinterpret_cast<i64*>(words);
    if (value > *(volatile i64*)state) atomicMax(state, value);
  }
  static __device__ __forceinline__ Acc gather(const u32* words) { return (i64)shared64(words); }
};

// The bits of any value; of complements: the bits that are not in all.
struct Or : OneWord {
  template <int N>
  static __device__ __forceinline__ void load(const Batch& b, const int (&id)[N], const int (&)[N], bool (&valid)[N],
                                              Value (&out)[N]) {
    loadWords(b, id, valid, out);
#pragma unroll
    for (int j = 0; j < N; j++) {
      out[j] ^= (i64)b.flip;
    }
  }

  static __device__ __forceinline__ void add(Acc& acc, Value value) { acc |= (u64)value; }
  static __device__ __forceinline__ void merge(Acc& acc, Acc other) { acc |= other; }

  static __device__ __forceinline__ void flush(const State& s, int group, Acc acc) {
    if ((acc & ~*(volatile u64*)(s.lo + group)) != 0) atomicOr(s.lo + group, acc);
  }

  static __device__ __forceinline__ void share(u32* words, Value value) {
    atomicOr(words, (u32)value);
    atomicOr(words + 1, (u32)((u64)value >> 32));
  }
};

struct Xor : OneWord {
  static __device__ __forceinline__ void add(Acc& acc, Value value) { acc ^= (u64)value; }
  static __device__ __forceinline__ void merge(Acc& acc, Acc other) { acc ^= other; }

  static __device__ __forceinline__ void flush(const State& s, int group, Acc acc) {
    if (acc != 0) atomicXor(s.lo + group, acc);
  }

  static __device__ __forceinline__ void share(u32* words, Value value) {
    atomicXor(words, (u32)value);
    atomicXor(words + 1, (u32)((u64)value >> 32));
  }
};

// A value as the 64-bit words that it is made of.
template <class T>
union ValueWords {
  T value;
  u64 words[sizeof(T) / 8];
  __device__ __forceinline__ ValueWords() {}
};

// What a lane gets of others' values, word by word.
template <class T, class Shuffle>
__device__ __forceinline__ T shuffled(const T& value, Shuffle shuffle) {
  ValueWords<T> w;
  w.value = value;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(T) / 8); k++) {
    w.words[k] = shuffle(w.words[k]);
  }
  return w.value;
}

// The value of the lane d further on.
template <class T>
__device__ __forceinline__ T fromBelow(const T& value, int d) {
  return shuffled(value, [=](u64 word) { return __shfl_down_sync(~0u, word, d); });
}

// The value of the lane d before.
template <class T>
__device__ __forceinline__ T fromAbove(const T& value, int d) {
  return shuffled(value, [=](u64 word) { return __shfl_up_sync(~0u, word, d); });
}

// The fold of all lanes, in lane 0.
template <class Op>
__device__ __forceinline__ typename Op::Acc warpFold(typename Op::Acc acc) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    Op::merge(acc, fromBelow(acc, d));
  }
  return acc;
}

}  // namespace ara
