package io.aragonite.exec.table;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stored table that can be scanned. Implementations load lazily, keep columns in a cache under a
 * budget, and are safe for several threads.
 */
public interface Table {
  /** The name for messages. */
  String name();

  List<String> columnNames();

  List<DataType> columnTypes();

  /** Whether it is closed, so that nothing of it need be kept. */
  default boolean closed() {
    return false;
  }

  /**
   * Whether hash tables over its columns are kept with it: many queries join with it in the same
   * way, perhaps at once. Queries that do so hold its columns until they end.
   */
  default boolean keepsHashTables() {
    return false;
  }

  /** The number of rows, or -1 if that is not known without loading. */
  default long rows() {
    return -1;
  }

  /** What is known of a column's values in memory; null if nothing is before it is loaded. */
  default @Nullable ColumnShape shape(int column) {
    return null;
  }

  /** Bytes that a column takes in memory, as far as is known; -1 if it is not. */
  default long bytes(int column) {
    return -1;
  }

  /**
   * Pins the named columns in memory, loading those that are not there. The pin is released by
   * {@link Pin#close}; until then the chunks stay valid.
   *
   * @param columns positions of the columns wanted, in the order wanted
   */
  Pin pin(List<Integer> columns);

  /**
   * A column as its file has it, for a device that decodes it itself in place of bringing what the
   * host has decoded; to be closed.
   *
   * @return without a value if it is to be pinned: since memory holds it, then without a reason, or
   *     since no device can decode it
   */
  default Decodable<EncodedColumn> encoded(int column) {
    return Decodable.byHost("");
  }

  /**
   * Whether a column's values never descend from one row to the next, and none is null. May look at
   * all of them, once; a table that does not know says no.
   *
   * @param column of integers, or of what is stored as such (dates, decimals)
   */
  default boolean ascends(int column) {
    return false;
  }

  /**
   * What blocks of a column have, for scans that leave blocks out. May look at all values, once.
   *
   * @return null: not known
   */
  default @Nullable BlockRanges blockRanges(int column) {
    return null;
  }

  /**
   * The named columns for reading part by part, if memory does not hold them.
   *
   * @param always whether memory has turned out not to hold them, whatever the table thinks
   * @return null: they are to be pinned
   */
  default @Nullable TableParts parts(List<Integer> columns, boolean always) {
    return null;
  }

  /**
   * The rows that a filter can be true for, for reading part by part past the cache, if that is
   * less work than to pin the columns. Rows for which it is not true may be among them.
   *
   * @param filter over the columns wanted, in the order wanted, without parameters
   * @return null: the filter does not help
   */
  default @Nullable TableParts matching(List<Integer> columns, Expr filter) {
    return null;
  }

  /**
   * Whether a filter leaves parts of the table out, so that {@link #matching} may.
   *
   * @param filter as there
   */
  default boolean skipsParts(List<Integer> columns, Expr filter) {
    return false;
  }

  /**
   * Whether a filter's columns are to be pinned alone at first: the filter seems to keep so few
   * rows that the other columns are better read by {@link #rowsIn}, where these are.
   *
   * @param filter as in {@link #matching}
   */
  default boolean readsFilterFirst(List<Integer> columns, Expr filter) {
    return false;
  }

  /**
   * Blocks of rows, for reading part by part past the cache, if that is less work than to pin the
   * columns. Other rows may be among them.
   *
   * @param columns in the order wanted
   * @return null: they are to be pinned
   */
  default @Nullable TableParts rowsIn(List<Integer> columns, RowBlocks blocks) {
    return null;
  }

  /**
   * All rows, in their order, for reading part by part past the cache: the first parts are about as
   * large as is needed for some rows, since whoever reads them ends then.
   *
   * @param columns in the order wanted
   * @param filter that the rows pass, as in {@link #matching}; null: all do
   * @param count rows that are needed
   * @return null: the columns are to be pinned
   */
  default @Nullable TableParts firstRows(List<Integer> columns, @Nullable Expr filter, long count) {
    return null;
  }

  /** Columns that are read part by part. Safe for several threads. */
  interface TableParts {
    /** Parts of the table that are left out, since no row of theirs is wanted. */
    default int skipped() {
      return 0;
    }

    /** Bytes of files that the parts are; -1 if that is not known. */
    default long fileBytes() {
      return -1;
    }

    /** Shapes that hold for all parts. */
    List<ColumnShape> shapes();

    /** How many parts there are. */
    int count();

    /**
     * The rows of a part, in chunks without indirection, each its own allocation.
     *
     * @param memory where they are; host memory
     */
    List<ColumnBatch> read(int part, QueryMemory memory);
  }

  /** Columns held in host memory. */
  interface Pin extends AutoCloseable {
    /**
     * Shapes that hold for all chunks (one dictionary a column for the whole table, bounds over all
     * chunks).
     */
    List<ColumnShape> shapes();

    /**
     * The rows in order, in chunks without indirection; every chunk but the last has a multiple of
     * 64 rows.
     */
    List<ColumnBatch> chunks();

    /** Bytes of pages of files that a device has decoded to have the columns there; mostly 0. */
    default long decodedPageBytes() {
      return 0;
    }

    /** Why the host has decoded columns that this pin brought to a device, by their names. */
    default Map<String, String> decodedByHost() {
      return Map.of();
    }

    @Override
    void close();
  }
}
