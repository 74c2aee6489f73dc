package io.aragonite.exec.table;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows that somebody else makes one after another: what the host hands over where a query reads a
 * table of another adapter.
 */
public interface RowSource {
  /**
   * Starts reading, by the thread that goes on with it.
   *
   * @param columns positions of the columns wanted, in the order wanted
   */
  RowReader open(List<Integer> columns);

  /** The rows, to be read once. */
  interface RowReader extends AutoCloseable {
    /**
     * The next row's values in the form of {@link io.aragonite.exec.expr.Expr.Literal}, null when
     * there are no more. The caller keeps the array.
     */
    @Nullable Object @Nullable [] next();

    @Override
    void close();
  }
}
