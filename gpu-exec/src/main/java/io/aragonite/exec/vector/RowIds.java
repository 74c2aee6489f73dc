package io.aragonite.exec.vector;

import io.aragonite.exec.memory.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * An indirection from the rows of a batch to the rows of its columns' data: a selection vector or a
 * gather map. Columns that share one RowIds object came through the same filters and joins.
 *
 * @param ids 32-bit row numbers into the data
 * @param count how many
 * @param mayBeNull whether an id can be -1, which stands for a row of nulls (the unmatched side of
 *     an outer join)
 * @param source the rows that ids number if many batches have ids of them, as those of a join's
 *     build side: what is found out for one of its rows holds for each of its appearances. Null:
 *     not known
 */
public record RowIds(Buffer ids, int count, boolean mayBeNull, @Nullable ColumnBatch source) {
  public RowIds(Buffer ids, int count, boolean mayBeNull) {
    this(ids, count, mayBeNull, null);
  }
}
