package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileKinds;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.format.arrow.ArrowFile;
import io.aragonite.adapter.format.csv.CsvFile;
import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.adapter.format.json.JsonFile;
import io.aragonite.adapter.format.json.JsonOptions;
import io.aragonite.adapter.format.parquet.ParquetFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The file formats that tables are read from, found by file name. */
public enum TableFormat {
  ARROW((path, unpacking) -> ArrowFile.open(path, unpacking.space()), ".arrow", ".feather", ".ipc"),
  PARQUET((path, unpacking) -> ParquetFile.open(path, unpacking.space()), ".parquet"),
  CSV(CsvFile::open, ".csv", ".tsv", ".csv.gz", ".tsv.gz"),
  JSON(
      (path, unpacking) -> JsonFile.open(path, JsonOptions.NONE, unpacking),
      ".json",
      ".jsonl",
      ".ndjson",
      ".json.gz",
      ".jsonl.gz",
      ".ndjson.gz");

  static final String EXTENSIONS =
      String.join(", ", Stream.of(values()).flatMap(format -> format.extensions.stream()).toList());

  private final BiFunction<Path, Unpacking, TableFile> opener;
  private final List<String> extensions;

  TableFormat(BiFunction<Path, Unpacking, TableFile> opener, String... extensions) {
    this.opener = opener;
    this.extensions = List.of(extensions);
  }

  /**
   * @param unpacking for a compressed file
   */
  public TableFile open(Path path, Unpacking unpacking) {
    return opener.apply(path, unpacking);
  }

  /** The format of a file, null if it is none of ours. */
  public static @Nullable TableFormat of(Path path) {
    String name = fileName(path);
    if (name.startsWith(".") || name.startsWith("_")) {
      return null;
    }
    TableFormat named = ofFile(path);
    try {
      return !FileKinds.isFolder(path) ? named : hasParquetParts(path) ? PARQUET : null;
    } catch (AccessDeniedException e) {
      return null; // a folder that may not be read is none of the tables; those beside it still are
    } catch (IOException | UncheckedIOException e) {
      return named == null ? PARQUET : named; // whoever opens it hears why it cannot be read
    }
  }

  private static boolean hasParquetParts(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.anyMatch(ParquetFile::isPart);
    }
  }

  /** The format of a file by the end of its name, null if it is none of ours. */
  static @Nullable TableFormat ofFile(Path path) {
    String name = fileName(path).toLowerCase(Locale.ROOT);
    return isSideCar(name) ? null : ofName(name);
  }

  private static @Nullable TableFormat ofName(String name) {
    for (TableFormat format : values()) {
      if (format.extensions.stream().anyMatch(name::endsWith)) {
        return format;
      }
    }
    return null;
  }

  /** Whether a file tells what is in a delimited file beside it: see {@link CsvOptions}. */
  private static boolean isSideCar(String name) {
    String end = ".json";
    return name.endsWith(end)
        && ofName(name.substring(0, name.length() - end.length())) == TableFormat.CSV;
  }

  /** The file's name up to its format's extension. */
  static String tableName(Path path) {
    String name = fileName(path);
    TableFormat format = ofFile(path);
    if (format != null) {
      for (String extension : format.extensions) {
        if (name.toLowerCase(Locale.ROOT).endsWith(extension)) {
          return name.substring(0, name.length() - extension.length());
        }
      }
    }
    return name;
  }

  private static String fileName(Path path) {
    return path.getFileName() == null ? "" : path.getFileName().toString();
  }
}
