package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PerfectHashTable;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The partitioned hash join with materialization of transformed rows (GFTR) for whole sides in a
 * device's memory: both are partitioned with all of their columns, pairs are found by a table over
 * the build side, by tables of partitions, or where unique dense keys say, and payload is gathered
 * from partitions (Wu, Koutsoukos and Alonso, SIGMOD 2024, sections 3 and 4: PHJ-OM).
 *
 * <p>{@link #start} does what is done once; {@link #finish} hands out a part of the output, by any
 * worker.
 */
final class PartitionedHashJoin {
  /**
   * One side.
   *
   * @param key of INT or LONG storage, without nulls or indirection
   * @param payload columns without nulls or indirection
   */
  record JoinInput(Column key, List<Column> payload) {
    int rows() {
      return key.dataRows();
    }

    int wordBytes() {
      return key.shape().storage().width();
    }

    /** Bytes that move with a row, its word included. */
    int rowBytes() {
      return wordBytes() + width(payload);
    }

    /**
     * Some of its rows, from a multiple of 64 on; payload stays where it is if it has not moved.
     */
    JoinInput slice(int from, int count) {
      if (from == 0 && count == rows()) {
        return this;
      }
      List<Column> some = new ArrayList<>();
      payload.forEach(column -> some.add(column.slice(from, count)));
      return new JoinInput(key.slice(from, count), some);
    }
  }

  /** Partitions that are joined first, to guess whether all rows have a partner. */
  private static final int SAMPLED_PARTS = 64;

  /** Rows that are looked at to guess whether all have a partner. */
  static final int SAMPLE = 1 << 16;

  /** The figure of joins that went on over a table: a word was there twice, or had no partner. */
  static final String DIRECT_GIVEN_UP = "perfect hash join given up";

  private final ExecContext context;
  private final QueryMemory memory;
  private final PairConsumer out;

  /** Gets output in pieces: the key, the build side's payload, the probe side's. */
  interface PairConsumer {
    /** Takes a piece, whose memory is the join's again when this returns. */
    void accept(ColumnBatch piece);

    /** Whether no more is wanted. */
    default boolean done() {
      return false;
    }
  }

  /**
   * @param out gets pieces of the device's batch size at most, which are seen through row ids
   */
  PartitionedHashJoin(ExecContext context, PairConsumer out) {
    this.context = context;
    this.memory = context.memory();
    this.out = out;
  }

  /**
   * Arranges both sides by partitions, and does what can be done at once.
   *
   * @param order of the build side's words
   * @param roomy whether there is room for a copy more of both sides
   */
  JoinState start(PartitionFunction order, JoinInput build, JoinInput probe, boolean roomy) {
    if (probe.rows() > 0
        && PerfectHashJoin.looksLikeIt(context, order, build.rows(), build.payload(), probe.rows())
        && PerfectHashJoin.within(context, order, probe.key())) {
      return directly(order, build, probe);
    }
    PartitionPlan fine =
        roomy ? PartitionPlan.ownTables(context, order, build, probe, build.payload()) : null;
    JoinState joined = fine == null ? null : joinPartitions(fine, build, probe);
    if (joined != null) {
      return joined;
    }
    PartitionPlan plan = oneTable(order, build);
    return overTable(plan, plan.partition(context, build), build, probe);
  }

  private PartitionPlan oneTable(PartitionFunction order, JoinInput build) {
    return PartitionPlan.oneTable(context, order, build.rows(), build.payload());
  }

  /** Joins partitions by one table over all of them. */
  private JoinState overTable(
      PartitionPlan plan, RowPartition left, JoinInput build, JoinInput probe) {
    RowPartition right = plan.partition(context, probe);
    return overTable(plan, left, right, build, probe, () -> {});
  }

  /**
   * @param arrives called before anything of the probe side is looked at
   */
  JoinState overTable(
      PartitionPlan plan,
      RowPartition left,
      RowPartition right,
      JoinInput build,
      JoinInput probe,
      Runnable arrives) {
    int wordBytes = build.wordBytes();
    HashTable table =
        context
            .hash()
            .build(context, left.words(), wordBytes, null, build.rows(), plan.order(), memory);
    left.freeWords();
    arrives.run();
    JoinInput newBuild = new JoinInput(build.key(), left.columns());
    Column key = right.withWords(probe.key());
    JoinInput newProbe = new JoinInput(key, right.columns());
    ColumnBatch whole = fetched(table, newBuild, newProbe);
    if (whole != null) {
      table.close();
      left.close();
      right.give();
      return new JoinState(plan.parts(), 1, new JoinState.JoinedOutput(memory, whole));
    }
    Runnable freeSides =
        () -> {
          left.close();
          right.close();
        };
    return new JoinState(
        plan.parts(), 1, new JoinState.TableProbe(table, newBuild, newProbe, freeSides));
  }

  /** Joins by payload that lies where the build side's words say, or over a table after all. */
  private JoinState directly(PartitionFunction order, JoinInput build, JoinInput probe) {
    int closer = PerfectHashJoin.buildBits(context, order, build.payload());
    PartitionPlan plan = oneTable(order, build);
    RowPartition left = new PartitionPlan(order, closer, false).partition(context, build);
    PerfectHashTable rows =
        PerfectHashJoin.rows(
            context, order, closer, left.partitions(), build.rows(), build.payload(), probe.key());
    if (rows == null) {
      context.addFigure(DIRECT_GIVEN_UP, 1);
      return overTable(plan, left, build, probe);
    }
    int width = PerfectHashJoin.width(build.payload());
    try (rows) {
      List<Buffer> in = left.columns().stream().map(Column::values).toList();
      rows.fill(context, left.words(), build.wordBytes(), build.rows(), in, width);
      // Payload is there twice: the probe side has the room of one of them.
      left.close();
      RowPartition right = plan.partition(context, probe);
      List<MovedColumn> moved = new ArrayList<>();
      List<Column> columns = fetching(build.payload(), probe.rows(), moved);
      Column key = right.withWords(probe.key());
      List<Buffer> to = moved.stream().map(MovedColumn::out).toList();
      if (rows.fetch(context, key.values(), probe.wordBytes(), probe.rows(), to, width)
          == probe.rows()) {
        return new JoinState(plan.parts(), 0, whole(key, columns, right));
      }
      columns.forEach(column -> memory.free(column.values()));
      right.close();
    }
    context.addFigure(DIRECT_GIVEN_UP, 1);
    return overTable(plan, plan.partition(context, build), build, probe);
  }

  /** The output where each row of the probe side has one partner; the partition is used up. */
  JoinState.JoinedOutput whole(Column key, List<Column> fetched, RowPartition right) {
    List<Column> columns = new ArrayList<>();
    columns.add(key);
    columns.addAll(fetched);
    columns.addAll(right.columns());
    right.give();
    return new JoinState.JoinedOutput(memory, new ColumnBatch(columns, key.dataRows()));
  }

  /**
   * Joins partitions that have tables of their own.
   *
   * @return null if this cannot be done after all
   */
  private @Nullable JoinState joinPartitions(PartitionPlan plan, JoinInput build, JoinInput probe) {
    int width = build.wordBytes();
    int rows = probe.rows();
    int parts = plan.parts();
    RowPartition left = plan.partition(context, build);
    RowPartition right = plan.partition(context, probe);
    int some = Math.min(parts, SAMPLED_PARTS);
    int matching = plan.fetch(context, some, width, left, right, List.of());
    Buffer starts = right.partitions().starts();
    int sampled = context.device().transfers().readInt(context, starts, 4L * some);
    Column key = right.withWords(probe.key());
    if (matching == sampled && left.columns().stream().allMatch(RowPartition::moves)) {
      // It seems that all have a partner: their payload is fetched as they are found.
      List<MovedColumn> moved = new ArrayList<>();
      List<Column> columns = fetching(left.columns(), rows, moved);
      matching = plan.fetch(context, parts, width, left, right, moved);
      if (matching == rows) {
        left.close();
        return new JoinState(parts, plan.tables(), whole(key, columns, right));
      }
      columns.forEach(column -> memory.free(column.values()));
    }
    PartitionPlan.FoundPartners found =
        matching < 0 ? null : plan.partners(context, width, left, right, rows);
    if (found == null) {
      left.close();
      right.close();
      return null;
    }
    left.freeWords();
    int pairs = found.pairs();
    Buffer matched = memory.allocate(4L * rows);
    context.scan().selectIds(context, found.rows(), rows, true, matched);
    Buffer partners = memory.allocate(4L * pairs);
    context.gather().gatherIds(context, found.rows(), matched, pairs, partners);
    memory.free(found.rows());
    JoinInput newBuild = new JoinInput(build.key(), left.columns());
    JoinInput newProbe = new JoinInput(key, right.columns());
    return new JoinState(
        parts,
        plan.tables(),
        new JoinState.PartitionMatches(
            memory, left, right, newBuild, newProbe, matched, partners, pairs));
  }

  /**
   * Outputs a part of what a join that has begun yields.
   *
   * @param from the first of {@link RemainingJoin#rows}, a multiple of 64
   * @param count how many
   */
  void finish(JoinState begun, int from, int count) {
    switch (begun.rest()) {
      case JoinState.JoinedOutput all -> {
        out.accept(Batches.slice(all.pairs(), from, count));
      }
      case JoinState.TableProbe t -> {
        JoinInput probe = t.probe().slice(from, count);
        match(t.table(), t.build(), probe);
      }
      case JoinState.PartitionMatches found -> {
        int most = context.device().properties().batchRows();
        for (int at = from; at < from + count && !out.done(); at += most) {
          int piece = Math.min(most, from + count - at);
          RowIds matched = some(found.matched(), at, piece);
          RowIds partners = some(found.partners(), at, piece);
          emit(found.build(), found.probe(), partners, matched);
        }
      }
    }
  }

  private static RowIds some(Buffer ids, int from, int count) {
    return new RowIds(ids.slice(4L * from, 4L * count), count, false);
  }

  /** Room for columns of {@code rows} rows that are fetched from others. */
  List<Column> fetching(List<Column> from, int rows, List<MovedColumn> moved) {
    List<Column> columns = new ArrayList<>();
    for (Column column : from) {
      int bytes = column.shape().storage().width();
      Buffer values = memory.allocate((long) bytes * rows);
      moved.add(new MovedColumn(column.values(), values, bytes));
      columns.add(new Column(column.shape(), rows, values, Buffer.EMPTY, null, null));
    }
    return columns;
  }

  /** Bytes of a row of columns. */
  static int width(List<Column> columns) {
    return columns.stream().mapToInt(column -> column.shape().storage().width()).sum();
  }

  private void match(HashTable table, JoinInput build, JoinInput probe) {
    int rows = probe.rows();
    int batchRows = context.device().properties().batchRows();
    int capacity = (int) Math.clamp((long) rows * table.maxMultiplicity(), 1, batchRows);
    Buffer left = memory.allocate(4L * capacity);
    Buffer right = memory.allocate(4L * capacity);
    try (ProbeCursor cursor = new ProbeCursor()) {
      while (!cursor.done && !out.done()) {
        context.checkCancelled();
        ProbeWords words = new ProbeWords(probe.key().values(), probe.wordBytes(), rows);
        int pairs = table.probe(context, words, cursor, right, left, capacity);
        boolean all = pairs == rows && table.unique();
        RowIds matching = all ? null : new RowIds(right, pairs, false);
        emit(build, probe, new RowIds(left, pairs, false), matching);
      }
    } finally {
      memory.free(left);
      memory.free(right);
    }
  }

  /**
   * Where all rows of the probe side have one partner, as foreign keys do: fetches the build side's
   * payload as it is found, without row ids between. A sample says whether to try. Only of
   * partitions, whose payload lies close together: elsewhere two passes are quicker.
   *
   * @return the output; null if a row has no partner after all, or if this cannot be done
   */
  private @Nullable ColumnBatch fetched(HashTable table, JoinInput build, JoinInput probe) {
    int rows = probe.rows();
    int sample = Math.min(rows, SAMPLE);
    if (sample == 0 || !table.unique() || !build.payload().stream().allMatch(RowPartition::moves)) {
      return null;
    }
    int width = probe.wordBytes();
    Buffer words = probe.key().values();
    Buffer some = words.slice((long) (rows - sample) / 2 * width, (long) sample * width);
    if (table.fetch(context, some, width, sample, List.of()) < sample) {
      return null;
    }
    List<MovedColumn> moved = new ArrayList<>();
    List<Column> columns = fetching(build.payload(), rows, moved);
    if (table.fetch(context, words, width, rows, moved) < rows) {
      columns.forEach(column -> memory.free(column.values()));
      return null;
    }
    columns.addFirst(probe.key());
    columns.addAll(probe.payload());
    return new ColumnBatch(columns, rows);
  }

  /**
   * Hands out joined rows.
   *
   * @param buildRows rows of the build side's payload
   * @param probeRows of the probe side's; null: all
   */
  private void emit(
      JoinInput build, JoinInput probe, RowIds buildRows, @Nullable RowIds probeRows) {
    List<Column> columns = new ArrayList<>();
    columns.add(probe.key().withRowIds(probeRows));
    build.payload().forEach(column -> columns.add(column.withRowIds(buildRows)));
    probe.payload().forEach(column -> columns.add(column.withRowIds(probeRows)));
    out.accept(new ColumnBatch(columns, buildRows.count()));
  }
}
