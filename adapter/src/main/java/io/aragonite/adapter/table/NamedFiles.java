package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FilePaths;
import io.aragonite.adapter.format.FilePattern;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.format.csv.CsvFile;
import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.adapter.format.iceberg.IcebergFolder;
import io.aragonite.adapter.format.iceberg.IcebergOptions;
import io.aragonite.adapter.format.json.JsonFile;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.adapter.remote.UrlRedaction;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens the files that statements name as tables. */
final class NamedFiles {
  /** Remote files that are opened at once: what takes time is the way to their store. */
  static final int REMOTE_AT_ONCE = 16;

  private final MemoryBudget budget;
  private final Unpacking unpacking;
  private final LoadWorkers workers;
  private final FilePaths paths;

  NamedFiles(MemoryBudget budget, Unpacking unpacking, LoadWorkers workers, FilePaths paths) {
    this.budget = budget;
    this.unpacking = unpacking;
    this.workers = workers;
    this.paths = paths;
  }

  /**
   * Files as they were found.
   *
   * @param iceberg whether it is one, the metadata of a table
   */
  record Found(List<Path> paths, List<String> states, boolean iceberg) {}

  /**
   * Looks which files a request stands for now.
   *
   * @throws AragoniteException FILE_UNREADABLE, FILE_OUTSIDE_DIRECTORY, FILE_NOT_ALLOWED
   */
  Found find(FileRequest request) {
    Path metadata = metadata(request);
    if (metadata != null) {
      paths.requireReadable(metadata);
      return new Found(List.of(metadata), List.of(FileStamp.requireState(metadata)), true);
    }
    List<Path> files = new ArrayList<>(); // a file that is named twice is read twice
    for (String pattern : request.patterns()) {
      List<Path> some =
          FilePattern.files(paths.resolve(pattern), file -> isMeant(request.format(), file));
      if (some.isEmpty()) {
        throw paths.missing(pattern);
      }
      files.addAll(some);
    }
    List<Path> found = List.copyOf(files);
    String[] states = new String[found.size()];
    workers.forEach(states.length, i -> states[i] = FileStamp.requireState(found.get(i)));
    return new Found(found, List.of(states), false);
  }

  /** The metadata of the Iceberg table that is meant; null if none is. */
  private @Nullable Path metadata(FileRequest request) {
    String named = request.patterns().getFirst();
    if (request.iceberg() != null) {
      Path path = paths.resolve(named);
      if (IcebergFolder.isMetadata(path)) {
        return path;
      }
      Path newest = IcebergFolder.newest(path, unpacking.space());
      if (newest == null) {
        throw new AragoniteException(
            ErrorCode.FILE_UNREADABLE,
            "There is no Iceberg table '%s': a table's folder has a folder metadata with version-hint.text or *.metadata.json; the path of one of these files names a table too."
                .formatted(UrlRedaction.redact(named)));
      }
      return newest;
    }
    boolean perhaps =
        request.format() == null && request.patterns().size() == 1 && !FilePattern.isPattern(named);
    Path folder = perhaps ? paths.resolve(named) : null;
    return folder != null && TableFormat.ofFile(folder) == null && IcebergFolder.isTable(folder)
        ? IcebergFolder.newest(folder, unpacking.space())
        : null;
  }

  private static boolean isMeant(@Nullable TableFormat format, Path file) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    return format == TableFormat.CSV
        ? !name.endsWith(".json")
        : TableFormat.ofFile(file) != null
            && (format == null || TableFormat.ofFile(file) == format);
  }

  /** Opens files that were found. */
  CachedTable open(FileRequest request, Found found) {
    List<Path> files = found.paths();
    if (found.iceberg()) {
      Path metadata = files.getFirst();
      IcebergOptions options = request.iceberg() == null ? IcebergOptions.NONE : request.iceberg();
      TableFile file =
          IcebergTables.open(
              metadata, options, IcebergTables.named(paths), unpacking, budget, workers);
      return table(String.valueOf(IcebergFolder.folder(metadata).getFileName()), found, file);
    }
    PartitionColumns folders = PartitionColumns.of(files, request.partitioned());
    PartitionColumns partitions =
        request.fileNames()
            ? folders.withFileNames(files.stream().map(paths::shown).toList())
            : folders;
    TableFile[] opened = new TableFile[files.size()];
    boolean done = false;
    try {
      LoadWorkers openers =
          RemotePath.is(files.getFirst()) ? new LoadWorkers(REMOTE_AT_ONCE) : workers;
      openers.forEach(opened.length, i -> opened[i] = open(request, files.get(i)));
      widenTexts(request, files, opened);
      SampledTypes.agree(opened);
      TableFile file =
          opened.length == 1 && partitions.columns().isEmpty()
              ? opened[0]
              : PartedFile.of(files, List.of(opened), partitions, workers);
      CachedTable table = table(TableFormat.tableName(files.getFirst()), found, file);
      done = true;
      return table;
    } finally {
      if (!done) {
        Arrays.stream(opened).filter(file -> file != null).forEach(TableFile::close);
      }
    }
  }

  private CachedTable table(String name, Found found, TableFile file) {
    FileStamp stamp = FileStamp.ofFound(found.paths(), found.states());
    return new CachedTable(name, stamp, file, budget, workers, true, null);
  }

  private TableFile open(FileRequest request, Path path) {
    StopCheck.current().check();
    paths.requireReadable(path);
    TableFormat format = request.format() != null ? request.format() : TableFormat.ofFile(path);
    if (format == null) {
      throw new AragoniteException(
          ErrorCode.FILE_UNSUPPORTED,
          "%s is none of %s by its name; use read_parquet, read_csv, read_json or read_arrow."
              .formatted(path, TableFormat.EXTENSIONS));
    }
    if (format == TableFormat.JSON) {
      return JsonFile.open(path, request.json(), unpacking);
    }
    TableFile file =
        format == TableFormat.CSV && request.csv() != null
            ? CsvFile.open(path, request.csv(), unpacking)
            : format.open(path, unpacking);
    return request.allTexts() ? ofTexts(request, path, file) : file;
  }

  /** A delimited file whose columns' names are known, with texts in all of them. */
  private TableFile ofTexts(FileRequest request, Path path, TableFile file) {
    CsvOptions options = request.csv() != null ? request.csv() : CsvOptions.beside(path);
    List<CsvOptions.DeclaredColumn> columns =
        file.columns().stream()
            .map(column ->
                new CsvOptions.DeclaredColumn(column.name(), DataType.of(TypeKind.VARCHAR, true)))
            .toList();
    file.close();
    return CsvFile.open(path, options.withColumns(columns), unpacking);
  }

  /**
   * A delimited file may have numbers where another has texts, or no value: it is opened once more,
   * with texts there, or with the type that another file has.
   */
  private void widenTexts(FileRequest request, List<Path> files, TableFile[] opened) {
    if (opened.length < 2) {
      return;
    }
    Map<String, DataType> sampled = sampled(opened);
    for (int i = 0; i < opened.length; i++) {
      if (!(opened[i] instanceof CsvFile csv)) {
        continue;
      }
      CsvOptions options = request.csv() != null ? request.csv() : CsvOptions.beside(files.get(i));
      List<CsvOptions.DeclaredColumn> columns = new ArrayList<>();
      boolean other = false;
      for (int c = 0; c < csv.columns().size(); c++) {
        FileColumn column = csv.columns().get(c);
        DataType known = sampled.get(column.name().toLowerCase(Locale.ROOT));
        DataType type = column.type();
        boolean declared =
            options.columns().stream().anyMatch(named -> named.name().equals(column.name()));
        if (type == null) {
          continue;
        }
        if (known != null
            && !declared
            && (csv.unseen(c) ? !known.sameAs(type) : isText(known) && !isText(type))) {
          other = true;
          type = known;
        }
        columns.add(new CsvOptions.DeclaredColumn(column.name(), type));
      }
      if (other) {
        csv.close();
        opened[i] = CsvFile.open(files.get(i), options.withColumns(columns), unpacking);
      }
    }
  }

  /**
   * Types of columns of which a delimited file has a value; texts where one has them, or a file of
   * JSON.
   */
  private static Map<String, DataType> sampled(TableFile[] opened) {
    Map<String, DataType> types = new HashMap<>();
    for (TableFile file : opened) {
      for (int c = 0; c < file.columns().size(); c++) {
        DataType type = file.columns().get(c).type();
        boolean text = isText(type);
        boolean found =
            file instanceof CsvFile csv
                ? !csv.unseen(c)
                : text && file instanceof JsonFile json && !json.unseen(c);
        if (type != null && found) {
          types.merge(
              file.columns().get(c).name().toLowerCase(Locale.ROOT),
              text ? DataType.of(TypeKind.VARCHAR, true) : type,
              (one, another) -> isText(another) ? another : one);
        }
      }
    }
    return types;
  }

  private static boolean isText(@Nullable DataType type) {
    return type != null && type.kind().isText();
  }
}
