package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.List;

/** Copies in the order of the query's stream. */
final class CudaTransfers implements Transfers {
  private static final int THREADS = BlockPolicy.THREADS;

  private final CudaGpu gpu;
  private final CudaStaging staging;

  CudaTransfers(CudaGpu gpu, CudaStaging staging) {
    this.gpu = gpu;
    this.staging = staging;
  }

  @Override
  public void toHost(ExecContext context, Buffer from, long hostAddress, long bytes) {
    staging.toHost(context, CudaStream.of(context), from.address(), hostAddress, bytes);
  }

  @Override
  public void toHost(ExecContext context, List<Buffer> from, List<Buffer> to) {
    long total = to.stream().mapToLong(piece -> CudaReadback.padded(piece.size())).sum();
    if (total <= CudaReadback.SMALL) {
      CudaStream.of(context).readAll(from, to);
    } else {
      List<ColumnMemory.Copy> copies = new ArrayList<>();
      for (int i = 0; i < from.size(); i++) {
        Buffer host = to.get(i);
        copies.add(new ColumnMemory.Copy(host.address(), from.get(i).slice(0, host.size())));
      }
      staging.toHost(context, CudaStream.of(context), copies);
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
  public void add(ExecContext context, Buffer ints, int summand) {
    CudaStream stream = CudaStream.of(context);
    int count = (int) (ints.size() / Integer.BYTES);
    stream.launch(
        stream.gpu().kernel(KernelFamily.FILL, "ara_add"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        ints,
        summand,
        count);
  }

  @Override
  public CopyQueue newQueue(ExecContext context) {
    return new CudaCopyQueue(CudaStream.of(context), staging);
  }

  @Override
  public int readInt(ExecContext context, Buffer from, long offset) {
    return CudaStream.of(context).readInt(from.address() + offset);
  }

  @Override
  public long readLong(ExecContext context, Buffer from, long offset) {
    return CudaStream.of(context).readLong(from.address() + offset);
  }

  /** Always, but the driver is told before the first copy, when nothing uses the memory yet. */
  @Override
  public boolean reaches(Device peer) {
    if (peer instanceof CudaDevice other) {
      gpu.reach(other.gpu());
      return true;
    }
    return false;
  }

  /** By NVLink or the bus where the GPUs reach each other; else the driver stages it. */
  @Override
  public void fromPeer(ExecContext context, Device peer, Buffer from, Buffer to, long bytes) {
    CudaStream.of(context).copyFrom(((CudaDevice) peer).gpu(), from.address(), to.address(), bytes);
  }

  @Override
  public void await(ExecContext context) {
    CudaStream.of(context).sync();
  }
}
