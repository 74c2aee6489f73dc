/**
 * Iceberg tables: their metadata and manifests by Iceberg's own library, their data files by our
 * reader of Parquet.
 */
@org.jspecify.annotations.NullMarked
package io.aragonite.adapter.format.iceberg;
