// Columns that a kernel carries along: their widths, a byte a column, 0 behind the last; and where they come from and go to.
#pragma once
#include "thread/common.cuh"

namespace ara {

HOST_SHARED struct ColumnsPolicy {
  // Of a launch.
  static constexpr int COLUMNS = 8;
};

constexpr int COLUMNS = ColumnsPolicy::COLUMNS;

}  // namespace ara

#define COLUMN_ARGS                                                                                          \
  u64 widths, u64 in0, u64 in1, u64 in2, u64 in3, u64 in4, u64 in5, u64 in6, u64 in7, u64 out0, u64 out1,    \
      u64 out2, u64 out3, u64 out4, u64 out5, u64 out6, u64 out7

// In shared memory, since they are looked at by a number; a barrier comes behind.
#define SHARED_COLUMNS                                                                                       \
  __shared__ u64 in[COLUMNS];                                                                                \
  __shared__ u64 out[COLUMNS];                                                                               \
  if (threadIdx.x == 0) {                                                                                    \
    in[0] = in0, in[1] = in1, in[2] = in2, in[3] = in3, in[4] = in4, in[5] = in5, in[6] = in6, in[7] = in7;  \
    out[0] = out0, out[1] = out1, out[2] = out2, out[3] = out3;                                              \
    out[4] = out4, out[5] = out5, out[6] = out6, out[7] = out7;                                              \
  }
