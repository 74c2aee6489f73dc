// The kernel that selects rows by ids.
#include "agent/select_ids.cuh"

using namespace ara;

// Rows whose id is a row, or, with `flip` 1, is -1: count > 0; dynamic shared memory as pick() says.
extern "C" __global__ void __launch_bounds__(PICK_THREADS, 2) ara_select_ids(const u32* ids, u32 flip, u32 count, PICK_ARGS) {
  extern __shared__ __align__(16) u32 memory[];
  pick(Ids{ids, count, flip ? ALL : 0, aligned16(ids)}, count, PICK, memory);
}
