package io.aragonite.exec.spill;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a collection that do not change any more: in the device's memory, in the host's if that
 * is another one, or in the collection's file. Whoever is short of memory may move them on as long
 * as nobody uses them.
 */
public interface RowBlock {
  int rows();

  /** How many columns the rows have. */
  int columns();

  /** Bytes of the rows, wherever they are. */
  long bytes();

  /** Whether the rows are in the device's memory. */
  boolean resident();

  /**
   * Begins to bring the rows from the host to the device, beside the query's work, if they are
   * there and nobody uses them; called by the query's thread.
   */
  void prefetch(ExecContext context);

  /** The rows for reading; {@link #release} them. What is not in memory is read into {@code to}. */
  default ColumnBatch open(ExecContext context, Allocator to) {
    use();
    boolean done = false;
    try {
      List<Column> columns = new ArrayList<>();
      for (int i = 0; i < columns(); i++) {
        columns.add(column(context, i, to));
      }
      done = true;
      return new ColumnBatch(columns, rows());
    } finally {
      if (!done) {
        release();
      }
    }
  }

  /** Keeps the block where it is until {@link #release}. */
  void use();

  /** Ends a use. */
  void release();

  /** A column of a block in use; brought to the device if it is not there. */
  Column column(ExecContext context, int index, Allocator to);

  /** Bytes of a column's texts, 0 of one of fixed width. */
  long textBytes(int index);

  /** The rows, whose buffers are the caller's from now on; null if they cannot be had like that. */
  @Nullable ColumnBatch take();

  /** Frees a column of a block in use, which nobody will ask for again. */
  void drop(int index);

  /**
   * Moves the rows from the host's memory to the file, if nobody uses them.
   *
   * @return bytes given up
   */
  long evict(boolean shared);

  /**
   * Moves the rows from the device to the host, by a thread of the query; see {@link #evict}.
   *
   * @return bytes given up on the device
   */
  long leaveDevice(ExecContext context);

  /** Frees the rows; what is in the file goes with it. Waits for whoever is moving them. */
  void free();
}
