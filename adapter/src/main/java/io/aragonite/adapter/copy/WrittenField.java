package io.aragonite.adapter.copy;

import java.io.IOException;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/** A column of a query as it is in a Parquet file: a column of values there, or several. */
interface WrittenField {
  /**
   * A column of values.
   *
   * @param path the names that lead to it
   * @param type what its values are stored as
   */
  record WrittenLeaf(List<String> path, Type type) {}

  String name();

  /** What the file's footer says of it, and of what is below it. */
  List<SchemaElement> elements();

  /** The columns of values, in their order. */
  List<WrittenLeaf> leaves();

  /**
   * Makes the pages of the columns of values in a row group.
   *
   * @param column the place in the rows
   * @param words the dictionary of the query that the rows have codes of; null: they have values
   */
  List<ColumnPages> pages(
      int column,
      List<RowSlice> slices,
      @Nullable FieldVector words,
      PageCompression compression,
      EncodeScratch scratch)
      throws IOException;
}
