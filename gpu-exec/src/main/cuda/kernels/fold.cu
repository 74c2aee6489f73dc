// The kernels that fold a batch: each function in each form.
#include "agent/fold.cuh"

using namespace ara;

#define FOLD(name, Op)                                                                                                    \
  extern "C" __global__ void __launch_bounds__(FoldPolicy::ALL_THREADS) ara_fold_##name##_all(BATCH_ARGS, STATE_ARGS) {   \
    foldAll<Op, FoldPolicy::ALL_THREADS>(BATCH, STATE);                                                                   \
  }                                                                                                                       \
  extern "C" __global__ void __launch_bounds__(FoldPolicy::FEW_THREADS)                                                   \
      ara_fold_##name##_few(BATCH_ARGS, STATE_ARGS, int groupCount) {                                                     \
    foldFew<Op, FoldPolicy::FEW_THREADS>(BATCH, STATE, groupCount);                                                       \
  }                                                                                                                       \
  extern "C" __global__ void __launch_bounds__(FoldPolicy::BLOCK_THREADS)                                                 \
      ara_fold_##name##_block(BATCH_ARGS, STATE_ARGS, int groupCount) {                                                   \
    foldBlock<Op, FoldPolicy::BLOCK_THREADS>(BATCH, STATE, groupCount);                                                   \
  }                                                                                                                       \
  extern "C" __global__ void __launch_bounds__(FoldPolicy::MANY_THREADS) ara_fold_##name##_many(BATCH_ARGS, STATE_ARGS) { \
    foldMany<Op, FoldPolicy::MANY_THREADS>(BATCH, STATE);                                                                 \
  }

FOLD(count, Count)
FOLD(sum1, Sum1)
FOLD(sum2, Sum2)
FOLD(sum3, Sum3)
FOLD(sumd, SumDouble)
FOLD(max, Max)
FOLD(or, Or)
FOLD(xor, Xor)
