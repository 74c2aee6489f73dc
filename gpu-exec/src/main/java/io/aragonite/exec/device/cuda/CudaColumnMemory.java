package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Buffer;
import java.util.List;

/**
 * A GPU's memory for cached columns: taken in the order of the query that loads them, given back in
 * the order of a stream of its own, on which nothing else waits.
 */
final class CudaColumnMemory implements ColumnMemory, AutoCloseable {
  private final CudaMemory memory;
  private final CudaStaging staging;
  private final CudaStream freeing;

  CudaColumnMemory(CudaMemory memory, CudaStaging staging) {
    this.memory = memory;
    this.staging = staging;
    this.freeing = memory.gpu().takeStream(CudaStream.StreamUse.WORK);
  }

  @Override
  public Buffer allocate(ExecContext context, long bytes, String what) {
    long address = memory.allocate(CudaStream.of(context), CudaQueryMemory.padded(bytes), what);
    return new Buffer(address, bytes);
  }

  @Override
  public long taken(Buffer buffer) {
    return CudaQueryMemory.padded(buffer.size());
  }

  @Override
  public void free(Buffer buffer) {
    memory.free(freeing, buffer.address(), CudaQueryMemory.padded(buffer.size()));
  }

  @Override
  public void toDevice(ExecContext context, List<Copy> copies) {
    staging.toDevice(context, CudaStream.of(context), copies);
  }

  @Override
  public void fill(ExecContext context, Buffer buffer, byte value) {
    CudaStream.of(context).fill(buffer.address(), value, buffer.size());
  }

  /**
   * @throws AragoniteException DEVICE_FAILED if the GPU has been retired, whose memory is nobody's
   */
  @Override
  public void await(ExecContext context) {
    CudaStream.of(context).sync();
  }

  @Override
  public void close() {
    if (!memory.gpu().retired()) {
      freeing.sync();
      memory.gpu().giveBack(freeing);
    }
  }
}
