package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import io.aragonite.exec.vector.HostObjects;
import io.aragonite.exec.vector.RowIds;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A context for tests that call a device without an engine; one worker. Closing it checks that
 * nothing is left in the device's budget.
 */
public final class TestContext implements ExecContext, AutoCloseable {
  private final Device device;
  private final QueryMemory memory;
  private final QueryMemory.Arena scratch;
  private final @Nullable HostExecContext hostContext;
  private final Map<Column, Column> onHost = new IdentityHashMap<>();
  private final HostObjects hostObjects = new HostObjects();
  private volatile boolean cancelled;

  public TestContext(Device device) {
    this.device = device;
    this.memory = device.newQueryMemory(0);
    this.scratch = memory.newArena();
    this.hostContext =
        device.traits().hostMemory()
            ? null
            : new HostExecContext(this, device.host().newQueryMemory(0));
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
    return hostContext == null ? this : hostContext;
  }

  @Override
  public void addFigure(String name, long value) {}

  @Override
  public HostObjects hostObjects() {
    return hostObjects;
  }

  /** The column's data in the device's memory; a host column as it is where that is the same. */
  public Column toDevice(Column host) {
    return HostColumns.toDevice(this, host, memory);
  }

  /** The column's data in host memory; its contents must not change any more. */
  public Column toHost(Column column) {
    return device.traits().hostMemory()
        ? column
        : onHost.computeIfAbsent(column, c -> HostColumns.toHost(this, c, hostMemory()));
  }

  /** A column of the device; see {@link Columns#of}. */
  public Column column(ColumnShape shape, List<?> values) {
    return toDevice(Columns.of(hostMemory(), shape, values));
  }

  /** A column of the device; see {@link Columns#disguise}. */
  public Column disguise(ColumnShape shape, List<?> values, int form, Random random) {
    return toDevice(Columns.disguise(hostMemory(), shape, values, form, random));
  }

  /** The boxed value of a row of a device's column. */
  public @Nullable Object value(Column column, int row) {
    return Columns.value(toHost(column), row);
  }

  /** All values of a device's column. */
  public List<@Nullable Object> values(Column column) {
    return Columns.values(toHost(column));
  }

  /** Row ids in the device's memory. */
  public RowIds rowIds(boolean mayBeNull, int... ids) {
    return new RowIds(ints(ids), ids.length, mayBeNull);
  }

  public Buffer ints(int... values) {
    return toDevice(Columns.ints(hostMemory(), values));
  }

  public Buffer longs(long... values) {
    return toDevice(Columns.longs(hostMemory(), values));
  }

  public Buffer bytes(byte... values) {
    Buffer host = hostMemory().allocate(values.length);
    Mem.copy(values, 0, host.address(), values.length);
    return toDevice(host);
  }

  private Buffer toDevice(Buffer host) {
    if (device.traits().hostMemory()) {
      return host;
    }
    Buffer copy = memory.allocate(host.size());
    device.transfers().toDevice(this, host.address(), copy, host.size());
    hostMemory().free(host);
    return copy;
  }

  public int[] ints(Buffer buffer, int count) {
    return read(buffer, 4L * count, host -> Columns.ints(host, count));
  }

  public long[] longs(Buffer buffer, int count) {
    return read(buffer, 8L * count, host -> Columns.longs(host, count));
  }

  public byte[] bytes(Buffer buffer, int count) {
    return read(
        buffer,
        count,
        host -> {
          byte[] bytes = new byte[count];
          Mem.copy(host.address(), bytes, 0, count);
          return bytes;
        });
  }

  private <T> T read(Buffer buffer, long bytes, Function<Buffer, T> reader) {
    Buffer host = hostMemory().allocate(bytes);
    device.transfers().toHost(this, buffer, host.address(), bytes);
    T values = reader.apply(host);
    hostMemory().free(host);
    return values;
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
    if (hostContext != null) {
      hostContext.close();
      hostContext.memory().close();
      MemoryLeaks.assertReleased(device.host().memory());
    }
    MemoryLeaks.assertReleased(device.memory());
  }
}
