package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostBackedPrimitives;
import io.aragonite.exec.memory.Buffer;

/**
 * The primitives as kernels, one class a family. What has no kernel yet runs on the host and is
 * counted there.
 */
final class CudaPrimitives extends HostBackedPrimitives {
  @Override
  public void fill(ExecContext context, Buffer out, int width, long value, int count) {
    CudaScan.fill(context, out, width, value, count);
  }

  @Override
  public void iota(ExecContext context, Buffer out, int start, int count) {
    CudaScan.iota(context, out, start, count);
  }
}
