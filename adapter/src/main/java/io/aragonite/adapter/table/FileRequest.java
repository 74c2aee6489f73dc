package io.aragonite.adapter.table;

import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.adapter.format.iceberg.IcebergOptions;
import io.aragonite.adapter.format.json.JsonOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Files that a statement names, to be read as one table.
 *
 * @param format how they are read; null: by the ends of their names
 * @param patterns their paths, which may hold wildcards
 * @param csv how delimited ones are laid out; null: as found, or declared beside them
 * @param json how JSON ones are read
 * @param iceberg which state of an Iceberg table is meant; null: it is none, unless a folder is one
 * @param partitioned whether folders {@code key=value} are columns; null: if all files lie in such
 * @param fileNames whether there is a column with the path of each row's file
 * @param allTexts whether delimited ones have texts alone
 */
public record FileRequest(
    @Nullable TableFormat format,
    List<String> patterns,
    @Nullable CsvOptions csv,
    JsonOptions json,
    @Nullable IcebergOptions iceberg,
    @Nullable Boolean partitioned,
    boolean fileNames,
    boolean allTexts) {}
