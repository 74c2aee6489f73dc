package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedColumn;
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
    long bytes = 0;
    boolean loaded = true;
    for (int index : columns) {
      loaded &= cache.holds(index);
      bytes += cache.bytes(index);
    }
    if (!always
        && (loaded || bytes <= cache.budget.limit() / TABLE_SHARE || file.parts().size() < 2)) {
      return null;
    }
    List<ColumnShape> shapes = columns.stream().map(statistics()::shape).toList();
    return read(file.parts(), FileParts.ALL, columns, shapes);
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
    List<Integer> missing = columns.stream().filter(index -> !cache.holds(index)).toList();
    if (missing.isEmpty() || !cache.stamp.isCurrent()) {
      return null;
    }
    MatchingParts matching = MatchingParts.of(file, columns, filter);
    if (matching.share() == 1) {
      return null;
    }
    long bytes = columns.stream().mapToLong(this::bytes).sum();
    if (bytes <= cache.budget.limit() / TABLE_SHARE && !cache.readPast(missing, matching.share())) {
      return null;
    }
    List<ColumnShape> shapes =
        columns.stream().map(index -> matching.shape(index, cache.types.get(index))).toList();
    return read(matching.parts(), matching.skipped(), columns, shapes);
  }

  private TableParts read(
      List<TableFile.FilePart> parts,
      int skipped,
      List<Integer> columns,
      List<ColumnShape> shapes) {
    List<ColumnLoader> loaders = columns.stream().map(index -> cache.loader(index, false)).toList();
    return new FileParts(
        parts, skipped, columns, loaders, shapes, file, cache.stamp, rows(), cache.gate);
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
