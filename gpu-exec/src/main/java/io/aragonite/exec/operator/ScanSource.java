package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.DeviceProperties;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Columns without indirections that lie in memory (a pinned table, groups, sorted rows), cut into
 * morsels and batches.
 */
public final class ScanSource implements Source {
  /** Values that are sorted, at most, to leave blocks out that have none of them ... */
  private static final int MOST_VALUES = 1 << 14;

  /** ... and the rows that there must be for each. */
  private static final int ROWS_PER_VALUE = 64;

  private static final String LEFT_OUT = "rows in blocks without a join's keys";

  /** Of a batch that has a smaller share of wanted rows, these are picked. */
  private static final double PICKED = 0.5;

  private final List<ColumnShape> shapes;
  private final List<ColumnBatch> chunks;
  private final boolean ordered;
  private @Nullable QueryMemory owner;
  private Table.@Nullable Pin pin;

  /** Whose columns these are; null: of no table. */
  private @Nullable TableColumns origin;

  /** What is known of the values of blocks, by column; null: nothing. */
  private @Nullable IntFunction<@Nullable BlockRanges> ranges;

  /** The blocks of rows that are wanted, and how many rows each has; null: all. */
  private @Nullable BitSet wanted;

  private int blockRows;
  private final int batchRows;
  private int morselRows;

  /** Number of the first morsel of each chunk, and of all morsels at the end. */
  private int[] firstMorsel;

  /**
   * @param chunks without indirections; every one but the last of a multiple of 64 rows, or each
   *     its own allocation
   * @param ordered whether the order of rows means something
   * @param owner where the chunks' buffers are freed when the rows have been used; null: they are
   *     somebody else's
   */
  public ScanSource(
      List<ColumnShape> shapes,
      List<ColumnBatch> chunks,
      boolean ordered,
      DeviceProperties properties,
      int workers,
      @Nullable QueryMemory owner) {
    this.owner = owner;
    this.shapes = shapes;
    this.chunks = chunks;
    this.ordered = ordered;
    // Without columns there is nothing that has to stay in cache.
    batchRows = shapes.isEmpty() ? 1 << 30 : properties.batchRows();
    long rows = 0;
    for (ColumnBatch chunk : chunks) {
      rows += chunk.rows();
    }
    // A small table is cut finer, so that every worker gets a part of it; not finer than a batch.
    long share = rows / (4L * workers) / batchRows * batchRows;
    morselRows = (int) Math.clamp(share, batchRows, Math.max(batchRows, properties.morselRows()));
    firstMorsel = firstMorsels(chunks, morselRows);
  }

  private static int[] firstMorsels(List<ColumnBatch> chunks, int morselRows) {
    int[] first = new int[chunks.size() + 1];
    for (int i = 0; i < chunks.size(); i++) {
      long morsels = (chunks.get(i).rows() + (long) morselRows - 1) / morselRows;
      first[i + 1] = first[i] + (int) morsels;
    }
    return first;
  }

  @Override
  public boolean cutFine() {
    morselRows = batchRows;
    firstMorsel = firstMorsels(chunks, morselRows);
    return true;
  }

  /** Some columns of another source, which is not run. */
  private ScanSource(ScanSource other, List<Integer> columns, List<ColumnBatch> chunks) {
    this.shapes = columns.stream().map(other.shapes::get).toList();
    this.chunks = chunks;
    this.ordered = other.ordered;
    this.owner = other.owner;
    this.pin = other.pin;
    this.batchRows = other.batchRows;
    this.morselRows = other.morselRows;
    this.firstMorsel = other.firstMorsel;
    IntFunction<@Nullable BlockRanges> known = other.ranges;
    this.ranges = known == null ? null : column -> known.apply(columns.get(column));
    TableColumns from = other.origin;
    this.origin =
        from == null
            ? null
            : new TableColumns(from.table(), columns.stream().map(from.columns()::get).toList());
    this.wanted = other.wanted;
    this.blockRows = other.blockRows;
    other.owner = null;
    other.pin = null;
  }

  @Override
  public @Nullable Source select(List<Integer> columns) {
    if (columns.isEmpty()) {
      return null;
    }
    List<ColumnBatch> some = new ArrayList<>();
    for (ColumnBatch chunk : chunks) {
      some.add(new ColumnBatch(columns.stream().map(chunk::column).toList(), chunk.rows()));
    }
    if (owner != null) {
      freeOthers(owner, some);
    }
    return new ScanSource(this, columns, some);
  }

  /** Frees the columns that are not among these; some may have the same values as one that is. */
  private void freeOthers(QueryMemory memory, List<ColumnBatch> kept) {
    for (int i = 0; i < chunks.size(); i++) {
      Set<Long> values = new HashSet<>();
      kept.get(i).columns().forEach(column -> values.add(column.values().address()));
      for (Column column : chunks.get(i).columns()) {
        boolean same = kept.get(i).columns().contains(column);
        if (!same && (column.values().address() == 0 || values.add(column.values().address()))) {
          Batches.free(memory, column);
        }
      }
    }
  }

  /**
   * Columns of a table, all rows of it.
   *
   * @param columns their numbers
   */
  public record TableColumns(Table table, List<Integer> columns) {}

  /** Says whose columns these are. */
  public ScanSource of(TableColumns columns) {
    origin = columns;
    return this;
  }

  /** Whose columns these are; null: of no table. */
  public @Nullable TableColumns origin() {
    return origin;
  }

  /** Has the rows stay for as long as the query. */
  public void stay(Consumer<Table.Pin> closeLater) {
    if (pin != null) {
      closeLater.accept(pin);
      pin = null;
    }
  }

  /** Has the rows' pin closed when they have been used. */
  public ScanSource unpinning(Table.Pin newPin) {
    pin = newPin;
    return this;
  }

  /**
   * Says what is known of blocks of rows.
   *
   * @param known of a column; null: nothing
   */
  public ScanSource knowing(IntFunction<@Nullable BlockRanges> known) {
    ranges = known;
    return this;
  }

  /**
   * Leaves blocks of rows out that have no value of a range in a column, as far as the table knows.
   * To be called before rows are read.
   *
   * @param column of integers
   * @param least of the range, inclusive
   * @param greatest of the range, inclusive
   */
  public void keepRange(int column, long least, long greatest) {
    ValueRange range = shapes.get(column).range();
    if (range == null || least > range.min() || greatest < range.max()) {
      keep(column, known -> known.meeting(least, greatest));
    }
  }

  /**
   * Leaves blocks of rows out that have none of some values in a column, as far as the table knows.
   * To be called before rows are read.
   *
   * @param column of integers
   * @param values ascending
   */
  public void keepValues(int column, long[] values) {
    keep(column, known -> known.meeting(values));
  }

  /** Whether to tell so many values one by one: there are blocks enough that have none of them. */
  public boolean takesValues(long count) {
    return takesValues(count, ColumnBatch.rows(chunks));
  }

  /** The same of a table with so many rows. */
  public static boolean takesValues(long count, long rows) {
    return count <= MOST_VALUES && ROWS_PER_VALUE * count <= rows;
  }

  private void keep(int column, Function<BlockRanges, BitSet> meeting) {
    BlockRanges known = ranges == null ? null : ranges.apply(column);
    if (known == null || known.rows() != ColumnBatch.rows(chunks)) {
      return;
    }
    BitSet blocks = meeting.apply(known);
    if (wanted != null) {
      blocks.and(wanted);
    }
    wanted = blocks;
    blockRows = known.blockRows();
  }

  /** Whether {@link #keepRange} may leave something out. */
  public boolean hasBlockRanges() {
    return ranges != null;
  }

  /** Whether its rows stay for as long as the query: nobody unpins them before. */
  public boolean stays() {
    return pin == null;
  }

  /**
   * All rows, which stay somebody else's, as columns of these shapes, if they lie in one piece and
   * need no conversion; else null.
   */
  public @Nullable ColumnBatch borrowed(List<ColumnShape> wanted) {
    return owner == null && chunks.size() == 1 ? of(chunks.getFirst(), wanted) : null;
  }

  /**
   * As {@link #borrowed}, of a source that will not be run, whose rows' buffers are the caller's
   * from now on.
   */
  public @Nullable ColumnBatch released(List<ColumnShape> wanted) {
    ColumnBatch rows = owner != null && chunks.size() == 1 ? of(chunks.getFirst(), wanted) : null;
    owner = rows == null ? owner : null;
    return rows;
  }

  /** Rows as columns of these shapes, if they need no conversion; else null. */
  private static @Nullable ColumnBatch of(ColumnBatch rows, List<ColumnShape> wanted) {
    if (!fits(rows, wanted)) {
      return null;
    }
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < wanted.size(); i++) {
      Column column = rows.column(i);
      columns.add(
          new Column(
              wanted.get(i),
              column.dataRows(),
              column.values(),
              column.offsets(),
              column.validity(),
              null));
    }
    return new ColumnBatch(columns, rows.rows());
  }

  private static boolean fits(ColumnBatch rows, List<ColumnShape> wanted) {
    for (int i = 0; i < wanted.size(); i++) {
      if (!UnionAll.fits(rows.column(i).shape(), wanted.get(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * All rows of a source that will not be run, whose buffers are the caller's from now on; null if
   * they are somebody else's, or need a conversion to be of these shapes.
   */
  public @Nullable List<ColumnBatch> release(List<ColumnShape> wanted) {
    if (owner == null) {
      return null;
    }
    for (ColumnBatch chunk : chunks) {
      if (!fits(chunk, wanted)) {
        return null;
      }
    }
    owner = null;
    return chunks;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public int morsels() {
    return firstMorsel[chunks.size()];
  }

  @Override
  public long rows() {
    return wanted == null ? ColumnBatch.rows(chunks) : -1;
  }

  /** Bytes of all rows. */
  public long bytes() {
    return HostColumns.bytes(chunks);
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public boolean ordered() {
    return ordered;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    int number = 0;
    long first = 0;
    while (firstMorsel[number + 1] <= morsel) {
      first += chunks.get(number).rows();
      number++;
    }
    ColumnBatch chunk = chunks.get(number);
    int from = (morsel - firstMorsel[number]) * morselRows;
    int end = (int) Math.min((long) from + morselRows, chunk.rows());
    while (from < end && !consumer.done()) {
      context.checkCancelled();
      int next = next(first, from, end);
      if (next > from) {
        context.addFigure(LEFT_OUT, next - (long) from);
        from = next;
        continue;
      }
      context.scratch().reset();
      int rows = Math.min(batchRows, end - from);
      ColumnBatch batch = picked(context, first + from, Batches.slice(chunk, from, rows));
      if (batch.rows() > 0) {
        consumer.accept(batch);
      }
      from += rows;
    }
  }

  /**
   * Of rows that lie together those in blocks that are wanted; all if that would save little.
   *
   * @param first of the rows in the table
   */
  private ColumnBatch picked(ExecContext context, long first, ColumnBatch rows) {
    BitSet blocks = wanted;
    if (blocks == null) {
      return rows;
    }
    int count = 0;
    List<Span> spans = spans(blocks, first, rows.rows());
    for (Span span : spans) {
      count += span.end - span.from;
    }
    if (count > PICKED * rows.rows()) {
      return rows;
    }
    Buffer positions = context.scratch().allocate(4L * count);
    int next = 0;
    for (Span span : spans) {
      for (int row = span.from; row < span.end; row++) {
        Mem.putInt(positions.address() + 4L * next++, row);
      }
    }
    context.addFigure(LEFT_OUT, rows.rows() - (long) count);
    return Batches.select(context, rows, positions, count);
  }

  private record Span(int from, int end) {}

  /** Where rows that lie together are in blocks that are wanted. */
  private List<Span> spans(BitSet blocks, long first, int rows) {
    List<Span> spans = new ArrayList<>();
    int block = blocks.nextSetBit((int) (first / blockRows));
    while (block >= 0 && (long) block * blockRows < first + rows) {
      int after = blocks.nextClearBit(block);
      long from = Math.max(0, (long) block * blockRows - first);
      long end = Math.min(rows, (long) after * blockRows - first);
      spans.add(new Span((int) from, (int) end));
      block = blocks.nextSetBit(after);
    }
    return spans;
  }

  /**
   * The first row of a chunk that is in a block that is wanted.
   *
   * @param first row of the chunk in the table
   * @param from the first in question
   * @param end returned if there is none before it
   */
  private int next(long first, int from, int end) {
    BitSet blocks = wanted;
    if (blocks == null) {
      return from;
    }
    int block = (int) ((first + from) / blockRows);
    int found = blocks.nextSetBit(block);
    if (found == block) {
      return from;
    }
    long row = found < 0 ? end : Math.min(end, (long) found * blockRows - first);
    // Columns are cut where a word of validity begins.
    return row == end ? end : (int) Math.max(from, row / Long.SIZE * Long.SIZE);
  }

  @Override
  public void close() {
    if (pin != null) {
      pin.close();
    }
    if (owner != null) {
      QueryMemory memory = owner;
      chunks.forEach(chunk -> Batches.free(memory, chunk));
    }
  }
}
