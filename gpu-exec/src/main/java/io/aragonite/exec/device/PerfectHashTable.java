package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.List;

/**
 * Values of rows at the places that their words say: those of all columns of a row side by side, so
 * that one visit puts them there and one finds them. For columns of one width, 4 or 8 bytes, and 16
 * bytes a row at most. Closing it frees its memory.
 */
public interface PerfectHashTable extends AutoCloseable {
  /**
   * Rows that lie in several runs, each in the partitions of the order: what comes from several
   * devices. They are seen to partition by partition.
   *
   * @param starts of each run where each partition begins, and the last one ends
   */
  record PartitionRuns(int[][] starts) {}

  /** Whether a row of so many columns is narrow enough. */
  static boolean takes(int columns, int width) {
    return (width == 4 || width == 8) && columns > 0 && columns * width <= 16;
  }

  /** Takes rows, more perhaps, whose number was counted in before. */
  void add(ExecContext context, Buffer words, PartitionRuns rows);

  /** As the other one, of rows that were added. */
  void fill(ExecContext context, Buffer words, PartitionRuns rows, List<Buffer> in, int width);

  /** As the other one, partition by partition; {@link #found} says how many have a row. */
  void fetch(ExecContext context, Buffer words, PartitionRuns rows, List<Buffer> out, int width);

  /**
   * How many words that were fetched by runs since this was asked have a row; -1 if a word of the
   * rows is there twice.
   */
  long found(ExecContext context);

  /**
   * Puts the rows' values there.
   *
   * @param words the rows', those that this was made of
   * @param in columns of {@code width} bytes a value
   */
  void fill(
      ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> in, int width);

  /**
   * Fetches values by words; what belongs to a word without a row is undefined.
   *
   * @param out as many columns as were put there, or none, to count
   * @return how many words have a row; -1 if a word of the rows is there twice
   */
  int fetch(
      ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> out, int width);

  @Override
  void close();
}
