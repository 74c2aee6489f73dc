package io.aragonite.adapter.table;

import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.type.Storage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a table's values, in the form in which it is kept. Plans rest on it, answers do
 * not: whether values ascend, which joins rely on, is not among it.
 *
 * @param columns one a column; empty if nothing is known
 * @param sketches by their columns; empty: they cannot be sketched
 * @param samples values of columns in the rows that predicates are tried on, of a large table
 */
record StoredStatistics(
    List<StoredColumnStatistics> columns,
    Map<List<Integer>, Optional<StoredSketch>> sketches,
    Map<Integer, SampleValues> samples) {
  static final StoredStatistics NONE = new StoredStatistics(List.of(), Map.of(), Map.of());

  /**
   * What is known of a column.
   *
   * @param sampled whether the statistics are of a look at some rows
   * @param storage how it lies in memory
   */
  record StoredColumnStatistics(
      @Nullable TableColumnStatistics statistics, boolean sampled, @Nullable Storage storage) {
    static final StoredColumnStatistics NONE = new StoredColumnStatistics(null, true, null);
  }

  /**
   * A {@link ColumnSketch}.
   *
   * @param texts of each column whether it has texts
   * @param distinct values, about
   * @param threshold of the hashes
   * @param hashes ascending
   * @param rows some rows with these hashes, ascending
   * @param rowHashes theirs
   * @param allRows whether these are all rows with such hashes
   * @param frequent the frequent values of a single column
   */
  record StoredSketch(
      List<Boolean> texts,
      double distinct,
      long threshold,
      long[] hashes,
      long[] rows,
      long[] rowHashes,
      boolean allRows,
      FrequentKeys frequent) {}

  /** Frequent values: their hashes, what they are (codes are of this table alone), their shares. */
  record FrequentKeys(long[] hashes, long[] values, double[] shares) {
    static final FrequentKeys NONE = new FrequentKeys(new long[0], new long[0], new double[0]);
  }

  StoredColumnStatistics column(int index) {
    return index < columns.size() ? columns.get(index) : StoredColumnStatistics.NONE;
  }

  /** These, and what others know beside them. */
  StoredStatistics with(StoredStatistics others) {
    Map<List<Integer>, Optional<StoredSketch>> all = new HashMap<>(others.sketches);
    all.putAll(sketches);
    List<StoredColumnStatistics> merged =
        IntStream.range(0, Math.max(columns.size(), others.columns.size()))
            .mapToObj(i -> merged(column(i), others.column(i)))
            .toList();
    Map<Integer, SampleValues> values = new HashMap<>(others.samples);
    values.putAll(samples);
    return new StoredStatistics(merged, all, values);
  }

  private static StoredColumnStatistics merged(
      StoredColumnStatistics column, StoredColumnStatistics other) {
    boolean otherCounted = other.statistics != null && !other.sampled;
    boolean own = column.statistics != null && (!column.sampled || !otherCounted);
    StoredColumnStatistics better = own ? column : other;
    return new StoredColumnStatistics(
        better.statistics, better.sampled, column.storage != null ? column.storage : other.storage);
  }
}
