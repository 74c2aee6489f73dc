package io.aragonite.exec.vector;

import io.aragonite.exec.memory.Buffer;

/**
 * An indirection from the rows of a batch to the rows of its columns' data: a selection vector or a
 * gather map. Columns that share one RowIds object came through the same filters and joins.
 *
 * @param ids 32-bit row numbers into the data
 * @param count how many
 * @param mayBeNull whether an id can be -1, which stands for a row of nulls (the unmatched side of
 *     an outer join)
 */
public record RowIds(Buffer ids, int count, boolean mayBeNull) {}
