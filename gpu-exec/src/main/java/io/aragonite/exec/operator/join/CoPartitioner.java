package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.join.HashBuild.KeyWords;
import io.aragonite.exec.operator.join.PartitionedHashJoin.JoinInput;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings the collected rows of both sides of a join into an order in which equal keys are near each
 * other on both: what Wu, Koutsoukos and Alonso call the transformation. All columns come along, so
 * that what is gathered later is gathered nearby (GFTR). Neither which rows there are nor what
 * belongs together changes, so that whatever joins the rows as they were joins them arranged.
 */
public final class CoPartitioner {
  private CoPartitioner() {}

  /**
   * Both sides, arranged.
   *
   * @param keys the words of the build side's rows; null if they are to be made again, because rows
   *     with null keys are among them, or if nobody needs them
   * @param buildOwned whether the build side's memory is the join's; not if it lies in order and
   *     belongs to somebody else
   * @param probe with one more column, if {@code ahead}: what {@code found} or else the index over
   *     the build side's words is asked for. If not, a column of its own is its words
   * @param probeOwned as {@code buildOwned}; the one more column is the join's in any case
   * @param found what has been found for the probe side's rows, where partitions have been joined
   *     already; else null
   * @param parts partitions; 0 if rows are sorted
   */
  record Sides(
      ColumnBatch build,
      boolean buildOwned,
      @Nullable KeyWords keys,
      ColumnBatch probe,
      boolean probeOwned,
      boolean ahead,
      KeyIndex.@Nullable MatchedRows found,
      int parts) {
    /** The shapes of the probe side's columns and of the one more, if there is one. */
    List<ColumnShape> shapes(List<ColumnShape> own) {
      return ahead ? JoinSpec.concat(own, List.of(probe.columns().getLast().shape())) : own;
    }
  }

  /**
   * Partitions both sides by the places of their words in a hash table over the build side, or so
   * finely that each partition has a table of its own, and then these find the probe side's
   * partners at once. The rows' own memory is freed.
   *
   * @param build makes the build side's words
   * @param owned whether the rows' memory is to be freed: of the build side, and of the probe side
   * @param roomy whether there is room for two more copies of the probe side
   */
  static Sides partition(
      ExecContext context,
      HashBuild build,
      ColumnBatch buildRows,
      JoinKeyEncoder probeWords,
      ColumnBatch probeRows,
      boolean[] owned,
      boolean roomy) {
    Prepared prepared = new Prepared(context, build, buildRows, owned[0]);
    KeyedRows left = prepared.keyed;
    KeyedRows right = KeyedRows.of(context, probeRows, probeWords, owned[1]);
    JoinInput input = left.input();
    PartitionFunction order = PartitionPlan.order(context, input);
    List<Column> gathered = left.rows().columns();
    PartitionPlan fine =
        roomy && !prepared.remade
            ? PartitionPlan.ownTables(context, order, input, right.input(), gathered)
            : null;
    if (fine != null) {
      RowPartition ours = fine.partition(context, input);
      left.free(context.memory());
      RowPartition theirs = fine.partition(context, right.input());
      right.free(context.memory());
      int rows = right.rows().rows();
      PartitionPlan.FoundPartners found = fine.partners(context, left.bytes(), ours, theirs, rows);
      left = left.in(ours);
      right = right.in(theirs);
      if (found != null) {
        left.freeWords(context.memory());
        right.freeWords(context.memory());
        ColumnBatch ahead = with(right.rows(), found.rows(), ROW);
        KeyIndex.MatchedRows matched = new KeyIndex.MatchedRows(left.rows().rows());
        return new Sides(left.rows(), true, null, ahead, true, true, matched, fine.parts());
      }
    }
    PartitionPlan plan = PartitionPlan.oneTable(context, order, left.rows().rows(), gathered);
    return prepared.sides(
        left.partitioned(context, plan), right.partitioned(context, plan), plan.parts());
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
    final KeyedRows keyed;

    /** Whether words are to be made again, of the rows whose keys are not null. */
    final boolean remade;

    private final ExecContext context;

    Prepared(ExecContext context, HashBuild build, ColumnBatch rows, boolean owned) {
      this.context = context;
      QueryMemory memory = context.memory();
      KeyWords keys = build.keys(context, rows);
      RowIds taking = keys.rows();
      remade = taking != null && build.wantsNullKeys();
      if (remade) {
        keys.free(memory);
        keyed = KeyedRows.of(context, rows, build.words(), owned);
      } else if (taking != null) {
        // Rows that have no partner and do not come out by themselves stay behind.
        List<Column> some = new ArrayList<>();
        for (Column column : rows.columns()) {
          some.add(context.gather().materialize(context, column.withRowIds(taking), memory));
          if (owned) {
            Batches.free(memory, column);
          }
        }
        memory.free(taking.ids());
        ColumnBatch taken = new ColumnBatch(some, keys.count());
        keyed = new KeyedRows(taken, keys.words(), keys.bytes(), -1, true);
      } else {
        keyed = new KeyedRows(rows, keys.words(), keys.bytes(), build.words().column(), owned);
      }
    }

    Sides sides(KeyedRows left, KeyedRows right, int parts) {
      KeyWords keys = null;
      if (remade) {
        context.memory().free(left.words());
      } else {
        boolean computed = left.column() < 0;
        keys = new KeyWords(left.words(), left.bytes(), computed, null, left.rows().rows());
      }
      boolean ahead = right.column() < 0;
      ColumnBatch probe = ahead ? with(right.rows(), right.words(), WORD) : right.rows();
      return new Sides(left.rows(), left.owned(), keys, probe, right.owned(), ahead, null, parts);
    }
  }

  /**
   * Partitions the words of both sides, which are computed ones, as {@link #partition} does, with
   * the rows' numbers. The rows stay where they are.
   */
  static RowIdInputs partitionKeys(
      ExecContext context,
      HashBuild build,
      ColumnBatch buildRows,
      JoinKeyEncoder probeWords,
      ColumnBatch probeRows) {
    NumberedWords left = NumberedWords.of(context, build.keys(context, buildRows));
    NumberedWords right =
        NumberedWords.of(context, probeWords.ofAll(context, probeRows), probeRows.rows());
    PartitionFunction order =
        context.partition().partitionFunction(context, left.words, Long.BYTES, left.count);
    PartitionPlan plan = PartitionPlan.oneTable(context, order, left.count, List.of(left.column()));
    return new RowIdInputs(
        left.partitioned(context, plan), right.partitioned(context, plan), plan.parts());
  }

  /**
   * Sorts the words of both sides, which are computed ones, with the rows' numbers. The rows stay
   * where they are.
   */
  static RowIdInputs sortKeys(
      ExecContext context,
      HashBuild build,
      ColumnBatch buildRows,
      JoinKeyEncoder probeWords,
      ColumnBatch probeRows) {
    NumberedWords left = NumberedWords.of(context, build.keys(context, buildRows));
    NumberedWords right =
        NumberedWords.of(context, probeWords.ofAll(context, probeRows), probeRows.rows());
    return new RowIdInputs(left.sorted(context), right.sorted(context), 0);
  }

  /**
   * Words of both sides in an order, and the rows they belong to.
   *
   * @param parts partitions; 0 if they are sorted
   */
  record RowIdInputs(NumberedWords build, NumberedWords probe, int parts) {
    KeyWords keys() {
      RowIds ids = new RowIds(build.ids, build.count, false);
      return new KeyWords(build.words, Long.BYTES, true, ids, build.count);
    }

    /** Two columns: row numbers, and words. */
    ColumnBatch ahead() {
      return with(new ColumnBatch(List.of(probe.column()), probe.count), probe.words, WORD);
    }
  }

  /** Words of 8 bytes with the numbers of their rows. */
  record NumberedWords(Buffer words, Buffer ids, int count) {
    static NumberedWords of(ExecContext context, Buffer words, int count) {
      Buffer ids = context.memory().allocate(4L * count);
      context.scan().iota(context, ids, 0, count);
      return new NumberedWords(words, ids, count);
    }

    static NumberedWords of(ExecContext context, KeyWords keys) {
      RowIds rows = keys.rows();
      return rows == null
          ? of(context, keys.words(), keys.count())
          : new NumberedWords(keys.words(), rows.ids(), keys.count());
    }

    /** The numbers as a column. */
    Column column() {
      return new Column(ROW, count, ids, Buffer.EMPTY, null, null);
    }

    NumberedWords partitioned(ExecContext context, PartitionPlan plan) {
      ColumnBatch numbers = new ColumnBatch(List.of(column()), count);
      KeyedRows parts =
          new KeyedRows(numbers, words, Long.BYTES, -1, true).partitioned(context, plan);
      return new NumberedWords(parts.words(), parts.rows().column(0).values(), count);
    }

    NumberedWords sorted(ExecContext context) {
      if (!context.sort().sorted(context, words, count)) {
        context.sort().sortPairs(context, words, ids, count, 0, Long.SIZE);
      }
      return this;
    }
  }

  /**
   * Sorts both sides by their words, which are computed ones. A side that is in order stays where
   * it is.
   *
   * @param owned whether the memory of rows that move is to be freed: of the build side, and of the
   *     probe side
   */
  static Sides sort(
      ExecContext context,
      HashBuild build,
      ColumnBatch buildRows,
      JoinKeyEncoder probeWords,
      ColumnBatch probeRows,
      boolean[] owned) {
    Prepared prepared = new Prepared(context, build, buildRows, owned[0]);
    return prepared.sides(
        sort(context, prepared.keyed),
        sort(context, KeyedRows.of(context, probeRows, probeWords, owned[1])),
        0);
  }

  private static KeyedRows sort(ExecContext context, KeyedRows keyed) {
    QueryMemory memory = context.memory();
    int count = keyed.rows().rows();
    if (context.sort().sorted(context, keyed.words(), count)) {
      return keyed;
    }
    Buffer ids = memory.allocate(4L * count);
    context.scan().iota(context, ids, 0, count);
    context.sort().sortPairs(context, keyed.words(), ids, count, 0, Long.SIZE);
    RowIds order = new RowIds(ids, count, false);
    List<Column> columns = new ArrayList<>();
    for (Column column : keyed.rows().columns()) {
      columns.add(context.gather().materialize(context, column.withRowIds(order), memory));
      if (keyed.owned()) {
        Batches.free(memory, column);
      }
    }
    memory.free(ids);
    return new KeyedRows(new ColumnBatch(columns, count), keyed.words(), Long.BYTES, -1, true);
  }
}
