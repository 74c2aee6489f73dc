package io.aragonite.adapter.format.parquet;

import io.aragonite.adapter.format.FileColumn;
import java.util.List;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * A top-level field of a file.
 *
 * @param column name and type for the table; the type is null if none of ours holds the field
 * @param leaf its first column chunk within a row group
 * @param leaves how many chunks it has
 * @param physical how values lie in pages; null if the column's type is null, or it is nested
 * @param width bytes of a physical value, 0 if it varies
 * @param optional whether values can be missing, so that pages have definition levels
 * @param conversion from physical values to the column's storage; null if there is no physical type
 * @param nested the tree of a column of lists, structs or maps; null for others
 * @param ids numbers that the file gives the field, and those in it, depth first; 0: none
 */
record ParquetColumn(
    FileColumn column,
    int leaf,
    int leaves,
    @Nullable Type physical,
    int width,
    boolean optional,
    @Nullable Conversion conversion,
    @Nullable NestedNode nested,
    List<Integer> ids) {}
