package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprColumns;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.RowBlocks;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.rules.metadata.Partitions;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table of a file, whose columns are loaded when they are first wanted and kept under the budget.
 * The budget takes back the columns that were used longest ago and are not pinned.
 */
public final class CachedTable implements Table, AutoCloseable {
  /** What part of the budget the columns of one scan may be to be kept in memory. */
  private static final int TABLE_SHARE = 4;

  /** Columns that are less are loaded as a whole: that takes some milliseconds. */
  private static final long LEAST_BYTES = 4 << 20;

  /** What part of the rows a filter, or a limit, may keep for that some of a column are read. */
  private static final double FEW = 0.05;

  /** Rows that are decoded at a time, at least. */
  private static final int LEAST_ROWS = 1 << 10;

  private final TableFile file;
  private final ColumnCache cache;
  private final EncodedColumns encoded;

  /**
   * @param path where the file is
   */
  public CachedTable(
      String name, Path path, TableFile file, MemoryBudget budget, LoadWorkers workers) {
    this(name, new FileStamp(path), file, budget, workers, true, null);
  }

  /**
   * @param stamp of the file, from before it was opened
   * @param counts whether distinct values of all columns are counted while they are loaded; else
   *     plans know less
   * @param store where statistics are kept for other processes; null: nowhere
   */
  CachedTable(
      String name,
      FileStamp stamp,
      TableFile file,
      MemoryBudget budget,
      LoadWorkers workers,
      boolean counts,
      @Nullable StatisticsStore store) {
    this(new ColumnCache(name, stamp, file, budget, workers, counts, store, null));
  }

  private CachedTable(ColumnCache cache) {
    this.file = cache.file;
    this.cache = cache;
    this.encoded = new EncodedColumns(cache);
  }

  /** A table of some of the file's parts, with the same name and budget. */
  CachedTable over(TableFile other) {
    return new CachedTable(
        new ColumnCache(
            cache.name,
            cache.stamp,
            other,
            cache.budget,
            cache.workers,
            cache.statistics.counts(),
            null,
            cache.gate));
  }

  /** The columns in memory. */
  ColumnCache cache() {
    return cache;
  }

  /** What is known of its columns. */
  public StatisticsProvider statistics() {
    return cache.statistics;
  }

  /**
   * Gives up the local copies of a remote file, unless somebody reads it.
   *
   * @return bytes of the disk that this gives back
   */
  long giveUpCopies() {
    // Else loaded columns may be where the copies are.
    long[] bytes = new long[1];
    if (file.copies()) {
      cache.gate.whenUnused(() -> bytes[0] = file.giveUpCopies());
    }
    return bytes[0];
  }

  /** What the folders of the table's files say; null if they say nothing. */
  public @Nullable Partitions partitions() {
    return file instanceof PartedFile parted && !parted.partitions().columns().isEmpty()
        ? new Partitions(
            cache.names.size() - parted.partitions().columns().size(), parted.partitions().values())
        : null;
  }

  /**
   * The files of the table that may have rows for which a condition over its columns is true; null
   * if nothing is known of files, or all may.
   */
  public @Nullable BitSet matchingFiles(Expr condition) {
    BitSet kept = file instanceof PartedFile parted ? parted.matching(condition) : null;
    return kept == null || kept.cardinality() == fileCount() ? null : kept;
  }

  /** How many files the table has. */
  public int fileCount() {
    return file instanceof PartedFile parted ? parted.fileCount() : 1;
  }

  @Override
  public String name() {
    return cache.name;
  }

  public TableFile file() {
    return file;
  }

  /** Distinct whatever their case, which names in a Parquet or Arrow file need not be. */
  @Override
  public List<String> columnNames() {
    return cache.names;
  }

  /**
   * Types of the columns; one that no type of ours can hold is of kind NULL, and cannot be read.
   */
  @Override
  public List<DataType> columnTypes() {
    return cache.types;
  }

  @Override
  public boolean closed() {
    return cache.gate.closing();
  }

  @Override
  public @Nullable ColumnShape shape(int index) {
    return cache.slot(index).shape;
  }

  /**
   * Parts of the columns, if they would fill more than a share of the budget and are not in memory
   * yet. They are read from the file each time.
   */
  @Override
  public @Nullable TableParts parts(List<Integer> columns, boolean always) {
    return cache.use(() -> fileParts(columns, always));
  }

  private @Nullable TableParts fileParts(List<Integer> columns, boolean always) {
    if (!always && (missing(columns).isEmpty() || isSmall(columns) || file.parts().size() < 2)) {
      return null;
    }
    List<ColumnShape> shapes = columns.stream().map(statistics()::shape).toList();
    return new FileParts(file.parts(), FileParts.ALL, columns, shapes, cache, List.of());
  }

  /** Columns that memory does not hold. */
  private List<Integer> missing(List<Integer> columns) {
    return columns.stream().filter(index -> !cache.holds(index)).toList();
  }

  /** Whether columns may be kept in memory. */
  private boolean isSmall(List<Integer> columns) {
    return bytes(columns) <= cache.budget.limit() / TABLE_SHARE;
  }

  private long bytes(List<Integer> columns) {
    return columns.stream().mapToLong(this::bytes).sum();
  }

  /**
   * Parts that a filter leaves, as long as all that was read past the cache of a column is not more
   * than the column: then it is loaded.
   */
  @Override
  public @Nullable TableParts matching(List<Integer> columns, Expr filter) {
    return cache.use(() -> matchingParts(columns, filter));
  }

  @Override
  public boolean skipsParts(List<Integer> columns, Expr filter) {
    return cache.use(() -> MatchingParts.of(file, columns, filter).share() < 1);
  }

  private @Nullable TableParts matchingParts(List<Integer> columns, Expr filter) {
    if (missing(columns).isEmpty() || !cache.stamp.isCurrent()) {
      return null;
    }
    MatchingParts matching = MatchingParts.of(file, columns, filter);
    List<ColumnShape> shapes =
        columns.stream().map(index -> matching.shape(index, cache.types.get(index))).toList();
    return some(columns, matching, shapes);
  }

  private @Nullable TableParts some(
      List<Integer> columns, MatchingParts matching, List<ColumnShape> shapes) {
    List<Integer> missing = missing(columns);
    if (matching.share() == 1 || isSmall(columns) && !cache.readPast(missing, matching.share())) {
      return null;
    }
    return new FileParts(matching.parts(), matching.skipped(), columns, shapes, cache, List.of());
  }

  /** Shapes that promise nothing of the values, since nothing that is known of them is needed. */
  private List<ColumnShape> widestShapes(List<Integer> columns) {
    return columns.stream().map(cache.types::get).map(ColumnShape::of).toList();
  }

  /**
   * By what a sample of the table says of the filter, unless it is known without a look at its
   * columns where nearly all rows are that it keeps.
   */
  @Override
  public boolean readsFilterFirst(List<Integer> columns, Expr filter) {
    List<Integer> own = ExprColumns.of(filter).stream().map(columns::get).toList();
    List<Integer> others = missing(columns).stream().filter(index -> !own.contains(index)).toList();
    return !own.isEmpty()
        && bytes(others) >= LEAST_BYTES
        && isSmall(own)
        && !cache.wasReadPast(others)
        && cache.use(() ->
            sampledShare(columns, filter) <= FEW
                && MatchingParts.of(file, columns, filter).share() > FEW);
  }

  @Override
  public @Nullable TableParts rowsIn(List<Integer> columns, RowBlocks blocks) {
    return cache.use(() ->
        cache.stamp.isCurrent()
            ? some(columns, MatchingParts.in(file, blocks), widestShapes(columns))
            : null);
  }

  @Override
  public @Nullable TableParts firstRows(List<Integer> columns, @Nullable Expr filter, long count) {
    return cache.use(() -> firstParts(columns, filter, count));
  }

  private @Nullable TableParts firstParts(
      List<Integer> columns, @Nullable Expr filter, long count) {
    List<Integer> missing = missing(columns);
    if (bytes(missing) < LEAST_BYTES || cache.wasReadPast(missing) || !cache.stamp.isCurrent()) {
      return null;
    }
    double share = filter == null ? 1 : sampledShare(columns, filter);
    double wanted = count / share;
    if (!(wanted <= FEW * rows())) {
      return null;
    }
    MatchingParts all =
        filter == null
            ? new MatchingParts(file.parts(), 0, 1)
            : MatchingParts.of(file, columns, filter);
    int rows = filter == null ? (int) Math.max(1, count) : (int) Math.max(LEAST_ROWS, wanted);
    return new FileParts(
        MatchingParts.cut(all.parts(), rows),
        all.skipped(),
        columns,
        widestShapes(columns),
        cache,
        missing);
  }

  /** The share of the table's rows that a sample says a filter keeps; NaN if it does not. */
  private double sampledShare(List<Integer> columns, Expr filter) {
    int[] places = columns.stream().mapToInt(index -> index).toArray();
    TableSample sample = statistics().sample();
    BitSet selected = sample.select(ExprColumns.renumber(filter, places));
    return selected == null ? Double.NaN : (double) selected.cardinality() / sample.rows();
  }

  @Override
  public long rows() {
    return cache.rows();
  }

  @Override
  public long bytes(int index) {
    return cache.bytes(index);
  }

  @Override
  public Decodable<EncodedColumn> encoded(int index) {
    return encoded.of(index);
  }

  @Override
  public boolean ascends(int index) {
    return cache.ascends(index);
  }

  @Override
  public @Nullable BlockRanges blockRanges(int index) {
    return cache.blockRanges(index);
  }

  @Override
  public Pin pin(List<Integer> columns) {
    return cache.pin(columns);
  }

  /** Waits until nobody looks at the table's columns any more; later looks are refused. */
  @Override
  public void close() {
    cache.gate.close(() -> {});
  }
}
