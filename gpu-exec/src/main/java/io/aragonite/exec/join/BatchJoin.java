package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.Primitives.HashTable;
import io.aragonite.exec.device.Primitives.ProbeCursor;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Inner joins of two whole batches by one key of 4 or 8 bytes, with all of their output made at
 * once: the join algorithms as the papers measure them, in the phases that Wu, Koutsoukos and
 * Alonso (SIGMOD 2024) tell apart.
 */
public final class BatchJoin {
  /** What is joined how. */
  public enum Algorithm {
    /** One hash table over the build side; payload columns are gathered from where they are. */
    NPHJ,
    /**
     * Both sides are partitioned with all of their columns; payload is gathered from partitions.
     */
    PHJ,
    /** Keys and row ids are partitioned; payload is gathered from the unpartitioned inputs. */
    PHJ_UM
  }

  /** Where time goes. */
  public enum Phase {
    /** Partitioning; of a join that has none, building its table. */
    TRANSFORM,
    /** Finding the pairs of rows. */
    MATCH,
    /** Making the output's columns. */
    MATERIALIZE,
    /** What is not the join's: the consumer of its output. */
    OUTSIDE
  }

  /**
   * One side.
   *
   * @param key of INT or LONG storage, without nulls or indirection
   * @param payload columns without nulls or indirection
   */
  public record Side(Column key, List<Column> payload) {
    int rows() {
      return key.dataRows();
    }

    int wordBytes() {
      return key.shape().storage().width();
    }
  }

  private final ExecContext context;
  private final Primitives primitives;
  private final QueryMemory memory;
  private final Consumer<Phase> clock;
  private final Consumer<ColumnBatch> out;

  /**
   * @param clock told when a phase begins
   * @param out gets the output in pieces: the key, the build side's payload, the probe side's; a
   *     piece's memory is the join's again when it returns
   */
  public BatchJoin(ExecContext context, Consumer<Phase> clock, Consumer<ColumnBatch> out) {
    this.context = context;
    this.primitives = context.device().primitives();
    this.memory = context.memory();
    this.clock = clock;
    this.out = out;
  }

  /** Joins. */
  public void run(Algorithm algorithm, Side build, Side probe) {
    clock.accept(Phase.TRANSFORM);
    Buffer words = build.key().values();
    WordOrder order = primitives.wordOrder(context, words, build.wordBytes(), build.rows());
    if (algorithm == Algorithm.NPHJ) {
      HashTable table =
          primitives.hashBuild(
              context, words, build.wordBytes(), null, build.rows(), order, memory);
      try (table) {
        match(table, build, probe, null, null, false);
      }
      return;
    }
    boolean carry = algorithm == Algorithm.PHJ;
    int bits = RowPartition.bits(context.device(), order, build.rows(), carry ? width(build) : 4);
    try (RowPartition left = partition(order, bits, build, carry);
        RowPartition right = partition(order, bits, probe, carry)) {
      clock.accept(Phase.MATCH);
      HashTable table =
          primitives.hashBuild(
              context, left.words(), build.wordBytes(), null, build.rows(), order, memory);
      try (table) {
        left.freeWords();
        Side newBuild = carry ? new Side(build.key(), left.columns()) : build;
        Column key = right.withWords(probe.key());
        Side newProbe = carry ? new Side(key, right.columns()) : new Side(key, probe.payload());
        match(table, newBuild, newProbe, left.ids(), right.ids(), true);
      }
    }
  }

  private RowPartition partition(WordOrder order, int bits, Side side, boolean carry) {
    return RowPartition.of(
        context,
        order,
        bits,
        side.key().values(),
        side.wordBytes(),
        side.rows(),
        carry ? side.payload() : List.of(),
        !carry);
  }

  private static int width(Side side) {
    return side.payload().stream().mapToInt(c -> c.shape().storage().width()).sum();
  }

  /**
   * @param buildIds the rows of {@code build}'s payload by the table's rows; null: the same
   * @param own whether the probe side's columns are this join's own, to be output as they are
   */
  private void match(
      HashTable table,
      Side build,
      Side probe,
      @Nullable Buffer buildIds,
      @Nullable Buffer probeIds,
      boolean own) {
    int rows = probe.rows();
    int capacity = Math.max(rows, 1 << 16);
    clock.accept(Phase.MATCH);
    Buffer left = memory.allocate(4L * capacity);
    Buffer right = memory.allocate(4L * capacity);
    try (ProbeCursor cursor = new ProbeCursor()) {
      while (!cursor.done) {
        context.checkCancelled();
        clock.accept(Phase.MATCH);
        int pairs =
            primitives.hashProbe(
                context,
                table,
                probe.key().values(),
                probe.wordBytes(),
                rows,
                cursor,
                right,
                left,
                capacity);
        clock.accept(Phase.MATERIALIZE);
        boolean all = pairs == rows && table.unique();
        RowIds matched = new RowIds(left, pairs, false);
        RowIds matching = new RowIds(right, pairs, false);
        List<Buffer> made = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        // The key comes from the probe side, whose words are in the order of the pairs.
        add(probe.key(), all ? null : matching, own, columns, made);
        RowIds rowIds = through(buildIds, matched);
        build.payload().forEach(c -> add(c, rowIds, false, columns, made));
        RowIds probeRows = all && probeIds == null ? null : through(probeIds, matching);
        probe.payload().forEach(c -> add(c, probeRows, own, columns, made));
        clock.accept(Phase.OUTSIDE);
        out.accept(new ColumnBatch(columns, pairs));
        made.forEach(memory::free);
      }
    } finally {
      memory.free(left);
      memory.free(right);
    }
  }

  /** Row ids of an input by those of its partitions, in place. */
  private RowIds through(@Nullable Buffer ids, RowIds positions) {
    if (ids == null) {
      return positions;
    }
    Buffer composed = memory.allocate(4L * positions.count());
    primitives.gatherIds(context, ids, positions.ids(), positions.count(), composed);
    context.device().transfers().copy(context, composed, positions.ids(), 4L * positions.count());
    memory.free(composed);
    return positions;
  }

  private void add(
      Column column,
      @Nullable RowIds rowIds,
      boolean own,
      List<Column> columns,
      List<Buffer> made) {
    if (own && rowIds == null) {
      columns.add(column);
      return;
    }
    Column result = primitives.materialize(context, column.withRowIds(rowIds), memory);
    columns.add(result);
    made.add(result.values());
  }
}
