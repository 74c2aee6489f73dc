package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.codegen.BatchRow;
import io.aragonite.exec.codegen.ColumnWriter;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PolledRows;
import io.aragonite.exec.device.StagedCall;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a host aggregate over the rows that were kept for it. */
final class HostAggregates {
  /** Of a group's list, and of its place. */
  private static final long GROUP_BYTES = 80;

  private HostAggregates() {}

  /**
   * @param rows group number, arguments, columns to order by
   * @return a row a group
   */
  static Column run(
      ExecContext context, AggregateCall call, ColumnBatch rows, int groups, Allocator allocator) {
    try (StagedCall staged = new StagedCall(context)) {
      ColumnBatch read = staged.in(rows);
      return staged.make(allocator, to -> onHost(staged.host(), call, read, groups, to));
    }
  }

  private static Column onHost(
      ExecContext context, AggregateCall call, ColumnBatch rows, int groups, Allocator allocator) {
    try (MemoryReservation heap = new MemoryReservation(context.hostMemory())) {
      return onHost(context, call, rows, groups, allocator, heap);
    }
  }

  private static Column onHost(
      ExecContext context,
      AggregateCall call,
      ColumnBatch rows,
      int groups,
      Allocator allocator,
      MemoryReservation heap) {
    heap.add(GROUP_BYTES * groups);
    List<List<@Nullable Object[]>> byGroup = new ArrayList<>();
    for (int i = 0; i < groups; i++) {
      byGroup.add(new ArrayList<>());
    }
    int width = rows.columns().size() - 1;
    BatchRow reader = new BatchRow(rows, context.hostObjects());
    long numbers = rows.column(0).values().address();
    for (int i = 0; i < rows.rows(); i++) {
      if ((i & 4095) == 0) {
        context.checkCancelled();
      }
      reader.row = i;
      @Nullable Object[] values = new @Nullable Object[width];
      for (int c = 0; c < width; c++) {
        values[c] = reader.get(c + 1);
      }
      heap.addRow(values);
      byGroup.get(Mem.getInt(numbers + 4L * i)).add(values);
    }
    ColumnShape shape = ColumnShape.of(call.type()).withMayBeNull(true);
    ColumnWriter writer = new ColumnWriter(shape, groups, allocator, context.hostObjects());
    StopCheck stopCheck = StopCheck.current();
    for (List<@Nullable Object[]> group : byGroup) {
      context.checkCancelled();
      heap.useScratch(group.size() * PolledRows.SCRATCH_BYTES);
      List<@Nullable Object[]> wanted = prepare(context, call, group);
      long held = stopCheck.held();
      writer.add(call.onHost(new PolledRows(context, wanted.size(), wanted::get)));
      stopCheck.release(held);
    }
    return writer.finish();
  }

  /** Orders rows, and leaves the columns of the order out. */
  private static List<@Nullable Object[]> prepare(
      ExecContext context, AggregateCall call, List<@Nullable Object[]> rows) {
    int args = call.args().size();
    if (!call.orderBy().isEmpty()) {
      rows.sort(context.stopCheck().polled(order(call.orderBy(), args)));
    }
    if (!call.orderBy().isEmpty()) {
      rows.replaceAll(row -> Arrays.copyOf(row, args));
    }
    return rows;
  }

  private static Comparator<@Nullable Object[]> order(List<SortKey> keys, int first) {
    return (a, b) -> {
      for (int i = 0; i < keys.size(); i++) {
        int order = compare(keys.get(i), a[first + i], b[first + i]);
        if (order != 0) {
          return order;
        }
      }
      return 0;
    };
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(SortKey key, @Nullable Object a, @Nullable Object b) {
    if (a == null || b == null) {
      int nulls = a != null ? 1 : b != null ? -1 : 0;
      return key.nullsFirst() ? nulls : -nulls;
    }
    int order =
        switch (a) {
          case byte[] bytes -> Arrays.compareUnsigned(bytes, (byte[]) b);
          case String text -> compareText(text, (String) b);
          case Comparable value -> value.compareTo(b);
          default ->
              throw new AragoniteException(
                  ErrorCode.TYPE_UNSUPPORTED,
                  "Values of " + a.getClass().getSimpleName() + " have no order to aggregate in.");
        };
    return key.descending() ? -order : order;
  }

  /** By code points, which is the order of UTF-8 bytes. */
  private static int compareText(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean pairs = Character.isSurrogate(x) != Character.isSurrogate(y);
        return pairs ? (Character.isSurrogate(x) ? 1 : -1) : Character.compare(x, y);
      }
    }
    return Integer.compare(a.length(), b.length());
  }
}
