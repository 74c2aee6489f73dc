package io.aragonite.exec.table;

import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Columns that somebody else makes one batch after another, without knowing how many: what the host
 * hands over where a plan is a part of another engine's.
 */
@FunctionalInterface
public interface BatchSource {
  /** Starts reading. Called once. */
  BatchReader open();

  /** The batches, to be read once, by one thread at a time. */
  interface BatchReader extends AutoCloseable {
    /**
     * Shapes that hold for all batches. Asked for once, before the first batch; who tells nothing
     * more than the types has the storage that follows from them.
     *
     * @param types of the columns
     */
    default List<ColumnShape> shapes(List<DataType> types) {
      return types.stream().map(ColumnShape::of).toList();
    }

    /**
     * The next rows, null when there are no more. The caller frees their buffers, but for columns
     * that the reader {@link #owns}. Columns have the shapes that were told, and no indirection.
     *
     * @param memory where the columns are; host memory
     * @param rows how many are wanted at most
     */
    @Nullable ColumnBatch next(QueryMemory memory, int rows);

    /**
     * Whether the reader owns a column of the last rows: it is valid until the next ones are asked
     * for, and nobody else writes or frees it.
     */
    default boolean owns(int column) {
      return false;
    }

    @Override
    void close();
  }
}
