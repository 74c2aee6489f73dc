package io.aragonite.exec.device;

import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import java.util.List;

/**
 * Moves values to and from rows that a vector of row ids names, and into growing columns. What
 * {@link ScanOps} says of words, ids and outputs holds here too.
 */
public interface GatherOps {
  /**
   * {@code flags[ids[i]] = 1}, one byte a row; ids may repeat, and -1 is skipped. Several workers
   * may mark the same flags at once.
   */
  void mark(ExecContext context, Buffer ids, int count, Buffer flags);

  /** {@code out[i] = ids[positions[i]]}, and -1 where the position is -1. */
  void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out);

  /**
   * The column without its indirection: values, validity and bytes copied into new memory. A column
   * without one is copied too.
   */
  Column materialize(ExecContext context, Column column, Allocator allocator);

  /** Copies the rows of a column to the end of a growing one; see {@link ColumnStore}. */
  void append(ExecContext context, Column column, GrowingColumn target);

  /** The same of several columns, for whose bytes of text a device may wait together. */
  default void append(ExecContext context, List<Column> columns, List<GrowingColumn> targets) {
    for (int i = 0; i < targets.size(); i++) {
      append(context, columns.get(i), targets.get(i));
    }
  }

  /**
   * {@code out[ids[i]] = in[i]} for values of {@code width} bytes; ids are distinct, or a repeated
   * one has the same value each time.
   */
  void scatter(ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out);
}
