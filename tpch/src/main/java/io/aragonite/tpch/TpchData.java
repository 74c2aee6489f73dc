package io.aragonite.tpch;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.DatasetWriter;
import io.aragonite.dataset.ProgressListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tables of TPC-H at one scale, in record batches of 131,072 rows. */
public record TpchData(TpchScale size, int batchRows) implements Dataset {
  /**
   * In the batches that the cache has.
   *
   * @throws IllegalArgumentException if the scale is out of range
   */
  public TpchData(double scale) {
    this(new TpchScale(scale), DatasetWriter.BATCH_ROWS);
  }

  /**
   * Makes the tables of a scale unless they are there; see {@link DatasetCache#ensure}.
   *
   * @param scale the scale factor, 0.001 to 100,000; scale 1 takes 1.5 GB on disk
   * @return the directory with the eight files
   * @throws IllegalArgumentException if the scale or the number of threads is out of range
   */
  public static Path ensure(double scale, Path cacheRoot, int threads, ProgressListener listener)
      throws IOException, InterruptedException {
    return DatasetCache.ensure(new TpchData(scale), cacheRoot, threads, listener);
  }

  @Override
  public String title() {
    return "TPC-H";
  }

  @Override
  public String folder() {
    return "tpch";
  }

  @Override
  public String scale() {
    return size.toString();
  }

  @Override
  public int format() {
    return 1;
  }

  @Override
  public long estimatedBytes() {
    return size.estimatedBytes();
  }

  @Override
  public boolean large() {
    return size.factor() >= 1;
  }

  @Override
  public List<String> names() {
    return Stream.of(TpchTable.values()).map(TpchTable::tableName).toList();
  }

  @Override
  public List<DatasetTable> tables() {
    Supplier<BatchGenerator> generator = new SharedGenerator(size);
    return Stream.of(TpchTable.values()).map(table -> table(table, generator)).toList();
  }

  private DatasetTable table(TpchTable table, Supplier<BatchGenerator> generator) {
    List<RowRange> ranges = RowRange.split(table, size, batchRows);
    long rows = ranges.stream().mapToLong(RowRange::rows).sum();
    var schema = table.schema(size, rows);
    return new DatasetTable(
        table.tableName(),
        schema,
        rows,
        ranges.stream()
            .map(range ->
                (BatchTask) allocator -> generator.get().generate(table, schema, range, allocator))
            .toList());
  }

  /** Made by the first thread that needs it, because it holds a text of many megabytes. */
  private static final class SharedGenerator implements Supplier<BatchGenerator> {
    private final TpchScale size;
    private @Nullable BatchGenerator made;

    SharedGenerator(TpchScale size) {
      this.size = size;
    }

    @Override
    public synchronized BatchGenerator get() {
      if (made == null) {
        made = new BatchGenerator(size);
      }
      return made;
    }
  }
}
