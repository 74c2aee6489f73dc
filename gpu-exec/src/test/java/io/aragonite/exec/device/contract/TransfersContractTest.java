package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.HostView;
import io.aragonite.exec.device.QueryScope;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies to and from the device's memory, alone and several at once. */
class TransfersContractTest extends Contract {
  private static final int[] BYTES = {0, 1, 3, 8, 15, 16, 17, 100, 4096, 60_000, 70_001, 9_000_001};

  private final Transfers transfers = device.transfers();

  TransfersContractTest(Device device) {
    super(device);
  }

  private byte[] some(int bytes) {
    byte[] some = new byte[bytes];
    random.nextBytes(some);
    return some;
  }

  private Buffer toDevice(byte[] bytes) {
    Buffer host = context.hostMemory().allocate(bytes.length);
    Mem.copy(bytes, 0, host.address(), bytes.length);
    Buffer copy = room(bytes.length);
    transfers.toDevice(context, host.address(), copy, bytes.length);
    context.hostMemory().free(host);
    return copy;
  }

  private static byte[] read(Buffer host) {
    byte[] bytes = new byte[(int) host.size()];
    Mem.copy(host.address(), bytes, 0, bytes.length);
    return bytes;
  }

  @Test
  void bytesComeBack() {
    for (int bytes : BYTES) {
      byte[] given = some(bytes);
      Buffer first = toDevice(given);
      Buffer second = room(bytes);
      transfers.copy(context, first, second, bytes);
      Buffer host = context.hostMemory().allocate(bytes);
      transfers.toHost(context, second, host.address(), bytes);
      assertArrayEquals(given, read(host));
      context.hostMemory().free(host);
      context.memory().free(first);
      context.memory().free(second);
    }
  }

  @Test
  void hostSeesBytesAndCopiesNoneThatItSees() {
    for (int bytes : BYTES) {
      byte[] given = some(bytes);
      Buffer there = toDevice(given);
      long before = context.hostMemory().used();
      boolean same;
      try (HostView view = new HostView(context, there)) {
        assertArrayEquals(given, read(view.buffer()));
        same = view.buffer().address() == there.address();
      }
      assertEquals(bytes == 0 || context.device().traits().hostMemory(), same || bytes == 0);
      assertEquals(before, context.hostMemory().used());
      context.memory().free(there);
    }
  }

  @Test
  void scopesFreeWhatWasTakenInEitherMemory() {
    long before = context.memory().used();
    long beforeOnHost = context.hostMemory().used();
    Buffer kept;
    try (QueryScope scope = new QueryScope(context)) {
      context.memory().allocate(100);
      context.hostMemory().allocate(100);
      context.memory().free(context.memory().allocate(100));
      scope.end();
      kept = context.memory().allocate(100);
    }
    context.memory().free(kept);
    assertEquals(before, context.memory().used());
    assertEquals(beforeOnHost, context.hostMemory().used());
  }

  @Test
  void piecesComeTogether() {
    for (int most : new int[] {10, 300, 5_000, 100_000}) {
      List<byte[]> given = new ArrayList<>();
      List<Buffer> from = new ArrayList<>();
      List<Buffer> to = new ArrayList<>();
      for (int i = random.nextInt(20); i >= 0; i--) {
        byte[] bytes = some(1 + random.nextInt(most));
        given.add(bytes);
        from.add(toDevice(bytes));
        to.add(context.hostMemory().allocate(bytes.length));
      }
      transfers.toHost(context, from, to);
      for (int i = 0; i < given.size(); i++) {
        assertArrayEquals(given.get(i), read(to.get(i)));
      }
    }
    transfers.toHost(context, List.of(), List.of());
  }

  @Test
  void numbersAreRead() {
    Buffer longs = longs(1, -2, Long.MIN_VALUE);
    assertEquals(-2, transfers.readLong(context, longs, 8));
    assertEquals(Long.MIN_VALUE, transfers.readLong(context, longs, 16));
    assertEquals(1, transfers.readInt(context, longs, 0));
    assertEquals(-1, transfers.readInt(context, longs, 12));
  }

  @Test
  void batchesOfAnyColumnsComeBack() {
    for (int size : new int[] {0, 1, 65, 1025}) {
      for (Nulls nulls : Nulls.values()) {
        List<List<Object>> values = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        for (ColumnShape shape : shapes()) {
          values.add(values(shape, nulls, size));
          columns.add(context.disguise(shape, values.getLast(), random.nextInt(4), random));
        }
        ColumnBatch batch = new ColumnBatch(columns, size);
        ColumnBatch host = HostColumns.toHost(context, batch, context.hostMemory());
        ColumnBatch back = HostColumns.toDevice(context, host, context.memory());
        for (int i = 0; i < values.size(); i++) {
          List<Object> actual = context.values(back.column(i));
          for (int row = 0; row < size; row++) {
            assertEquals(
                Columns.comparable(values.get(i).get(row)), Columns.comparable(actual.get(row)));
          }
        }
      }
    }
  }
}
