package io.aragonite.exec.exchange;

import io.aragonite.exec.collective.KeyRanges;
import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one device has for each of the others: rows in its own memory, and a copy on the host for
 * those that do not reach that. Others read it from the moment it is handed over until it is freed.
 */
final class ExchangeBuffer {
  /** Partitions that rows are put into, of which each device gets its share. */
  private static final int BITS = PartitionOps.PASS_BITS;

  /** By the first bits of the words, which are hashes and so the same on all devices. */
  private static final PartitionFunction ORDER = new PartitionFunction(false, 0, -1);

  private final List<ColumnBatch> parts;

  /** Rows of which all parts are made, if they are not copies. */
  private final @Nullable ColumnBatch own;

  private final List<@Nullable ColumnBatch> staged = new ArrayList<>();
  private final MemoryScope scope;
  private @Nullable MemoryScope hostScope;

  /** Whether the first rank's rows have come to the host, whatever it reaches. */
  private boolean onHost;

  private ExchangeBuffer(List<ColumnBatch> parts, @Nullable ColumnBatch own, MemoryScope scope) {
    this.parts = parts;
    this.own = own;
    this.scope = scope;
  }

  /** Rows for a rank, in the memory of the device that they come from. */
  ColumnBatch part(int rank) {
    return parts.get(rank);
  }

  /** Whether {@link #staged} has the first rank's rows. */
  boolean onHost() {
    return onHost;
  }

  /** The same in host memory, where the rank does not reach them; else null. */
  @Nullable ColumnBatch staged(int rank) {
    return staged.get(rank);
  }

  /**
   * Rows for everybody, or for one.
   *
   * @param owned whether the rows' buffers are the shipment's from now on
   * @param only the rank that gets them; -1: all
   * @param onHost whether they go to the host too, for the first rank
   */
  static ExchangeBuffer whole(
      ExecContext context, ColumnBatch rows, boolean owned, int only, Rank rank, boolean onHost) {
    ColumnBatch none = none(rows.shapes());
    List<ColumnBatch> parts = new ArrayList<>();
    for (int i = 0; i < rank.devices().size(); i++) {
      parts.add(only < 0 || only == i ? rows : none);
    }
    MemoryScope scope = context.memory().scope();
    scope.end();
    ExchangeBuffer sent = new ExchangeBuffer(parts, owned ? rows : null, scope);
    sent.onHost = onHost;
    return sent.ready(context, rank);
  }

  /**
   * Rows by the hash of their keys.
   *
   * @param words the hashes; freed
   * @param owned whether the rows are freed
   */
  static ExchangeBuffer partitioned(
      ExecContext context, Buffer words, ColumnBatch rows, boolean owned, Rank rank) {
    MemoryScope scope = context.memory().scope();
    int ranks = rank.devices().size();
    int[] firsts = new int[ranks + 1];
    for (int i = 0; i <= ranks; i++) {
      firsts[i] = (i << BITS) / ranks;
    }
    ExchangeBuffer sent = partitioned(context, ORDER, firsts, words, -1, rows, scope);
    if (owned) {
      rows.columns().forEach(column -> Batches.free(context.memory(), column));
    }
    return sent.ready(context, rank);
  }

  /**
   * Rows by the ranges of their keys.
   *
   * @param key the column, of integers of which none is null
   * @param owned whether the rows are freed
   */
  static ExchangeBuffer ranged(
      ExecContext context, KeyRanges ranges, int key, ColumnBatch rows, boolean owned, Rank rank) {
    MemoryScope scope = context.memory().scope();
    int[] firsts = new int[ranges.devices() + 1];
    for (int i = 0; i < firsts.length; i++) {
      firsts[i] = ranges.first(i);
    }
    ColumnBatch plain = withPlain(context, rows, key);
    Buffer words = plain.column(key).values();
    ExchangeBuffer sent = partitioned(context, ranges.order(), firsts, words, key, plain, scope);
    if (owned) {
      rows.columns().forEach(column -> Batches.free(context.memory(), column));
    }
    return sent.ready(context, rank);
  }

  /** The rows with one column as values alone: none of it is null, but it may have a bitmap. */
  private static ColumnBatch withPlain(ExecContext context, ColumnBatch rows, int key) {
    Column column = rows.column(key);
    if (column.rowIds() != null) {
      column = context.gather().materialize(context, column, context.memory());
    }
    List<Column> columns = new ArrayList<>(rows.columns());
    columns.set(
        key,
        new Column(column.shape(), column.dataRows(), column.values(), Buffer.EMPTY, null, null));
    return new ColumnBatch(columns, rows.rows());
  }

  /**
   * @param firsts the first partition of each rank, and the number of all
   * @param key the column that the words are; -1: they are made and freed
   */
  private static ExchangeBuffer partitioned(
      ExecContext context,
      PartitionFunction order,
      int[] firsts,
      Buffer words,
      int key,
      ColumnBatch rows,
      MemoryScope scope) {
    QueryMemory memory = context.memory();
    int count = rows.rows();
    int wordBytes = key < 0 ? Long.BYTES : rows.column(key).shape().storage().width();
    Buffer outWords = memory.allocate((long) wordBytes * count);
    Buffer starts = memory.allocate((4L << BITS) + 4);
    List<MovedColumn> moved = new ArrayList<>();
    MovedColumn keys = new MovedColumn(words, outWords, wordBytes);
    for (int i = 0; i < rows.columns().size(); i++) {
      Column column = rows.column(i);
      if (i != key && MovedColumn.isPlain(column)) {
        int width = column.shape().storage().width();
        moved.add(new MovedColumn(column.values(), memory.allocate((long) width * count), width));
      }
    }
    Buffer numbers = Buffer.EMPTY;
    Buffer ids = Buffer.EMPTY;
    if (moved.size() + (key < 0 ? 0 : 1) < rows.columns().size()) {
      numbers = memory.allocate(4L * count);
      context.scan().iota(context, numbers, 0, count);
      ids = memory.allocate(4L * count);
      moved.add(new MovedColumn(numbers, ids, 4));
    }
    context
        .partition()
        .partitionRows(context, order, BITS, words, wordBytes, count, outWords, moved, starts);
    int[] begins = HostColumns.ints(context, starts, (1 << BITS) + 1);
    memory.free(numbers);
    if (key < 0) {
      memory.free(outWords);
      memory.free(words);
    } else {
      // In the place of its column among those that moved.
      moved.add(
          (int) rows.columns().subList(0, key).stream().filter(MovedColumn::isPlain).count(), keys);
    }
    List<ColumnBatch> parts = new ArrayList<>();
    for (int i = 0; i + 1 < firsts.length; i++) {
      int from = begins[firsts[i]];
      parts.add(part(context, rows, moved, ids, from, begins[firsts[i + 1]] - from));
    }
    memory.free(starts);
    scope.end();
    return new ExchangeBuffer(parts, null, scope);
  }

  private static ColumnBatch part(
      ExecContext context,
      ColumnBatch rows,
      List<MovedColumn> moved,
      Buffer ids,
      int from,
      int count) {
    List<Column> columns = new ArrayList<>();
    int next = 0;
    for (Column column : rows.columns()) {
      if (MovedColumn.isPlain(column)) {
        MovedColumn values = moved.get(next++);
        long width = values.width();
        Buffer some = values.out().slice(width * from, width * count);
        columns.add(new Column(column.shape(), count, some, Buffer.EMPTY, null, null));
      } else {
        RowIds mine = new RowIds(ids.slice(4L * from, 4L * count), count, false);
        columns.add(
            context.gather().materialize(context, column.withRowIds(mine), context.memory()));
      }
    }
    return new ColumnBatch(columns, count);
  }

  /** No rows. */
  private static ColumnBatch none(List<ColumnShape> shapes) {
    List<Column> columns = new ArrayList<>();
    for (ColumnShape shape : shapes) {
      columns.add(new Column(shape, 0, Buffer.EMPTY, Buffer.EMPTY, null, null));
    }
    return new ColumnBatch(columns, 0);
  }

  /**
   * Copies what somebody does not reach, and waits until all of it is there, as rows are that have
   * come to the host.
   */
  private ExchangeBuffer ready(ExecContext context, Rank rank) {
    List<Device> devices = rank.devices();
    Device here = devices.get(rank.index());
    MemoryScope host = context.hostMemory().scope();
    for (int i = 0; i < devices.size(); i++) {
      boolean needed =
          i == 0 && onHost
              || i != rank.index()
                  && parts.get(i).rows() > 0
                  && !devices.get(i).transfers().reaches(here);
      staged.add(needed ? HostColumns.toHost(context, parts.get(i), context.hostMemory()) : null);
    }
    host.end();
    hostScope = host;
    if (!onHost) {
      context.device().transfers().await(context);
    }
    return this;
  }

  /** Nobody reads it any more. */
  void free(ExecContext context) {
    if (own != null) {
      own.columns().forEach(column -> Batches.free(context.memory(), column));
    }
    scope.close();
    if (hostScope != null) {
      hostScope.close();
    }
  }
}
