package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.memory.Buffer;
import java.util.List;

/** Copies in the order of the query's stream. */
final class CudaTransfers implements Transfers {
  private final CudaStaging staging;

  CudaTransfers(CudaStaging staging) {
    this.staging = staging;
  }

  @Override
  public boolean shared() {
    return false;
  }

  @Override
  public void toHost(ExecContext context, Buffer from, long hostAddress, long bytes) {
    staging.toHost(context, CudaStream.of(context), from.address(), hostAddress, bytes);
  }

  @Override
  public void toHost(ExecContext context, List<Buffer> from, List<Buffer> to) {
    long total = to.stream().mapToLong(piece -> CudaStream.padded(piece.size())).sum();
    if (total <= CudaStream.SMALL) {
      CudaStream.of(context).readAll(from, to);
    } else {
      Transfers.super.toHost(context, from, to);
    }
  }

  @Override
  public void toDevice(ExecContext context, long hostAddress, Buffer to, long bytes) {
    staging.toDevice(context, CudaStream.of(context), hostAddress, to.address(), bytes);
  }

  @Override
  public void copy(ExecContext context, Buffer from, Buffer to, long bytes) {
    CudaStream.of(context).copy(from.address(), to.address(), bytes);
  }

  @Override
  public int readInt(ExecContext context, Buffer from, long offset) {
    return CudaStream.of(context).readInt(from.address() + offset);
  }

  @Override
  public long readLong(ExecContext context, Buffer from, long offset) {
    return CudaStream.of(context).readLong(from.address() + offset);
  }
}
