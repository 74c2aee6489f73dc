package io.aragonite.exec.device;

import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.vector.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What becomes of the pages of a column's batches on the device. */
interface DecodedPages {
  /**
   * The row that a batch's first row is.
   *
   * @param row of the column
   */
  int firstRow(int row);

  /** Why the host must decode the column; null: it need not. */
  @Nullable String refusal(EncodedBatch batch);

  /**
   * Decodes a batch behind its copy.
   *
   * @return why the host must decode the column; null: it need not
   */
  @Nullable String decode(EncodedBatch batch);

  /**
   * The column, once all batches have been waited for.
   *
   * @param nulls that {@link EncodedBatch#await} counted
   * @return without a value if it is not what is known of it
   */
  Decodable<List<Column>> checked(long nulls);
}
