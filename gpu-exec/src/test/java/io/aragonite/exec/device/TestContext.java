package io.aragonite.exec.device;

import io.aragonite.exec.column.HostObjects;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.memory.QueryMemory;
import org.jspecify.annotations.Nullable;

/**
 * A context for tests that call a device without an engine; one worker. Closing it checks that
 * nothing is left in the device's budget.
 */
public final class TestContext implements ExecContext, AutoCloseable {
  private final Device device;
  private final QueryMemory memory;
  private final QueryMemory.Arena scratch;
  private final @Nullable HostContext onHost;
  private final HostObjects hostObjects = new HostObjects();
  private volatile boolean cancelled;

  public TestContext(Device device) {
    this.device = device;
    this.memory = device.newQueryMemory(0);
    this.scratch = memory.newArena();
    this.onHost =
        device.transfers().shared() ? null : new HostContext(this, device.host().newQueryMemory(0));
  }

  @Override
  public Device device() {
    return device;
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
    return onHost == null ? this : onHost;
  }

  @Override
  public void addFigure(String name, long value) {}

  @Override
  public HostObjects hostObjects() {
    return hostObjects;
  }

  /** From now on the query is to end. */
  public void cancel() {
    cancelled = true;
  }

  @Override
  public void checkCancelled() {
    if (cancelled) {
      throw new AragoniteException(ErrorCode.CANCELLED, "The test cancelled the query.");
    }
  }

  @Override
  public void close() {
    scratch.close();
    memory.close();
    if (onHost != null) {
      onHost.close();
      onHost.memory().close();
      MemoryDebug.assertReleased(device.host().memory());
    }
    MemoryDebug.assertReleased(device.memory());
  }
}
