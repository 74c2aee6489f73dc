package io.aragonite.exec.device;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.HostObjects;

/**
 * What {@link ExecContext#onHost} is where the device has memory of its own: the worker of that
 * device with the {@link Device#host} in place of the device.
 */
public final class HostExecContext implements ExecContext, AutoCloseable {
  private final ExecContext worker;
  private final QueryMemory memory;
  private final QueryMemory.Arena scratch;

  /**
   * @param memory host memory of the query, shared by its workers
   */
  public HostExecContext(ExecContext worker, QueryMemory memory) {
    this.worker = worker;
    this.memory = memory;
    this.scratch = memory.newArena();
  }

  @Override
  public Device device() {
    return worker.device().host();
  }

  @Override
  public QueryMemory.Arena scratch() {
    return scratch;
  }

  @Override
  public QueryMemory memory() {
    return memory;
  }

  @Override
  public ExecContext onHost() {
    return this;
  }

  @Override
  public void addFigure(String name, long value) {
    worker.addFigure(name, value);
  }

  @Override
  public HostObjects hostObjects() {
    return worker.hostObjects();
  }

  @Override
  public StopCheck stopCheck() {
    return worker.stopCheck();
  }

  @Override
  public void checkCancelled() {
    worker.checkCancelled();
  }

  /** Gives the scratch memory back. */
  @Override
  public void close() {
    scratch.close();
  }
}
