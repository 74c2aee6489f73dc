package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SumTable;
import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;

/**
 * Makes columns of a table that packed keys address.
 *
 * @param keys of the single grouping set
 */
record SumTableGroups(AggregateSpec spec, GroupKeys keys, SlotSums slots) {
  /** Of what a table has in place of counts the counts. */
  private static final KeyField ONE_MORE = new KeyField(1, Integer.SIZE - 1, false);

  /**
   * The groups that have rows: keys, then partial results of 64 bits.
   *
   * @param first entry
   * @param end behind the last entry
   * @param allocator of the columns
   * @param counted is told the rows of all these groups
   */
  ColumnBatch of(
      ExecContext context,
      SumTable table,
      int first,
      int end,
      Allocator allocator,
      ObjLongConsumer<ExecContext> counted) {
    QueryMemory.Arena scratch = context.scratch();
    int entries = end - first;
    Buffer counts =
        table.counts().slice((long) Integer.BYTES * first, (long) Integer.BYTES * entries);
    Buffer occupied = scratch.allocate((long) Integer.BYTES * entries);
    int count = context.scan().selectIds(context, counts, entries, true, occupied);
    Buffer words = occupied;
    if (first > 0) {
      words = scratch.allocate((long) Integer.BYTES * count);
      KeyField from = new KeyField(first, Integer.SIZE - 1, false);
      context.scan().unpack(context, occupied, count, from, 0, Integer.BYTES, words, null);
    }
    List<Column> columns = new ArrayList<>(keyColumns(context, words, count, allocator));
    Buffer less = scratch.allocate((long) Integer.BYTES * count);
    context.gather().gatherIds(context, counts, occupied, count, less);
    Buffer before = scratch.allocate((long) Long.BYTES * (count + 1));
    counted.accept(context, context.scan().exclusiveSum(context, less, count, before) + count);
    for (int i = 0; i < spec.slots.size(); i++) {
      int sum = slots.bySlot().get(i);
      DataType type = spec.slots.get(i).partial();
      ColumnShape shape = new ColumnShape(type, Storage.LONG, false, null, null);
      Column column =
          sum < 0
              ? rows(context, shape, less, count, allocator)
              : sum(context, shape, table, sum, words, count, allocator);
      columns.add(bounded(context, column));
    }
    return new ColumnBatch(columns, count);
  }

  /** The keys that entries stand for. */
  private List<Column> keyColumns(
      ExecContext context, Buffer entries, int count, Allocator allocator) {
    List<Column> columns = new ArrayList<>();
    int shift = 0;
    for (int i = 0; i < keys.shapes().size(); i++) {
      ColumnShape shape = keys.shapes().get(i);
      KeyField field = keys.layout().parts().get(i);
      int width = shape.storage().width();
      Buffer values = allocator.allocate((long) width * count);
      Buffer validity = field.mayBeNull() ? allocator.allocate((count + 63L) / 64 * 8) : null;
      context.scan().unpack(context, entries, count, field, shift, width, values, validity);
      columns.add(new Column(shape, count, values, Buffer.EMPTY, validity, null));
      shift += field.bits();
    }
    return columns;
  }

  /** The rows of each group, 64-bit. */
  private static Column rows(
      ExecContext context, ColumnShape shape, Buffer less, int count, Allocator allocator) {
    Buffer rows = allocator.allocate((long) Long.BYTES * count);
    context.scan().unpack(context, less, count, ONE_MORE, 0, Long.BYTES, rows, null);
    return new Column(shape, count, rows, Buffer.EMPTY, null, null);
  }

  private static Column sum(
      ExecContext context,
      ColumnShape shape,
      SumTable table,
      int number,
      Buffer entries,
      int count,
      Allocator allocator) {
    Column all = new Column(shape, table.groups(), table.sums(number), Buffer.EMPTY, null, null);
    RowIds ids = new RowIds(entries, count, false);
    return context.gather().materialize(context, all.withRowIds(ids), allocator);
  }

  /** Bounds cost a host little, and narrow what comes behind. */
  private static Column bounded(ExecContext context, Column column) {
    return context.device().traits().hostMemory()
        ? new Column(
            column.shape().withRange(context.scan().valueRange(context, column)),
            column.dataRows(),
            column.values(),
            column.offsets(),
            column.validity(),
            null)
        : column;
  }
}
