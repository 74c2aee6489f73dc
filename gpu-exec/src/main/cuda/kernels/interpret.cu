// The kernel that runs expressions from code until their own kernels are there.
#include "agent/interpret.cuh"

using namespace ara;

// A thread a row; blockDim.x divides the rows of a block. `code` is at a multiple of 16. Dynamic shared memory: SLOT_BYTES for
// each slot and thread.
extern "C" __global__ void __launch_bounds__(InterpretPolicy::THREADS) ara_interpret(const uint4* code, const u64* arguments) {
  extern __shared__ __align__(16) u64 memory[];
  interpret(code, arguments, memory);
}
