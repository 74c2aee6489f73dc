package io.aragonite.exec.device;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.HostObjects;
import org.jspecify.annotations.Nullable;

/**
 * What a thread works with that brings columns to a device beside a query: an account and an order
 * of work of its own, so that it waits for nothing that the query has asked for. Used by one
 * thread.
 */
final class LoadContext implements ExecContext, AutoCloseable {
  private final Device device;
  private final StopCheck stopCheck;
  private final HostObjects hostObjects = new HostObjects();
  private final QueryMemory memory;
  private final QueryMemory hostMemory;
  private QueryMemory.@Nullable Arena scratch;
  private @Nullable HostExecContext onHost;
  private @Nullable CopyQueue copies;

  LoadContext(Device device, StopCheck stopCheck) {
    this.device = device;
    this.stopCheck = stopCheck;
    memory = device.newQueryMemory(0);
    boolean made = false;
    try {
      hostMemory = device.hostMemory(memory, 0);
      made = true;
    } finally {
      if (!made) {
        memory.close();
      }
    }
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public QueryMemory.Arena scratch() {
    QueryMemory.Arena known = scratch;
    if (known == null) {
      known = memory.newArena();
      scratch = known;
    }
    return known;
  }

  @Override
  public QueryMemory memory() {
    return memory;
  }

  @Override
  public ExecContext onHost() {
    if (device.traits().hostMemory()) {
      return this;
    }
    HostExecContext known = onHost;
    if (known == null) {
      known = new HostExecContext(this, hostMemory);
      onHost = known;
    }
    return known;
  }

  @Override
  public CopyQueue copies() {
    CopyQueue known = copies;
    if (known == null) {
      known = device.transfers().newQueue(this);
      copies = known;
    }
    return known;
  }

  @Override
  public void addFigure(String name, long value) {
    // It works for no node of a plan.
  }

  @Override
  public HostObjects hostObjects() {
    return hostObjects;
  }

  @Override
  public StopCheck stopCheck() {
    return stopCheck;
  }

  @Override
  public void checkCancelled() {
    stopCheck.check();
  }

  /** Waits for what the device still does. */
  @Override
  public void close() {
    try (QueryMemory _ = memory;
        QueryMemory _ = hostMemory;
        HostExecContext _ = onHost;
        QueryMemory.Arena _ = scratch;
        CopyQueue _ = copies) {
      device.transfers().await(this);
    }
  }
}
