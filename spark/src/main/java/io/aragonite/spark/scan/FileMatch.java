package io.aragonite.spark.scan;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;
import org.jspecify.annotations.Nullable;

/**
 * Which columns of a file are those that a plan wants.
 *
 * @param places of the wanted columns in the file, in their order; {@link #MISSING}: it has none
 * @param refusal why the file's values are not surely those that Spark's reader gives; null: they
 *     are
 */
record FileMatch(List<Integer> places, @Nullable String refusal) {
  static final int MISSING = -1;

  private static final String CORRECTED = "CORRECTED";
  private static final Set<String> TEXTS = Set.of("STRING", "UTF8", "ENUM", "JSON");
  private static final Set<String> BINARIES = Set.of("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY", "BSON");

  /**
   * @param types the engine's types of all columns that come out
   */
  static FileMatch of(ScanPlan plan, List<DataType> types, ParquetFile file) {
    List<Integer> places = new ArrayList<>();
    String refusal = null;
    boolean times = false;
    for (int i = 0; i < plan.names().size(); i++) {
      String name = plan.names().get(i);
      DataType type = types.get(i);
      List<Integer> found = find(name, plan.caseSensitive(), file.columns());
      if (found.size() > 1) {
        refusal = "it has several columns " + name;
      }
      if (found.isEmpty() && !type.nullable()) {
        refusal = "it has no column " + name;
      }
      int place = found.isEmpty() ? MISSING : found.getFirst();
      places.add(place);
      if (place != MISSING) {
        FileColumn column = file.columns().get(place);
        if (!same(column, type)) {
          refusal = "its column %s is %s".formatted(column.name(), column.fileType());
        }
        times |= type.kind() == TypeKind.DATE || type.kind().isTimestamp();
      }
    }
    if (refusal == null && times) {
      refusal = calendar(plan, file);
    }
    return new FileMatch(List.copyOf(places), refusal);
  }

  private static List<Integer> find(String name, boolean caseSensitive, List<FileColumn> columns) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      String other = columns.get(i).name();
      boolean same =
          caseSensitive
              ? other.equals(name)
              : other.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT));
      if (same) {
        found.add(i);
      }
    }
    return found;
  }

  /** Whether a column's values, as they are, are those of a type. */
  private static boolean same(FileColumn column, DataType type) {
    DataType stored = column.type();
    if (stored == null || column.nested() != null || stored.kind() != type.kind()) {
      return false;
    }
    String fileType = column.fileType();
    return switch (type.kind()) {
      case VARCHAR -> TEXTS.contains(fileType);
      case BINARY -> BINARIES.contains(fileType);
      case FLOAT32 -> fileType.equals("FLOAT");
      case FLOAT64 -> fileType.equals("DOUBLE");
      // Others that have this type of ours are adjusted to a zone by Spark, or counted otherwise.
      case TIMESTAMP, INSTANT -> fileType.equals("TIMESTAMP") && stored.sameAs(type);
      case BOOLEAN, INT8, INT16, INT32, INT64, DATE, DECIMAL -> stored.sameAs(type);
      default -> false;
    };
  }

  /** Why days of the file may be those of another calendar; null if they are not. */
  private static @Nullable String calendar(ScanPlan plan, ParquetFile file) {
    String mode =
        DataSourceUtils.datetimeRebaseSpec(file::note, plan.rebaseMode()).mode().toString();
    return mode.equals(CORRECTED) ? null : "its dates and times are counted by mode " + mode;
  }
}
