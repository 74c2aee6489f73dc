package io.aragonite.adapter.table;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Table.TableParts;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Parts of the file that are read each time. */
final class FileParts implements TableParts {
  /** Parts that are skipped where no filter was asked: they are the parts of the file. */
  static final int ALL = -1;

  /** Parts of a remote file that are on their way at once. */
  private static final int PREFETCHED = 4;

  private final List<TableFile.FilePart> parts;
  private final int skipped;
  private final List<Integer> columns;
  private final List<ColumnShape> shapes;
  private final ColumnCache cache;
  private final List<ColumnLoader> loaders;
  private final List<Integer> counted;
  private final AtomicInteger partsRead = new AtomicInteger();

  /**
   * @param skipped parts that a filter leaves out, or {@link #ALL}
   * @param counted of the columns those of which the cache counts what is read past it, as nobody
   *     knows before how many parts are
   */
  FileParts(
      List<TableFile.FilePart> parts,
      int skipped,
      List<Integer> columns,
      List<ColumnShape> shapes,
      ColumnCache cache,
      List<Integer> counted) {
    this.parts = parts;
    this.skipped = skipped;
    this.columns = columns;
    this.shapes = shapes;
    this.cache = cache;
    this.loaders = columns.stream().map(index -> cache.loader(index, false)).toList();
    this.counted = counted;
    StopCheck.current()
        .reading()
        .expect(parts.size(), parts.stream().mapToLong(this::knownBytes).sum());
  }

  /** Bytes of a part's columns that are known. */
  private long knownBytes(TableFile.FilePart part) {
    long bytes = 0;
    for (int index : columns) {
      bytes += ColumnLoader.knownBytes(part, index);
    }
    return bytes;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public int count() {
    return parts.size();
  }

  @Override
  public int skipped() {
    return Math.max(0, skipped);
  }

  @Override
  public long fileBytes() {
    long bytes = 0;
    for (TableFile.FilePart part : parts) {
      for (int index : columns) {
        long some = part.fileBytes(index);
        if (some < 0) {
          return -1;
        }
        bytes += some;
      }
    }
    return bytes;
  }

  @Override
  public List<ColumnBatch> read(int part, QueryMemory memory) {
    cache.gate.enter();
    try {
      return readPart(part, memory);
    } finally {
      cache.gate.leave();
    }
  }

  private List<ColumnBatch> readPart(int number, QueryMemory memory) {
    TableFile.FilePart part = parts.get(number);
    for (int i = number; i < Math.min(parts.size(), number + PREFETCHED); i++) {
      parts.get(i).prefetch(columns);
    }
    if (loaders.isEmpty()) {
      StopCheck.current().reading().read(0);
      return List.of(new ColumnBatch(List.of(), part.rows()));
    }
    List<List<Column>> read = new ArrayList<>();
    for (int i = 0; i < loaders.size(); i++) {
      read.add(loaders.get(i).read(shapes.get(i), part, cache.rows(), memory));
    }
    if (skipped == ALL) {
      cache.file.forget(number);
    }
    requireUnchanged();
    cache.countReadPast(counted, (double) part.rows() / Math.max(1, cache.rows()));
    StopCheck.current().reading().read(knownBytes(part));
    return ColumnChunks.align(read);
  }

  /** What was left out, and what is read, is of one state. */
  private void requireUnchanged() {
    // Who wants some first rows ends before the last part.
    boolean last = partsRead.incrementAndGet() % parts.size() == 0 || !counted.isEmpty();
    if (last && !cache.stamp.isCurrent() || skipped != ALL && cache.stamp.changed()) {
      throw cache.stamp.changedWhileRead();
    }
  }
}
