package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.DirectRows;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
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
    PHJ_UM,
    /** Keys and row ids are sorted; payload is gathered from the unsorted inputs. */
    SMJ
  }

  /** Where time goes. */
  public enum Phase {
    /** Partitioning; of a join that has none, building its table. */
    TRANSFORM,
    /** Finding the pairs of rows; where all have one partner, the build side's payload as well. */
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

    /**
     * Some of its rows, from a multiple of 64 on; payload stays where it is if it has not moved.
     */
    Side slice(int from, int count) {
      if (from == 0 && count == rows()) {
        return this;
      }
      List<Column> some = new ArrayList<>();
      payload.forEach(column -> some.add(column.slice(from, count)));
      return new Side(key.slice(from, count), some);
    }
  }

  /** Partitions that are joined first, to guess whether all rows have a partner. */
  private static final int SAMPLED_PARTS = 64;

  /** Pairs that come out at once at most, if both sides have fewer rows. */
  private static final int LARGEST_PIECE = 1 << 24;

  /** Rows that are looked at to guess whether all have a partner. */
  static final int SAMPLE = 1 << 16;

  /** The figure of joins that went on over a table: a word was there twice, or had no partner. */
  static final String DIRECT_GIVEN_UP = "direct form given up";

  private final ExecContext context;
  private final QueryMemory memory;
  private final Consumer<Phase> clock;
  private final Output out;

  /** Whether output is seen through row ids where it can be, in place of being copied. */
  private final boolean lazily;

  /** Gets output in pieces: the key, the build side's payload, the probe side's. */
  interface Output {
    /** Takes a piece, whose memory is the join's again when this returns. */
    void accept(ColumnBatch piece);

    /** Whether no more is wanted. */
    default boolean done() {
      return false;
    }
  }

  /**
   * @param clock told when a phase begins
   * @param out gets the output in pieces: the key, the build side's payload, the probe side's; a
   *     piece's memory is the join's again when it returns
   */
  public BatchJoin(ExecContext context, Consumer<Phase> clock, Consumer<ColumnBatch> out) {
    this(context, clock, out::accept, false);
  }

  /** A join as a part of a query, which gets pieces of the device's batch size at most. */
  BatchJoin(ExecContext context, Output out) {
    this(context, phase -> {}, out, true);
  }

  private BatchJoin(ExecContext context, Consumer<Phase> clock, Output out, boolean lazily) {
    this.context = context;
    this.memory = context.memory();
    this.clock = clock;
    this.out = out;
    this.lazily = lazily;
  }

  /** Joins. */
  public void run(Algorithm algorithm, Side build, Side probe) {
    if (algorithm == Algorithm.PHJ || algorithm == Algorithm.PHJ_UM) {
      try (JoinState begun = start(build, probe, algorithm == Algorithm.PHJ, true)) {
        finish(begun);
      }
      return;
    }
    clock.accept(Phase.TRANSFORM);
    if (algorithm == Algorithm.SMJ) {
      try (SortedKeys left = new SortedKeys(build);
          SortedKeys right = new SortedKeys(probe)) {
        merge(left, build, right, probe);
      }
      return;
    }
    Buffer words = build.key().values();
    PartitionFunction order =
        context.partition().partitionFunction(context, words, build.wordBytes(), build.rows());
    HashTable table =
        context.hash().build(context, words, build.wordBytes(), null, build.rows(), order, memory);
    try (table) {
      match(table, build, probe, null, null, false);
    }
  }

  /**
   * Arranges both sides by partitions, and does what can be done at once.
   *
   * @param carry whether payload is moved with the keys
   * @param roomy whether there is room for a copy more of both sides
   */
  JoinState start(Side build, Side probe, boolean carry, boolean roomy) {
    clock.accept(Phase.TRANSFORM);
    Buffer words = build.key().values();
    int wordBytes = build.wordBytes();
    PartitionFunction order =
        context.partition().partitionFunction(context, words, wordBytes, build.rows());
    if (carry
        && probe.rows() > 0
        && PerfectHashJoin.looksLikeIt(context, order, build.rows(), build.payload(), probe.rows())
        && PerfectHashJoin.within(context, order, probe.key())) {
      return directly(order, build, probe);
    }
    int fine =
        carry && roomy
            ? PerPartitionTablePolicy.bits(
                context, order, words, wordBytes, size(build), size(probe), build.payload().size())
            : 0;
    JoinState joined =
        fine > 0 ? joinPartitions(PerPartitionTablePolicy.mixed(order), fine, build, probe) : null;
    if (joined != null) {
      return joined;
    }
    int bits = RowPartition.bits(context.device(), order, build.rows(), carry ? width(build) : 4);
    return overTable(order, bits, partition(order, bits, build, carry), build, probe, carry);
  }

  /** Joins partitions by one table over all of them. */
  private JoinState overTable(
      PartitionFunction order, int bits, RowPartition left, Side build, Side probe, boolean carry) {
    RowPartition right = partition(order, bits, probe, carry);
    return overTable(order, bits, left, right, build, probe, carry, () -> {});
  }

  /**
   * @param arrives called before anything of the probe side is looked at
   */
  JoinState overTable(
      PartitionFunction order,
      int bits,
      RowPartition left,
      RowPartition right,
      Side build,
      Side probe,
      boolean carry,
      Runnable arrives) {
    clock.accept(Phase.MATCH);
    int wordBytes = build.wordBytes();
    HashTable table =
        context.hash().build(context, left.words(), wordBytes, null, build.rows(), order, memory);
    left.freeWords();
    arrives.run();
    Side newBuild = carry ? new Side(build.key(), left.columns()) : build;
    Column key = right.withWords(probe.key());
    Side newProbe = carry ? new Side(key, right.columns()) : new Side(key, probe.payload());
    ColumnBatch whole = carry ? fetched(table, newBuild, newProbe) : null;
    if (whole != null) {
      table.close();
      left.close();
      right.give();
      return new JoinState(1 << bits, 1, new JoinState.Whole(memory, whole));
    }
    return new JoinState(
        1 << bits, 1, new JoinState.OverTable(table, left, right, newBuild, newProbe));
  }

  /** Joins by payload that lies where the build side's words say, or over a table after all. */
  private JoinState directly(PartitionFunction order, Side build, Side probe) {
    int closer = PerfectHashJoin.buildBits(context, order, build.payload());
    int bits = RowPartition.bits(context.device(), order, build.rows(), width(build));
    RowPartition left = partition(order, closer, build, true);
    DirectRows rows =
        PerfectHashJoin.rows(
            context, order, closer, left.partitions(), build.rows(), build.payload(), probe.key());
    if (rows == null) {
      context.addFigure(DIRECT_GIVEN_UP, 1);
      return overTable(order, bits, left, build, probe, true);
    }
    int width = PerfectHashJoin.width(build.payload());
    try (rows) {
      List<Buffer> in = left.columns().stream().map(Column::values).toList();
      rows.fill(context, left.words(), build.wordBytes(), build.rows(), in, width);
      // Payload is there twice: the probe side has the room of one of them.
      left.close();
      RowPartition right = partition(order, bits, probe, true);
      clock.accept(Phase.MATCH);
      List<MovedColumn> moved = new ArrayList<>();
      List<Column> columns = fetching(build.payload(), probe.rows(), moved);
      Column key = right.withWords(probe.key());
      List<Buffer> to = moved.stream().map(MovedColumn::out).toList();
      if (rows.fetch(context, key.values(), probe.wordBytes(), probe.rows(), to, width)
          == probe.rows()) {
        return new JoinState(1 << bits, 0, whole(key, columns, right));
      }
      columns.forEach(column -> memory.free(column.values()));
      right.close();
    }
    context.addFigure(DIRECT_GIVEN_UP, 1);
    return overTable(order, bits, partition(order, bits, build, true), build, probe, true);
  }

  /** The output where each row of the probe side has one partner; the partition is used up. */
  JoinState.Whole whole(Column key, List<Column> fetched, RowPartition right) {
    clock.accept(Phase.MATERIALIZE);
    List<Column> columns = new ArrayList<>();
    columns.add(key);
    columns.addAll(fetched);
    columns.addAll(right.columns());
    right.give();
    return new JoinState.Whole(memory, new ColumnBatch(columns, key.dataRows()));
  }

  /**
   * Joins partitions that have tables of their own.
   *
   * @return null if this cannot be done after all
   */
  private @Nullable JoinState joinPartitions(
      PartitionFunction order, int bits, Side build, Side probe) {
    int width = build.wordBytes();
    int rows = probe.rows();
    int parts = 1 << bits;
    RowPartition left = partition(order, bits, build, true);
    RowPartition right = partition(order, bits, probe, true);
    clock.accept(Phase.MATCH);
    PartitionedWords ours = left.partitions();
    PartitionedWords others = right.partitions();
    int some = Math.min(parts, SAMPLED_PARTS);
    int matching =
        context.hash().joinPartitions(context, some, width, ours, others, Buffer.EMPTY, List.of());
    int sampled = context.device().transfers().readInt(context, others.starts(), 4L * some);
    Column key = right.withWords(probe.key());
    if (matching == sampled && left.columns().stream().allMatch(RowPartition::moves)) {
      // It seems that all have a partner: their payload is fetched as they are found.
      List<MovedColumn> moved = new ArrayList<>();
      List<Column> columns = fetching(left.columns(), rows, moved);
      matching =
          context.hash().joinPartitions(context, parts, width, ours, others, Buffer.EMPTY, moved);
      if (matching == rows) {
        left.close();
        return new JoinState(parts, parts, whole(key, columns, right));
      }
      columns.forEach(column -> memory.free(column.values()));
    }
    if (matching >= 0) {
      Buffer found = memory.allocate(4L * rows);
      int pairs =
          context.hash().joinPartitions(context, parts, width, ours, others, found, List.of());
      if (pairs >= 0) {
        left.freeWords();
        clock.accept(Phase.MATERIALIZE);
        Buffer matched = memory.allocate(4L * rows);
        context.scan().selectIds(context, found, rows, true, matched);
        Buffer partners = memory.allocate(4L * pairs);
        context.gather().gatherIds(context, found, matched, pairs, partners);
        memory.free(found);
        Side newBuild = new Side(build.key(), left.columns());
        Side newProbe = new Side(key, right.columns());
        return new JoinState(
            parts,
            parts,
            new JoinState.Found(memory, left, right, newBuild, newProbe, matched, partners, pairs));
      }
      memory.free(found);
    }
    left.close();
    right.close();
    return null;
  }

  /** Outputs what a join that has begun yields; once. */
  void finish(JoinState begun) {
    finish(begun, 0, begun.rest().rows());
  }

  /**
   * Outputs a part of it.
   *
   * @param from the first of {@link Rest#rows}, a multiple of 64
   * @param count how many
   */
  void finish(JoinState begun, int from, int count) {
    switch (begun.rest()) {
      case JoinState.Whole all -> {
        clock.accept(Phase.OUTSIDE);
        out.accept(Batches.slice(all.pairs(), from, count));
      }
      case JoinState.OverTable t -> {
        Side probe = t.probe().slice(from, count);
        Buffer ids = t.right().ids();
        Buffer some = ids == null ? null : ids.slice(4L * from, 4L * count);
        match(t.table(), t.build(), probe, t.left().ids(), some, true);
      }
      case JoinState.Found found -> {
        int most = lazily ? context.device().properties().batchRows() : count;
        for (int at = from; at < from + count && !out.done(); at += most) {
          int piece = Math.min(most, from + count - at);
          clock.accept(Phase.MATERIALIZE);
          RowIds matched = some(found.matched(), at, piece);
          Column key = taken(found.probe().key(), matched);
          RowIds partners = some(found.partners(), at, piece);
          emit(found.build(), found.probe(), key, partners, matched, false);
          free(key);
        }
      }
    }
  }

  private static RowIds some(Buffer ids, int from, int count) {
    return new RowIds(ids.slice(4L * from, 4L * count), count, false);
  }

  private static PerPartitionTablePolicy.Side size(Side side) {
    return new PerPartitionTablePolicy.Side(side.rows(), side.wordBytes() + width(side));
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

  /** The words of a side in order, with the rows they came from. */
  private final class SortedKeys implements AutoCloseable {
    final int rows;
    final Buffer words;

    /** EMPTY if the side was sorted. */
    Buffer ids = Buffer.EMPTY;

    SortedKeys(Side side) {
      rows = side.rows();
      words = memory.allocate(8L * rows);
      Buffer key = side.key().values();
      if (side.wordBytes() == Long.BYTES) {
        context.device().transfers().copy(context, key, words, 8L * rows);
      } else {
        context.scan().widen(context, key, rows, words);
      }
      if (!context.sort().sorted(context, words, rows)) {
        ids = memory.allocate(4L * rows);
        context.scan().iota(context, ids, 0, rows);
        context.sort().sortPairs(context, words, ids, rows, 0, Long.SIZE);
      }
    }

    @Nullable Buffer rowIds() {
      return ids.address() == 0 ? null : ids;
    }

    @Override
    public void close() {
      memory.free(words);
      memory.free(ids);
    }
  }

  private void merge(SortedKeys left, Side build, SortedKeys right, Side probe) {
    clock.accept(Phase.MATCH);
    List<Buffer> own = new ArrayList<>();
    try {
      Buffer firsts = keep(own, 4L * right.rows);
      Buffer counts = keep(own, 4L * right.rows);
      Buffer sums = keep(own, 8L * right.rows + 8);
      context
          .sort()
          .matchSorted(context, left.words, left.rows, right.words, right.rows, firsts, counts);
      long total = context.scan().exclusiveSum(context, counts, right.rows, sums);
      int capacity = (int) Math.min(total, Math.max(Math.max(left.rows, right.rows), 1 << 16));
      Buffer buildRows = keep(own, 4L * capacity);
      Buffer probeRows = keep(own, 4L * capacity);
      for (long from = 0; from < total; from += capacity) {
        context.checkCancelled();
        clock.accept(Phase.MATCH);
        int pairs = (int) Math.min(capacity, total - from);
        context
            .scan()
            .expandRanges(context, sums, firsts, right.rows, from, pairs, probeRows, buildRows);
        clock.accept(Phase.MATERIALIZE);
        RowIds matched = through(left.rowIds(), new RowIds(buildRows, pairs, false));
        RowIds matching = through(right.rowIds(), new RowIds(probeRows, pairs, false));
        Column key = taken(probe.key(), matching);
        emit(build, probe, key, matched, matching, false);
        free(key);
      }
    } finally {
      own.forEach(memory::free);
    }
  }

  private Buffer keep(List<Buffer> own, long bytes) {
    Buffer buffer = memory.allocate(bytes);
    own.add(buffer);
    return buffer;
  }

  private RowPartition partition(PartitionFunction order, int bits, Side side, boolean carry) {
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
    // A few rows may each have many partners: pieces are not smaller than either side.
    int batchRows = context.device().properties().batchRows();
    int piece = Math.clamp(batchRows, 1 << 16, LARGEST_PIECE);
    int most = lazily ? batchRows : Math.max(Math.max(rows, build.rows()), piece);
    int capacity = (int) Math.clamp((long) rows * table.maxMultiplicity(), 1, most);
    clock.accept(Phase.MATCH);
    Buffer left = memory.allocate(4L * capacity);
    Buffer right = memory.allocate(4L * capacity);
    try (ProbeCursor cursor = new ProbeCursor()) {
      while (!cursor.done && !out.done()) {
        context.checkCancelled();
        clock.accept(Phase.MATCH);
        int pairs =
            table.probe(
                context,
                probe.key().values(),
                probe.wordBytes(),
                rows,
                cursor,
                right,
                left,
                capacity);
        clock.accept(Phase.MATERIALIZE);
        boolean all = pairs == rows && table.unique();
        RowIds matching = new RowIds(right, pairs, false);
        // The key's words are in the order of the pairs; payload may have stayed where it was.
        Column key = own && all ? probe.key() : taken(probe.key(), all ? null : matching);
        RowIds matched = through(buildIds, new RowIds(left, pairs, false));
        RowIds rowIds = all && probeIds == null ? null : through(probeIds, matching);
        emit(build, probe, key, matched, rowIds, own);
        if (!(own && all)) {
          free(key);
        }
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
  private @Nullable ColumnBatch fetched(HashTable table, Side build, Side probe) {
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
    clock.accept(Phase.MATERIALIZE);
    columns.addFirst(probe.key());
    columns.addAll(probe.payload());
    return new ColumnBatch(columns, rows);
  }

  /** Row ids of an input by those of its partitions, in place. */
  private RowIds through(@Nullable Buffer ids, RowIds positions) {
    if (ids == null) {
      return positions;
    }
    Buffer composed = memory.allocate(4L * positions.count());
    context.gather().gatherIds(context, ids, positions.ids(), positions.count(), composed);
    context.device().transfers().copy(context, composed, positions.ids(), 4L * positions.count());
    memory.free(composed);
    return positions;
  }

  /** Some rows of a column, or all: a copy, or what is seen through the row ids. */
  private Column taken(Column column, @Nullable RowIds rowIds) {
    Column some = column.withRowIds(rowIds);
    return lazily ? some : context.gather().materialize(context, some, memory);
  }

  /** Frees what {@link #taken} has copied. */
  private void free(Column taken) {
    if (!lazily) {
      Batches.free(memory, taken);
    }
  }

  /**
   * Hands out joined rows.
   *
   * @param buildRows rows of the build side's payload
   * @param probeRows of the probe side's; null: all
   * @param own whether columns of the probe side may go out as they are
   */
  private void emit(
      Side build,
      Side probe,
      Column key,
      RowIds buildRows,
      @Nullable RowIds probeRows,
      boolean own) {
    List<Column> made = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    columns.add(key);
    for (Column column : build.payload()) {
      columns.add(taken(column, buildRows));
      made.add(columns.getLast());
    }
    for (Column column : probe.payload()) {
      if (own && probeRows == null) {
        columns.add(column);
      } else {
        columns.add(taken(column, probeRows));
        made.add(columns.getLast());
      }
    }
    clock.accept(Phase.OUTSIDE);
    out.accept(new ColumnBatch(columns, buildRows.count()));
    made.forEach(this::free);
  }
}
