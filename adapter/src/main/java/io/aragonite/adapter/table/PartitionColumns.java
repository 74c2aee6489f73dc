package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FilePattern;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The columns whose values a file's path has: the folders {@code key=value} of a table's files,
 * BIGINT or DATE where all values are, else VARCHAR; and the path itself.
 *
 * @param columns one for each key
 * @param values of each file, in its columns' types: a Long, a LocalDate, the bytes of a text, null
 */
record PartitionColumns(List<FileColumn> columns, List<List<@Nullable Object>> values) {
  private static final Pattern INTEGER = Pattern.compile("-?(0|[1-9][0-9]{0,18})");

  /**
   * @param wanted whether there must be such folders; null: there may be
   * @throws AragoniteException FILE_UNREADABLE if files have different keys
   */
  static PartitionColumns of(List<Path> files, @Nullable Boolean wanted) {
    if (Boolean.FALSE.equals(wanted)) {
      return none(files.size());
    }
    List<Map<String, @Nullable String>> found =
        files.stream().map(FilePattern::partitions).toList();
    List<String> keys = List.copyOf(found.getFirst().keySet());
    for (int i = 1; i < found.size(); i++) {
      if (!keys.equals(List.copyOf(found.get(i).keySet()))) {
        throw new AragoniteException(
            ErrorCode.FILE_UNREADABLE,
            "%s lies in the partitions %s, and %s in %s; name files of the same partitions, or give read_parquet or read_csv hive_partitioning => false."
                .formatted(files.getFirst(), keys, files.get(i), found.get(i).keySet()));
      }
    }
    List<FileColumn> columns = new ArrayList<>();
    List<List<@Nullable Object>> values = new ArrayList<>();
    files.forEach(file -> values.add(new ArrayList<>()));
    for (String key : keys) {
      List<@Nullable String> texts = new ArrayList<>();
      for (Map<String, @Nullable String> file : found) {
        texts.add(file.get(key));
      }
      DataType type = type(texts);
      columns.add(new FileColumn(key, type, "a folder's name"));
      for (int i = 0; i < texts.size(); i++) {
        values.get(i).add(value(texts.get(i), type));
      }
    }
    return new PartitionColumns(List.copyOf(columns), values);
  }

  /**
   * With a column of the files' paths.
   *
   * @param paths as statements have them
   */
  PartitionColumns withFileNames(List<String> paths) {
    List<FileColumn> named = new ArrayList<>(columns);
    named.add(new FileColumn("filename", DataType.VARCHAR, "a file's path"));
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (int i = 0; i < paths.size(); i++) {
      List<@Nullable Object> own = new ArrayList<>(values.get(i));
      own.add(paths.get(i).getBytes(StandardCharsets.UTF_8));
      all.add(own);
    }
    return new PartitionColumns(List.copyOf(named), all);
  }

  /** Of files whose folders say nothing. */
  static PartitionColumns none(int files) {
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      values.add(List.of());
    }
    return new PartitionColumns(List.of(), values);
  }

  private static DataType type(List<@Nullable String> texts) {
    boolean integers = true;
    boolean dates = true;
    boolean nulls = false;
    for (String text : texts) {
      nulls |= text == null;
      integers &= text == null || isInteger(text);
      dates &= text == null || date(text) != null;
    }
    TypeKind kind = integers ? TypeKind.INT64 : dates ? TypeKind.DATE : TypeKind.VARCHAR;
    return DataType.of(texts.stream().allMatch(Objects::isNull) ? TypeKind.VARCHAR : kind, nulls);
  }

  private static boolean isInteger(String text) {
    if (!INTEGER.matcher(text).matches()) {
      return false;
    }
    try {
      Long.parseLong(text);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static @Nullable LocalDate date(String text) {
    try {
      return text.length() == 10 ? LocalDate.parse(text) : null;
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static @Nullable Object value(@Nullable String text, DataType type) {
    if (text == null) {
      return null;
    }
    return switch (type.kind()) {
      case INT64 -> Long.valueOf(text);
      case DATE -> date(text);
      default -> text.getBytes(StandardCharsets.UTF_8);
    };
  }
}
