/**
 * Parquet files. {@code ParquetFile} is the table, {@code Footer} a file's metadata, {@code
 * ChunkReader} decodes a column of a row group page by page.
 */
@NullMarked
package io.aragonite.adapter.format.parquet;

import org.jspecify.annotations.NullMarked;
