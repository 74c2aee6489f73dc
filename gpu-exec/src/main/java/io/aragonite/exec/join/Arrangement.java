package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.Primitives.DirectRows;
import io.aragonite.exec.device.Primitives.Partitions;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.join.HashBuild.Keys;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Batches;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings the collected rows of both sides of a join into an order in which equal keys are near each
 * other on both: what Wu, Koutsoukos and Alonso call the transformation. All columns come along, so
 * that what is gathered later is gathered nearby (GFTR). Neither which rows there are nor what
 * belongs together changes, so that whatever joins the rows as they were joins them arranged.
 */
public final class Arrangement {
  /** The figure of joins that went on over a table: a word was there twice, or had no partner. */
  private static final String DIRECT_GIVEN_UP = "direct form given up";

  private Arrangement() {}

  /**
   * Both sides, arranged.
   *
   * @param keys the words of the build side's rows; null if they are to be made again, because rows
   *     with null keys are among them, or if nobody needs them
   * @param probe with one more column: what {@code found} or else the index over the build side's
   *     words is asked for
   * @param found what has been found for the probe side's rows, where partitions have been joined
   *     already; else null
   * @param fetched the build side's columns for the probe side's rows, each of which has a partner,
   *     where that is known already; then the join is done. Else null
   * @param parts partitions; 0 if rows are sorted
   */
  record Sides(
      ColumnBatch build,
      @Nullable Keys keys,
      ColumnBatch probe,
      KeyIndex.@Nullable Found found,
      @Nullable List<Column> fetched,
      int parts) {
    /** The shape of the probe side's last column. */
    ColumnShape ahead() {
      return probe.columns().getLast().shape();
    }
  }

  /** Rows and their words, in the same order. */
  private record Keyed(ColumnBatch rows, Buffer words) {
    void free(ExecContext context) {
      context.memory().free(words);
      rows.columns().forEach(column -> Batches.free(context.memory(), column));
    }
  }

  /**
   * Partitions both sides by the places of their words in a hash table over the build side, or so
   * finely that each partition has a table of its own, and then these find the probe side's
   * partners at once. The rows' own memory is freed.
   *
   * @param build makes the build side's words
   * @param fetches whether all that is wanted are the pairs of rows with equal words
   * @param roomy whether there is room for two more copies of the probe side
   */
  static Sides partition(
      ExecContext context,
      HashBuild build,
      ColumnBatch buildRows,
      CompiledProjection probeWords,
      ColumnBatch probeRows,
      boolean fetches,
      boolean roomy) {
    Primitives primitives = context.device().primitives();
    Prepared prepared = new Prepared(context, build, buildRows);
    Keyed left = prepared.keyed;
    Keyed right = new Keyed(probeRows, words(context, probeWords, probeRows));
    int count = left.rows.rows();
    WordOrder order = primitives.wordOrder(context, left.words, Long.BYTES, count);
    if (fetches
        && DirectJoin.looksLikeIt(
            context,
            order,
            count,
            left.rows.columns(),
            right.words,
            right.rows.rows(),
            Long.BYTES)) {
      return directly(context, prepared, order, left, right);
    }
    if (roomy && !prepared.remade) {
      int fine =
          JoinedPartitions.bits(
              context,
              order,
              left.words,
              Long.BYTES,
              new JoinedPartitions.Side(count, Long.BYTES + width(left.rows)),
              new JoinedPartitions.Side(right.rows.rows(), Long.BYTES + width(right.rows)),
              left.rows.columns().size());
      if (fine > 0) {
        WordOrder mixed = JoinedPartitions.mixed(order);
        Buffer ourStarts = context.memory().allocate((4L << fine) + 4);
        Buffer theirStarts = context.memory().allocate((4L << fine) + 4);
        left = partition(context, mixed, fine, left, ourStarts);
        right = partition(context, mixed, fine, right, theirStarts);
        Buffer found = context.memory().allocate(4L * right.rows.rows());
        int matches =
            primitives.joinPartitions(
                context,
                1 << fine,
                Long.BYTES,
                new Partitions(left.words, ourStarts),
                new Partitions(right.words, theirStarts),
                found,
                List.of());
        context.memory().free(ourStarts);
        context.memory().free(theirStarts);
        if (matches >= 0) {
          context.memory().free(left.words);
          context.memory().free(right.words);
          ColumnBatch ahead = with(right.rows, found, ROW);
          return new Sides(left.rows, null, ahead, new KeyIndex.Found(count), null, 1 << fine);
        }
        context.memory().free(found);
      }
    }
    int bits = RowPartition.bits(context.device(), order, count, width(left.rows));
    left = partition(context, order, bits, left, Buffer.EMPTY);
    right = partition(context, order, bits, right, Buffer.EMPTY);
    return prepared.sides(left, right, 1 << bits);
  }

  /** By payload that lies where the build side's words say, or else over one table. */
  private static Sides directly(
      ExecContext context, Prepared prepared, WordOrder order, Keyed build, Keyed probe) {
    QueryMemory memory = context.memory();
    List<Column> columns = build.rows.columns();
    int count = build.rows.rows();
    int probeCount = probe.rows.rows();
    int closer = DirectJoin.buildBits(context, order, columns);
    int bits = RowPartition.bits(context.device(), order, count, width(build.rows));
    Buffer starts = memory.allocate((4L << closer) + 4);
    Keyed left = partition(context, order, closer, build, starts);
    Partitions parts = new Partitions(left.words, starts);
    List<Column> own = left.rows.columns();
    DirectRows rows =
        DirectJoin.rows(context, order, parts, count, own, probe.words, probeCount, Long.BYTES);
    memory.free(starts);
    Keyed right = partition(context, order, bits, probe, Buffer.EMPTY);
    if (rows == null) {
      context.addFigure(DIRECT_GIVEN_UP, 1);
      return prepared.sides(left, right, 1 << bits);
    }
    int width = DirectJoin.width(own);
    List<Buffer> out = new ArrayList<>();
    try (rows) {
      List<Buffer> in = own.stream().map(Column::values).toList();
      rows.fill(context, left.words, Long.BYTES, count, in, width);
      own.forEach(column -> out.add(memory.allocate((long) width * probeCount)));
      if (rows.fetch(context, right.words, Long.BYTES, probeCount, out, width) < probeCount) {
        out.forEach(memory::free);
        context.addFigure(DIRECT_GIVEN_UP, 1);
        return prepared.sides(left, right, 1 << bits);
      }
    }
    left.free(context);
    memory.free(right.words);
    List<Column> fetched = new ArrayList<>();
    for (int c = 0; c < own.size(); c++) {
      fetched.add(new Column(own.get(c).shape(), probeCount, out.get(c), Buffer.EMPTY, null, null));
    }
    return new Sides(left.rows, null, right.rows, null, fetched, 1 << bits);
  }

  private static int width(ColumnBatch rows) {
    return rows.columns().stream().mapToInt(column -> column.shape().storage().width()).sum();
  }

  private static final ColumnShape ROW = ColumnShape.of(DataType.INT32);
  private static final ColumnShape WORD = ColumnShape.of(DataType.INT64);

  private static ColumnBatch with(ColumnBatch rows, Buffer values, ColumnShape shape) {
    List<Column> columns = new ArrayList<>(rows.columns());
    columns.add(new Column(shape, rows.rows(), values, Buffer.EMPTY, null, null));
    return new ColumnBatch(columns, rows.rows());
  }

  /** The build side with its words, before it is arranged. */
  private static final class Prepared {
    final Keyed keyed;

    /** Whether words are to be made again, of the rows whose keys are not null. */
    final boolean remade;

    private final ExecContext context;

    Prepared(ExecContext context, HashBuild build, ColumnBatch rows) {
      this.context = context;
      QueryMemory memory = context.memory();
      Keys keys = build.keys(context, rows);
      RowIds taking = keys.rows();
      remade = taking != null && build.wantsNullKeys();
      if (remade) {
        keys.free(memory);
        keyed = new Keyed(rows, words(context, build.words(), rows));
      } else if (taking != null) {
        // Rows that have no partner and do not come out by themselves stay behind.
        List<Column> some = new ArrayList<>();
        for (Column column : rows.columns()) {
          some.add(
              context
                  .device()
                  .primitives()
                  .materialize(context, column.withRowIds(taking), memory));
          Batches.free(memory, column);
        }
        memory.free(taking.ids());
        keyed = new Keyed(new ColumnBatch(some, keys.count()), keys.words());
      } else {
        keyed = new Keyed(rows, keys.words());
      }
    }

    Sides sides(Keyed left, Keyed right, int parts) {
      Keys keys = null;
      if (remade) {
        context.memory().free(left.words);
      } else {
        keys = new Keys(left.words, null, left.rows.rows());
      }
      return new Sides(left.rows, keys, with(right.rows, right.words, WORD), null, null, parts);
    }
  }

  /** Partitions; what the rows were is freed. */
  private static Keyed partition(
      ExecContext context, WordOrder order, int bits, Keyed keyed, Buffer outStarts) {
    ColumnBatch rows = keyed.rows;
    RowPartition parts =
        RowPartition.of(
            context, order, bits, keyed.words, Long.BYTES, rows.rows(), rows.columns(), false);
    keyed.free(context);
    if (outStarts.size() > 0) {
      Buffer starts = parts.partitions().starts();
      context.device().transfers().copy(context, starts, outStarts, (4L << bits) + 4);
    }
    return new Keyed(new ColumnBatch(parts.columns(), rows.rows()), parts.give());
  }

  /**
   * Partitions the words of both sides, as {@link #partition} does, with the rows' numbers. The
   * rows stay where they are.
   */
  static Unmoved partitionKeys(
      ExecContext context,
      HashBuild build,
      ColumnBatch buildRows,
      CompiledProjection probeWords,
      ColumnBatch probeRows) {
    Numbered left = Numbered.of(context, build.keys(context, buildRows));
    Numbered right = Numbered.of(context, words(context, probeWords, probeRows), probeRows.rows());
    WordOrder order =
        context.device().primitives().wordOrder(context, left.words, Long.BYTES, left.count);
    int bits = RowPartition.bits(context.device(), order, left.count, Integer.BYTES);
    return new Unmoved(
        left.partitioned(context, order, bits), right.partitioned(context, order, bits), 1 << bits);
  }

  /** Sorts the words of both sides with the rows' numbers. The rows stay where they are. */
  static Unmoved sortKeys(
      ExecContext context,
      HashBuild build,
      ColumnBatch buildRows,
      CompiledProjection probeWords,
      ColumnBatch probeRows) {
    Numbered left = Numbered.of(context, build.keys(context, buildRows));
    Numbered right = Numbered.of(context, words(context, probeWords, probeRows), probeRows.rows());
    return new Unmoved(left.sorted(context), right.sorted(context), 0);
  }

  /**
   * Words of both sides in an order, and the rows they belong to.
   *
   * @param parts partitions; 0 if they are sorted
   */
  record Unmoved(Numbered build, Numbered probe, int parts) {
    Keys keys() {
      return new Keys(build.words, new RowIds(build.ids, build.count, false), build.count);
    }

    /** Two columns: row numbers, and words. */
    ColumnBatch ahead() {
      Column ids = new Column(ROW, probe.count, probe.ids, Buffer.EMPTY, null, null);
      return with(new ColumnBatch(List.of(ids), probe.count), probe.words, WORD);
    }
  }

  /** Words with the numbers of their rows. */
  record Numbered(Buffer words, Buffer ids, int count) {
    static Numbered of(ExecContext context, Buffer words, int count) {
      Buffer ids = context.memory().allocate(4L * count);
      context.device().primitives().iota(context, ids, 0, count);
      return new Numbered(words, ids, count);
    }

    static Numbered of(ExecContext context, Keys keys) {
      RowIds rows = keys.rows();
      return rows == null
          ? of(context, keys.words(), keys.count())
          : new Numbered(keys.words(), rows.ids(), keys.count());
    }

    Numbered partitioned(ExecContext context, WordOrder order, int bits) {
      Column numbers = new Column(ROW, count, ids, Buffer.EMPTY, null, null);
      Keyed parts =
          partition(
              context,
              order,
              bits,
              new Keyed(new ColumnBatch(List.of(numbers), count), words),
              Buffer.EMPTY);
      return new Numbered(parts.words, parts.rows.column(0).values(), count);
    }

    Numbered sorted(ExecContext context) {
      Primitives primitives = context.device().primitives();
      if (!primitives.sorted(context, words, count)) {
        primitives.sortPairs(context, words, ids, count, 0, Long.SIZE);
      }
      return this;
    }
  }

  /** Sorts both sides by their words, where they are not already. The rows' memory is freed. */
  static Sides sort(
      ExecContext context,
      HashBuild build,
      ColumnBatch buildRows,
      CompiledProjection probeWords,
      ColumnBatch probeRows) {
    Prepared prepared = new Prepared(context, build, buildRows);
    return prepared.sides(
        sort(context, prepared.keyed),
        sort(context, new Keyed(probeRows, words(context, probeWords, probeRows))),
        0);
  }

  private static Keyed sort(ExecContext context, Keyed keyed) {
    Primitives primitives = context.device().primitives();
    QueryMemory memory = context.memory();
    int count = keyed.rows.rows();
    if (primitives.sorted(context, keyed.words, count)) {
      return keyed;
    }
    Buffer ids = memory.allocate(4L * count);
    primitives.iota(context, ids, 0, count);
    primitives.sortPairs(context, keyed.words, ids, count, 0, Long.SIZE);
    RowIds order = new RowIds(ids, count, false);
    List<Column> columns = new ArrayList<>();
    for (Column column : keyed.rows.columns()) {
      columns.add(primitives.materialize(context, column.withRowIds(order), memory));
      Batches.free(memory, column);
    }
    memory.free(ids);
    return new Keyed(new ColumnBatch(columns, count), keyed.words);
  }

  /** The words of all rows, none of which has an indirection. */
  public static Buffer words(ExecContext context, CompiledProjection projection, ColumnBatch rows) {
    int count = rows.rows();
    Buffer out = context.memory().allocate(8L * count);
    int piece = context.device().properties().batchRows();
    int pieces = (int) (((long) count + piece - 1) / piece);
    context
        .parallel()
        .forEach(
            pieces,
            (worker, i) -> {
              worker.checkCancelled();
              long mark = worker.scratch().mark();
              int from = i * piece;
              int some = Math.min(piece, count - from);
              ColumnBatch batch = Batches.slice(rows, from, some);
              Buffer words = projection.evaluate(worker, batch).column(0).values();
              Buffer place = out.slice(8L * from, 8L * some);
              worker.device().transfers().copy(worker, words, place, 8L * some);
              worker.scratch().release(mark);
            });
    return out;
  }
}
