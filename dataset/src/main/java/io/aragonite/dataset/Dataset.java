package io.aragonite.dataset;

import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Tables that are generated, at one scale. */
public interface Dataset {
  /** What people call it, as {@code TPC-H}. */
  String title();

  /** The name of its folder in the cache, as {@code tpch}. */
  String folder();

  /** The scale in its shortest decimal form; the name of a folder. */
  String scale();

  /** To be raised whenever the same scale would give other files. */
  int format();

  /** About how many bytes the files take. */
  long estimatedBytes();

  /** Whether making them takes so long that a line should say so where there is no terminal. */
  boolean large();

  /** The names of the tables, each of which has a file; in the order of {@link #tables}. */
  List<String> names();

  /** The tables with what makes their rows. */
  List<DatasetTable> tables();

  /** The name of a table's file. */
  static String fileName(String table) {
    return table + ".arrow";
  }

  /**
   * A table to be written.
   *
   * @param rows how many it will have, at least about; progress is a share of them
   * @param batches its rows, in order
   */
  record DatasetTable(String name, Schema schema, long rows, List<BatchTask> batches) {
    /** Copies the list. */
    public DatasetTable {
      batches = List.copyOf(batches);
    }
  }

  /** Makes some rows of a table; any thread may call it. */
  @FunctionalInterface
  interface BatchTask {
    /** The rows, to be closed by the caller. */
    VectorSchemaRoot make(BufferAllocator allocator);
  }
}
