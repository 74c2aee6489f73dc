// The kernels that select rows by flags, words or bits.
#include "agent/select.cuh"

using namespace ara;

// Both: count > 0; dynamic shared memory as pick() says.

// Rows whose flag is not 0, or, with `flip` 1, is 0.
extern "C" __global__ void __launch_bounds__(PICK_THREADS, 2) ara_select(const u8* flags, u32 flip, u32 count, PICK_ARGS) {
  extern __shared__ __align__(16) u32 memory[];
  pick(Flags{flags, count, flip ? ALL : 0, aligned16(flags)}, count, PICK, memory);
}

// Rows whose word is not greater than `bound`, unsigned.
extern "C" __global__ void __launch_bounds__(PICK_THREADS, 2) ara_select_up_to(const u64* given, u64 bound, u32 count, PICK_ARGS) {
  extern __shared__ __align__(16) u32 memory[];
  pick(UpTo{given, bound, count}, count, PICK, memory);
}

// Rows whose bit is on in `given`, which has whole words; those behind the last row may be anything.
extern "C" __global__ void __launch_bounds__(PICK_THREADS, 2) ara_select_bits(const u32* given, u32 count, PICK_ARGS) {
  extern __shared__ __align__(16) u32 memory[];
  pick(Bits{given, count}, count, PICK, memory);
}
