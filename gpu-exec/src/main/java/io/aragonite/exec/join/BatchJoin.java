package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.Primitives.DirectRows;
import io.aragonite.exec.device.Primitives.HashTable;
import io.aragonite.exec.device.Primitives.Partitions;
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
  }

  /** Partitions that are joined first, to guess whether all rows have a partner. */
  private static final int SAMPLED_PARTS = 64;

  /** Pairs that come out at once at most, if both sides have fewer rows. */
  private static final int LARGEST_PIECE = 1 << 24;

  /** Rows that are looked at to guess whether all have a partner. */
  static final int SAMPLE = 1 << 16;

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
    if (algorithm == Algorithm.SMJ) {
      try (SortedKeys left = new SortedKeys(build);
          SortedKeys right = new SortedKeys(probe)) {
        merge(left, build, right, probe);
      }
      return;
    }
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
    if (carry
        && DirectJoin.looksLikeIt(
            context,
            order,
            build.rows(),
            build.payload(),
            probe.key().values(),
            probe.rows(),
            probe.wordBytes())) {
      int closer = DirectJoin.buildBits(context, order, build.payload());
      RowPartition left = partition(order, closer, build, true);
      try {
        DirectRows rows =
            DirectJoin.rows(
                context,
                order,
                left.partitions(),
                build.rows(),
                build.payload(),
                probe.key().values(),
                probe.rows(),
                probe.wordBytes());
        if (rows != null) {
          RowPartition full = left;
          left = null;
          if (fetchDirectly(order, full, rows, build, probe)) {
            return;
          }
        }
        int bits = RowPartition.bits(context.device(), order, build.rows(), width(build));
        if (left == null) {
          left = partition(order, bits, build, true);
        }
        try (RowPartition right = partition(order, bits, probe, true)) {
          overTable(order, left, right, build, probe, true);
        }
      } finally {
        if (left != null) {
          left.close();
        }
      }
      return;
    }
    int fine =
        carry
            ? JoinedPartitions.bits(
                context,
                order,
                words,
                build.wordBytes(),
                size(build),
                size(probe),
                build.payload().size())
            : 0;
    if (fine > 0 && joinPartitions(JoinedPartitions.mixed(order), fine, build, probe)) {
      return;
    }
    int bits = RowPartition.bits(context.device(), order, build.rows(), carry ? width(build) : 4);
    try (RowPartition left = partition(order, bits, build, carry);
        RowPartition right = partition(order, bits, probe, carry)) {
      overTable(order, left, right, build, probe, carry);
    }
  }

  /** Joins partitions by one table over all of them. */
  private void overTable(
      WordOrder order,
      RowPartition left,
      RowPartition right,
      Side build,
      Side probe,
      boolean carry) {
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

  /**
   * Joins by payload that lies where the build side's words say, one side after the other.
   *
   * @param left the build side, closed as soon as its payload is there
   * @return false if not all rows of the probe side have a partner; nothing has been output then
   */
  private boolean fetchDirectly(
      WordOrder order, RowPartition left, DirectRows rows, Side build, Side probe) {
    int width = DirectJoin.width(build.payload());
    List<Buffer> made = new ArrayList<>();
    try (rows) {
      try (left) {
        List<Buffer> in = left.columns().stream().map(Column::values).toList();
        rows.fill(context, left.words(), build.wordBytes(), build.rows(), in, width);
      }
      int bits = RowPartition.bits(context.device(), order, build.rows(), width(build));
      try (RowPartition right = partition(order, bits, probe, true)) {
        clock.accept(Phase.MATCH);
        List<MovedColumn> moved = new ArrayList<>();
        List<Column> columns = fetching(build.payload(), probe.rows(), moved, made);
        Column key = right.withWords(probe.key());
        List<Buffer> to = moved.stream().map(MovedColumn::out).toList();
        int matches = rows.fetch(context, key.values(), probe.wordBytes(), probe.rows(), to, width);
        if (matches < probe.rows()) {
          return false;
        }
        clock.accept(Phase.MATERIALIZE);
        columns.addFirst(key);
        columns.addAll(right.columns());
        clock.accept(Phase.OUTSIDE);
        out.accept(new ColumnBatch(columns, probe.rows()));
        return true;
      }
    } finally {
      made.forEach(memory::free);
    }
  }

  private static JoinedPartitions.Side size(Side side) {
    return new JoinedPartitions.Side(side.rows(), side.wordBytes() + width(side));
  }

  /**
   * Joins partitions that have tables of their own.
   *
   * @return false if this cannot be done after all; then nothing has been output
   */
  private boolean joinPartitions(WordOrder order, int bits, Side build, Side probe) {
    int width = build.wordBytes();
    int rows = probe.rows();
    int parts = 1 << bits;
    List<Buffer> made = new ArrayList<>();
    try (RowPartition left = partition(order, bits, build, true);
        RowPartition right = partition(order, bits, probe, true)) {
      clock.accept(Phase.MATCH);
      Partitions ours = left.partitions();
      Partitions others = right.partitions();
      int some = Math.min(parts, SAMPLED_PARTS);
      int matching =
          primitives.joinPartitions(context, some, width, ours, others, Buffer.EMPTY, List.of());
      if (matching < 0) {
        return false;
      }
      int sampled = context.device().transfers().readInt(context, others.starts(), 4L * some);
      Column key = right.withWords(probe.key());
      if (matching == sampled) {
        // It seems that all have a partner: their payload is fetched as they are found.
        List<MovedColumn> moved = new ArrayList<>();
        List<Column> columns = fetching(left.columns(), rows, moved, made);
        int all =
            primitives.joinPartitions(context, parts, width, ours, others, Buffer.EMPTY, moved);
        if (all == rows) {
          clock.accept(Phase.MATERIALIZE);
          columns.addFirst(key);
          columns.addAll(right.columns());
          clock.accept(Phase.OUTSIDE);
          out.accept(new ColumnBatch(columns, rows));
          return true;
        }
        made.forEach(memory::free);
        made.clear();
        if (all < 0) {
          return false;
        }
      }
      Buffer found = keep(made, 4L * rows);
      int pairs = primitives.joinPartitions(context, parts, width, ours, others, found, List.of());
      if (pairs < 0) {
        return false;
      }
      left.freeWords();
      clock.accept(Phase.MATERIALIZE);
      Buffer matched = keep(made, 4L * rows);
      primitives.selectIds(context, found, rows, true, matched);
      Buffer partners = keep(made, 4L * pairs);
      primitives.gatherIds(context, found, matched, pairs, partners);
      RowIds probeRows = new RowIds(matched, pairs, false);
      Column keys = taken(key, probeRows);
      made.add(keys.values());
      Side newBuild = new Side(build.key(), left.columns());
      Side newProbe = new Side(key, right.columns());
      emit(newBuild, newProbe, keys, new RowIds(partners, pairs, false), probeRows, false);
      return true;
    } finally {
      made.forEach(memory::free);
    }
  }

  /** Room for columns of {@code rows} rows that are fetched from others. */
  private List<Column> fetching(
      List<Column> from, int rows, List<MovedColumn> moved, List<Buffer> made) {
    List<Column> columns = new ArrayList<>();
    for (Column column : from) {
      int bytes = column.shape().storage().width();
      Buffer values = keep(made, (long) bytes * rows);
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
        primitives.widen(context, key, rows, words);
      }
      if (!primitives.sorted(context, words, rows)) {
        ids = memory.allocate(4L * rows);
        primitives.iota(context, ids, 0, rows);
        primitives.sortPairs(context, words, ids, rows, 0, Long.SIZE);
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
      primitives.matchSorted(
          context, left.words, left.rows, right.words, right.rows, firsts, counts);
      long total = primitives.exclusiveSum(context, counts, right.rows, sums);
      int capacity = (int) Math.min(total, Math.max(Math.max(left.rows, right.rows), 1 << 16));
      Buffer buildRows = keep(own, 4L * capacity);
      Buffer probeRows = keep(own, 4L * capacity);
      for (long from = 0; from < total; from += capacity) {
        context.checkCancelled();
        clock.accept(Phase.MATCH);
        int pairs = (int) Math.min(capacity, total - from);
        primitives.expandRanges(
            context, sums, firsts, right.rows, from, pairs, probeRows, buildRows);
        clock.accept(Phase.MATERIALIZE);
        RowIds matched = through(left.rowIds(), new RowIds(buildRows, pairs, false));
        RowIds matching = through(right.rowIds(), new RowIds(probeRows, pairs, false));
        Column key = taken(probe.key(), matching);
        emit(build, probe, key, matched, matching, false);
        memory.free(key.values());
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
    // A few rows may each have many partners: pieces are not smaller than either side.
    int piece = Math.clamp(context.device().properties().batchRows(), 1 << 16, LARGEST_PIECE);
    int capacity =
        (int)
            Math.clamp(
                (long) rows * table.maxMultiplicity(),
                1,
                Math.max(Math.max(rows, build.rows()), piece));
    clock.accept(Phase.MATCH);
    // Only of partitions, whose payload lies close together: elsewhere two passes are quicker.
    if (own && buildIds == null && probeIds == null && fetched(table, build, probe)) {
      return;
    }
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
        RowIds matching = new RowIds(right, pairs, false);
        // The key's words are in the order of the pairs; payload may have stayed where it was.
        Column key = own && all ? probe.key() : taken(probe.key(), all ? null : matching);
        RowIds matched = through(buildIds, new RowIds(left, pairs, false));
        RowIds rowIds = all && probeIds == null ? null : through(probeIds, matching);
        emit(build, probe, key, matched, rowIds, own);
        if (!(own && all)) {
          memory.free(key.values());
        }
      }
    } finally {
      memory.free(left);
      memory.free(right);
    }
  }

  /**
   * Where all rows of the probe side have one partner, as foreign keys do: fetches the build side's
   * payload as it is found, without row ids between. A sample says whether to try; if a row has
   * none after all, nothing is output.
   */
  private boolean fetched(HashTable table, Side build, Side probe) {
    int rows = probe.rows();
    int sample = Math.min(rows, SAMPLE);
    if (sample == 0 || !table.unique()) {
      return false;
    }
    int width = probe.wordBytes();
    Buffer words = probe.key().values();
    Buffer some = words.slice((long) (rows - sample) / 2 * width, (long) sample * width);
    if (primitives.hashFetch(context, table, some, width, sample, List.of()) < sample) {
      return false;
    }
    List<Buffer> made = new ArrayList<>();
    try {
      List<MovedColumn> moved = new ArrayList<>();
      List<Column> columns = fetching(build.payload(), rows, moved, made);
      if (primitives.hashFetch(context, table, words, width, rows, moved) < rows) {
        return false;
      }
      clock.accept(Phase.MATERIALIZE);
      columns.addFirst(probe.key());
      columns.addAll(probe.payload());
      clock.accept(Phase.OUTSIDE);
      out.accept(new ColumnBatch(columns, rows));
      return true;
    } finally {
      made.forEach(memory::free);
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

  /** A copy of some rows of a column, or of all. */
  private Column taken(Column column, @Nullable RowIds rowIds) {
    return primitives.materialize(context, column.withRowIds(rowIds), memory);
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
    List<Buffer> made = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    columns.add(key);
    for (Column column : build.payload()) {
      columns.add(taken(column, buildRows));
      made.add(columns.getLast().values());
    }
    for (Column column : probe.payload()) {
      if (own && probeRows == null) {
        columns.add(column);
      } else {
        columns.add(taken(column, probeRows));
        made.add(columns.getLast().values());
      }
    }
    clock.accept(Phase.OUTSIDE);
    out.accept(new ColumnBatch(columns, buildRows.count()));
    made.forEach(memory::free);
  }
}
