package io.aragonite.tpcds;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.DatasetWriter;
import io.aragonite.dataset.ProgressListener;
import io.trino.tpcds.Session;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * The 24 tables of TPC-DS at one scale.
 *
 * @param factor 1 is about one gigabyte of text, 2.9 million rows of store_sales
 * @param batchRows about how many rows a record batch has
 */
public record TpcdsData(double factor, int batchRows) implements Dataset {
  /** The smallest scale: with fewer rows some dimensions have none. */
  public static final double MIN = 0.01;

  /** The largest scale that the generator knows. */
  public static final double MAX = 100_000;

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if the factor is out of range or not a number
   */
  public TpcdsData {
    if (!(factor >= MIN && factor <= MAX)) {
      throw new IllegalArgumentException(
          "TPC-DS scale must be between 0.01 and 100000, but is " + factor);
    }
  }

  /** In the batches that the cache has. */
  public TpcdsData(double factor) {
    this(factor, DatasetWriter.BATCH_ROWS);
  }

  /**
   * Makes the tables of a scale unless they are there; see {@link DatasetCache#ensure}.
   *
   * @param scale the scale factor, 0.01 to 100,000; scale 1 takes 2 GB on disk
   * @return the directory with the files
   * @throws IllegalArgumentException if the scale or the number of threads is out of range
   */
  public static Path ensure(double scale, Path cacheRoot, int threads, ProgressListener listener)
      throws IOException, InterruptedException {
    return DatasetCache.ensure(new TpcdsData(scale), cacheRoot, threads, listener);
  }

  @Override
  public String title() {
    return "TPC-DS";
  }

  @Override
  public String folder() {
    return "tpcds";
  }

  @Override
  public String scale() {
    return BigDecimal.valueOf(factor).stripTrailingZeros().toPlainString();
  }

  @Override
  public int format() {
    return 1;
  }

  @Override
  public long estimatedBytes() {
    return (long) (1.9e9 * factor) + (400 << 20);
  }

  @Override
  public boolean large() {
    return factor >= 1;
  }

  @Override
  public List<String> names() {
    return TpcdsTable.all().stream().map(TpcdsTable::tableName).toList();
  }

  @Override
  public List<DatasetTable> tables() {
    return TpcdsTable.all().stream().map(this::table).toList();
  }

  private DatasetTable table(TpcdsTable table) {
    Schema schema = table.schema();
    long units =
        Session.getDefaultSession().withScale(factor).getScaling().getRowCount(table.generated());
    double rowsPerUnit = rowsPerUnit(table);
    // Versions of a row follow each other: the generator knows those before only in one go.
    long step =
        table.generated().keepsHistory() ? units : Math.max(1, (long) (batchRows / rowsPerUnit));
    List<BatchTask> batches = new ArrayList<>();
    for (long first = 1; first <= units; first += step) {
      batches.add(new TpcdsRows(table, schema, factor, first, Math.min(units, first + step - 1)));
    }
    return new DatasetTable(table.tableName(), schema, (long) (units * rowsPerUnit), batches);
  }

  /** About how many rows there are for an order; for other tables 1. */
  private static double rowsPerUnit(TpcdsTable table) {
    return switch (table.generated()) {
      case STORE_SALES, WEB_SALES -> 12;
      case CATALOG_SALES -> 9;
      case STORE_RETURNS, WEB_RETURNS -> 1.2;
      case CATALOG_RETURNS -> 0.9;
      default -> 1;
    };
  }
}
