package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of one side of a partitioned join, in the order of a hash table over the build side's
 * words: stable, and one partition behind the other. Closing it frees its memory.
 */
final class RowPartition implements AutoCloseable {
  private final QueryMemory memory;
  private Buffer words;
  private final List<Column> columns;
  private final Buffer starts;
  private final List<Buffer> owned = new ArrayList<>();

  private RowPartition(QueryMemory memory, Buffer words, List<Column> columns, Buffer starts) {
    this.memory = memory;
    this.words = words;
    this.starts = starts;
    this.columns = columns;
  }

  /**
   * How many bits of partitions keep what one of them visits in cache.
   *
   * @param payloadBytes bytes of a build row's payload that is gathered from the partition
   */
  static int bits(Device device, PartitionFunction order, int buildRows, int payloadBytes) {
    double table = order.mixed() ? 16.0 * buildRows : 4.0 * (order.range() + 1);
    double parts = (table + (double) payloadBytes * buildRows) / device.cacheBytes();
    int bits = 1;
    while (bits < PartitionOps.PASS_BITS && 1 << bits < parts) {
      bits++;
    }
    return bits;
  }

  /**
   * Partitions rows.
   *
   * @param order of the build side's words
   * @param words words of {@code wordBytes} bytes; they stay the caller's
   * @param columns what moves with the words; texts, 16-byte values and columns with nulls or an
   *     indirection are gathered afterwards by row ids
   */
  static RowPartition of(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int rows,
      List<Column> columns) {
    QueryMemory memory = context.memory();
    boolean needsIds = !columns.stream().allMatch(RowPartition::moves);
    Buffer outWords = memory.allocate((long) wordBytes * rows);
    List<MovedColumn> moved = new ArrayList<>();
    List<Buffer> owned = new ArrayList<>();
    Buffer offsets = memory.allocate((4L << bits) + 4);
    Buffer numbers = Buffer.EMPTY;
    Buffer ids = null;
    try {
      for (Column column : columns) {
        if (moves(column)) {
          int width = column.shape().storage().width();
          Buffer out = memory.allocate((long) width * rows);
          owned.add(out);
          moved.add(new MovedColumn(column.values(), out, width));
        }
      }
      if (needsIds) {
        numbers = memory.allocate(4L * rows);
        context.scan().iota(context, numbers, 0, rows);
        ids = memory.allocate(4L * rows);
        owned.add(ids);
        moved.add(new MovedColumn(numbers, ids, 4));
      }
      context
          .partition()
          .partitionRows(context, order, bits, words, wordBytes, rows, outWords, moved, offsets);
    } finally {
      memory.free(numbers);
    }
    List<Column> out = new ArrayList<>();
    int next = 0;
    for (Column column : columns) {
      if (moves(column)) {
        Buffer values = moved.get(next++).out();
        out.add(new Column(column.shape(), rows, values, Buffer.EMPTY, null, null));
      } else {
        out.add(gathered(context, column, new RowIds(moved.getLast().out(), rows, false), owned));
      }
    }
    if (ids != null) {
      owned.remove(ids);
      memory.free(ids);
    }
    RowPartition result = new RowPartition(memory, outWords, out, offsets);
    result.owned.addAll(owned);
    return result;
  }

  /**
   * Rows that lie in partitions already, as plain values.
   *
   * @param words whose memory is the partitions' from now on, as are the columns' and {@code
   *     starts}
   */
  static RowPartition there(QueryMemory memory, Buffer words, List<Column> columns, Buffer starts) {
    RowPartition result = new RowPartition(memory, words, columns, starts);
    columns.forEach(column -> result.owned.add(column.values()));
    return result;
  }

  /** Whether a column's values move with the words, in place of being gathered afterwards. */
  static boolean moves(Column column) {
    int width = column.shape().storage().width();
    return column.rowIds() == null
        && column.validity() == null
        && column.offsets().size() == 0
        && (width == 1 || width == 2 || width == 4 || width == 8);
  }

  private static Column gathered(
      ExecContext context, Column column, RowIds ids, List<Buffer> owned) {
    RowIds through = ids;
    RowIds own = column.rowIds();
    Buffer composed = Buffer.EMPTY;
    if (own != null) {
      composed = context.memory().allocate(4L * ids.count());
      context.gather().gatherIds(context, own.ids(), ids.ids(), ids.count(), composed);
      through = new RowIds(composed, ids.count(), own.mayBeNull());
    }
    Column copy =
        context.gather().materialize(context, column.withRowIds(through), context.memory());
    context.memory().free(composed);
    owned.add(copy.values());
    owned.add(copy.offsets());
    Buffer validity = copy.validity();
    if (validity != null) {
      owned.add(validity);
    }
    return copy;
  }

  Buffer words() {
    return words;
  }

  /** The key column that the words are. */
  Column withWords(Column key) {
    return new Column(key.shape(), key.dataRows(), words, Buffer.EMPTY, null, null);
  }

  /** The columns, without indirection. */
  List<Column> columns() {
    return columns;
  }

  /** The words and where their partitions begin; the words while they are not freed. */
  PartitionedWords partitions() {
    return new PartitionedWords(words, starts);
  }

  /** The words, which are the caller's then, as the columns are; the rest is freed. */
  Buffer give() {
    Buffer given = words;
    words = Buffer.EMPTY;
    memory.free(starts);
    owned.clear();
    return given;
  }

  void freeWords() {
    memory.free(words);
    words = Buffer.EMPTY;
  }

  @Override
  public void close() {
    freeWords();
    memory.free(starts);
    owned.forEach(memory::free);
    owned.clear();
  }
}
