// Runs a kernel for rows from code that the host makes of its PTX (PtxBytecode.java), where machine code is not there yet. A
// thread takes a row. Its registers are slots in shared memory, the slots of a block's threads side by side. A warp does one
// instruction at a time. Where its threads part, those that are least far go first, until they meet others.
#pragma once
#include "thread/common.cuh"

namespace ara {

// What an instruction does to its operands; BytecodeOperation.java says what each is.
HOST_SHARED enum InterpretOperation {
  MOVE, ARGUMENT, BLOCK, THREAD, TABLE, JUMP, RETURN, ADD, SUBTRACT, MULTIPLY, MULTIPLY_ADD, MULTIPLY_HIGH_S32,
  MULTIPLY_HIGH_S64, MULTIPLY_HIGH_U64, DIVIDE_S32, DIVIDE_U32, DIVIDE_S64, DIVIDE_U64, MIN_S32, MAX_S32, MIN_S64,
  MAX_S64, AND, OR, XOR, SHIFT_LEFT, SHIFT_RIGHT_S32, SHIFT_RIGHT_U32, SHIFT_RIGHT_S64, SHIFT_RIGHT_U64, LEADING_ZEROS,
  COUNT_BITS, REVERSE_BITS, PERMUTE, PACK, SIGN_EXTEND, INDEX, SELECT, EQUAL_32, EQUAL_64, LESS_S32, LESS_U32,
  LESS_S64, LESS_U64, EQUAL_F64, NOT_EQUAL_F64, LESS_F64, LESS_EQUAL_F64, UNORDERED_F64, EQUAL_F32, NOT_EQUAL_F32,
  LESS_F32, LESS_EQUAL_F32, UNORDERED_F32, ADD_F64, SUBTRACT_F64, MULTIPLY_F64, DIVIDE_F64, ADD_F32, SUBTRACT_F32,
  MULTIPLY_F32, DIVIDE_F32, COPY_SIGN, SQUARE_ROOT, FLOOR, CEILING, S32_TO_F64, S64_TO_F64, S32_TO_F32, S64_TO_F32,
  F32_TO_F64, F64_TO_F32, F64_TO_S64, F64_TO_S32, F32_TO_S64, F32_TO_S32, LOAD_S8, LOAD_U8, LOAD_S16, LOAD_U16,
  LOAD_32, LOAD_64, STORE_8, STORE_16, STORE_32, STORE_64, ATOMIC_ADD, ATOMIC_MIN, BALLOT,
};

// Of an instruction's flags: the constant is operand a, b, c; a comparison is inverted, an instruction may jump, has no result.
HOST_SHARED enum InterpretFlag {
  CONSTANT_A = 1, CONSTANT_B = 2, CONSTANT_C = 4, INVERTED = 8, JUMPS = 16, NO_RESULT = 32
};

HOST_SHARED struct InterpretPolicy {
  // Rows of a block of the kernel that is interpreted.
  static constexpr int BLOCK_ROWS = 256;
  // Threads of a block at most; a number of whole warps that divides BLOCK_ROWS.
  static constexpr int THREADS = 256;
  static constexpr int SLOT_BYTES = 8;
};

// Where threads are that are done, and where none waits.
constexpr u32 INTERPRET_END = ALL - 1;

__device__ __forceinline__ double f64(u64 bits) { return __longlong_as_double((i64)bits); }
__device__ __forceinline__ u64 bits(double value) { return (u64)__double_as_longlong(value); }
__device__ __forceinline__ float f32(u64 bits) { return __uint_as_float((u32)bits); }
__device__ __forceinline__ u64 bits(float value) { return __float_as_uint(value); }

// As PTX and Java clamp; what is no number gives anything.
__device__ __forceinline__ u64 clamped64(double value) {
  return value >= 0x1p63 ? ~0ull >> 1 : value <= -0x1p63 ? 1ull << 63 : value == value ? (u64)(i64)value : 0;
}
__device__ __forceinline__ u64 clamped32(double value) {
  return value >= 0x1p31 ? 0x7fffffffu : value <= -0x1p31 ? 0x80000000u : value == value ? (u64)(i64)value : 0;
}

// Arithmetic on integers. Quotients that PTX leaves open are anything.
__device__ __forceinline__ u64 interpretIntegers(u32 operation, u64 a, u64 b, u64 c) {
  u32 shift = (u32)b;
  switch (operation) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case MULTIPLY_ADD: return a * b + c;
    case MULTIPLY_HIGH_S32: return (u64)((i64)(int)a * (int)b >> 32);
    case MULTIPLY_HIGH_S64: return (u64)__mul64hi((i64)a, (i64)b);
    case MULTIPLY_HIGH_U64: return __umul64hi(a, b);
    case DIVIDE_S32: return (int)b == 0 ? 0 : (int)b == -1 ? 0 - a : (u64)((int)a / (int)b);
    case DIVIDE_U32: return (u32)b == 0 ? 0 : (u32)a / (u32)b;
    case DIVIDE_S64: return b == 0 ? 0 : b == ~0ull ? 0 - a : (u64)((i64)a / (i64)b);
    case DIVIDE_U64: return b == 0 ? 0 : a / b;
    case MIN_S32: return (u64)((int)a < (int)b ? (int)a : (int)b);
    case MAX_S32: return (u64)((int)a > (int)b ? (int)a : (int)b);
    case MIN_S64: return (i64)a < (i64)b ? a : b;
    case MAX_S64: return (i64)a > (i64)b ? a : b;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case SHIFT_LEFT: return shift > 63 ? 0 : a << shift;
    case SHIFT_RIGHT_S32: return (u64)((int)a >> (shift > 31 ? 31 : shift));
    case SHIFT_RIGHT_U32: return shift > 31 ? 0 : (u32)a >> shift;
    case SHIFT_RIGHT_S64: return (u64)((i64)a >> (shift > 63 ? 63 : shift));
    case SHIFT_RIGHT_U64: return shift > 63 ? 0 : a >> shift;
    case LEADING_ZEROS: return (u64)__clzll((i64)a);
    case COUNT_BITS: return (u64)__popcll(a);
    case REVERSE_BITS: return __brevll(a);
    case PERMUTE: return __byte_perm((u32)a, (u32)b, (u32)c);
    case PACK: return (u32)a | b << 32;
    case SIGN_EXTEND: return (u64)(i64)(int)a;
    case INDEX: return b + ((u64)(i64)(int)a << (u32)c);
    case SELECT: return (u32)c != 0 ? a : b;
    case EQUAL_32: return (u32)a == (u32)b;
    case EQUAL_64: return a == b;
    case LESS_S32: return (int)a < (int)b;
    case LESS_U32: return (u32)a < (u32)b;
    case LESS_S64: return (i64)a < (i64)b;
    case LESS_U64: return a < b;
    default: return a;
  }
}

__device__ __forceinline__ bool unordered(double a, double b) { return a != a || b != b; }

__device__ __forceinline__ u64 interpretFloats(u32 operation, u64 a, u64 b) {
  switch (operation) {
    case EQUAL_F64: return f64(a) == f64(b);
    case NOT_EQUAL_F64: return f64(a) < f64(b) || f64(a) > f64(b);
    case LESS_F64: return f64(a) < f64(b);
    case LESS_EQUAL_F64: return f64(a) <= f64(b);
    case UNORDERED_F64: return unordered(f64(a), f64(b));
    case EQUAL_F32: return f32(a) == f32(b);
    case NOT_EQUAL_F32: return f32(a) < f32(b) || f32(a) > f32(b);
    case LESS_F32: return f32(a) < f32(b);
    case LESS_EQUAL_F32: return f32(a) <= f32(b);
    case UNORDERED_F32: return unordered(f32(a), f32(b));
    case ADD_F64: return bits(f64(a) + f64(b));
    case SUBTRACT_F64: return bits(f64(a) - f64(b));
    case MULTIPLY_F64: return bits(f64(a) * f64(b));
    case DIVIDE_F64: return bits(f64(a) / f64(b));
    case ADD_F32: return bits(f32(a) + f32(b));
    case SUBTRACT_F32: return bits(f32(a) - f32(b));
    case MULTIPLY_F32: return bits(f32(a) * f32(b));
    case DIVIDE_F32: return bits(f32(a) / f32(b));
    case COPY_SIGN: return (a & 1ull << 63) | (b & ~0ull >> 1);
    case SQUARE_ROOT: return bits(sqrt(f64(a)));
    case FLOOR: return bits(floor(f64(a)));
    case CEILING: return bits(ceil(f64(a)));
    case S32_TO_F64: return bits((double)(int)a);
    case S64_TO_F64: return bits((double)(i64)a);
    case S32_TO_F32: return bits((float)(int)a);
    case S64_TO_F32: return bits((float)(i64)a);
    case F32_TO_F64: return bits((double)f32(a));
    case F64_TO_F32: return bits((float)f64(a));
    case F64_TO_S64: return clamped64(f64(a));
    case F64_TO_S32: return clamped32(f64(a));
    case F32_TO_S64: return clamped64(f32(a));
    default: return clamped32(f32(a));
  }
}

// Of a thread that takes part: other addresses are not looked at.
__device__ __forceinline__ u64 interpretMemory(u32 operation, u64 a, u64 b) {
  switch (operation) {
    case LOAD_S8: return (u64)(i64)*(const signed char*)a;
    case LOAD_U8: return *(const u8*)a;
    case LOAD_S16: return (u64)(i64)*(const short*)a;
    case LOAD_U16: return *(const u16*)a;
    case LOAD_32: return *(const u32*)a;
    case LOAD_64: return *(const u64*)a;
    case STORE_8: *(u8*)a = (u8)b; return 0;
    case STORE_16: *(u16*)a = (u16)b; return 0;
    case STORE_32: *(u32*)a = (u32)b; return 0;
    case STORE_64: *(u64*)a = b; return 0;
    case ATOMIC_ADD: return atomicAdd((u64*)a, b);
    default: atomicMin((u32*)a, (u32)b); return 0;
  }
}

// Where the threads of a warp are; the same in all of them but for `active` and `waits`.
struct InterpretWarp {
  // The instruction that is done, by which threads, and the first one at which others wait.
  u32 at = 0;
  u32 mask = ALL;
  u32 stop = ALL;
  bool active = true;
  // Where this thread waits if it is not active.
  u32 waits = 0;

  // Has those go on that are least far, once the active threads have come to `own`.
  __device__ __forceinline__ void regroup(u32 own) {
    waits = active ? own : waits;
    at = __reduce_min_sync(ALL, waits);
    active = waits == at;
    mask = __ballot_sync(ALL, active);
    stop = __reduce_min_sync(ALL, active ? ALL : waits);
  }
};

// `memory` has a slot's threads side by side; `code` has an instruction more than there are, which may be anything.
__device__ __forceinline__ void interpret(const uint4* code, const u64* arguments, u64* memory) {
  u64* slots = memory + threadIdx.x;
  u32 threads = blockDim.x;
  InterpretWarp warp;
  uint4 next = __ldg(code);
  while (true) {
    uint4 in = next;
    next = __ldg(code + warp.at + 1);
    u32 operation = in.x & 255;
    u32 flags = in.y >> 8;
    u64 constant = (u64)in.w << 32 | in.z;
    u64 a = flags & CONSTANT_A ? constant : slots[(in.x >> 16 & 255) * threads];
    u64 b = flags & CONSTANT_B ? constant : slots[(in.x >> 24) * threads];
    u64 c = flags & CONSTANT_C ? constant : slots[(in.y & 255) * threads];
    u64 result = a;
    switch (operation) {
      case MOVE: break;
      case ARGUMENT: result = __ldg(arguments + a); break;
      case BLOCK: result = (blockIdx.x * threads + threadIdx.x) / InterpretPolicy::BLOCK_ROWS; break;
      case THREAD: result = (blockIdx.x * threads + threadIdx.x) % InterpretPolicy::BLOCK_ROWS; break;
      case TABLE: result = (u64)code + a; break;
      case JUMP: result = 1; break;
      case RETURN: break;
      case BALLOT: result = __ballot_sync(ALL, warp.active && (u32)a != 0); break;
      default:
        if (operation >= LOAD_S8) {
          result = warp.active ? interpretMemory(operation, a, b) : 0;
        } else if (operation >= EQUAL_F64) {
          result = interpretFloats(operation, a, b);
        } else {
          result = interpretIntegers(operation, a, b, c);
        }
    }
    result ^= flags >> 3 & 1;
    if (flags & JUMPS) {
      u32 to = in.y >> 16;
      bool jumps = warp.active && result != 0;
      u32 jumping = __ballot_sync(ALL, jumps);
      u32 own = jumps ? to : warp.at + 1;
      warp.at = jumping != 0 ? to : warp.at + 1;
      if ((jumping != 0 && jumping != warp.mask) || warp.at >= warp.stop) {
        warp.regroup(own);
      }
      next = __ldg(code + warp.at);
    } else if (operation == RETURN) {
      warp.regroup(INTERPRET_END);
      if (warp.at == INTERPRET_END) {
        return;
      }
      next = __ldg(code + warp.at);
    } else {
      if (warp.active && !(flags & NO_RESULT)) {
        slots[(in.x >> 8 & 255) * threads] = result;
      }
      warp.at++;
      if (warp.at >= warp.stop) {
        warp.regroup(warp.at);
        next = __ldg(code + warp.at);
      }
    }
  }
}

}  // namespace ara
