package io.aragonite.adapter.format.csv;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** SQL type names in declarations, of delimited files and of JSON. */
public final class CsvTypes {
  public static final String NAMES =
      "BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, DECIMAL(p, s), DATE, TIME,"
          + " TIMESTAMP, TIMESTAMPTZ, CHAR(n) and VARCHAR";

  private static final Pattern FORM =
      Pattern.compile(
          "([A-Z][A-Z ]*?)\\s*(?:\\(\\s*(\\d{1,9})\\s*(?:,\\s*(\\d{1,9})\\s*)?\\))?"
              + "(\\s+WITH\\s+TIME\\s+ZONE)?");

  private CsvTypes() {}

  /** The type of a name, nullable; null if there is none. */
  public static @Nullable DataType parse(String name) {
    Matcher matcher = FORM.matcher(name.strip().toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      return null;
    }
    int first = matcher.group(2) == null ? -1 : Integer.parseInt(matcher.group(2));
    int second = matcher.group(3) == null ? -1 : Integer.parseInt(matcher.group(3));
    TypeKind simple =
        switch (matcher.group(1)) {
          case "BOOLEAN" -> TypeKind.BOOLEAN;
          case "TINYINT" -> TypeKind.INT8;
          case "SMALLINT" -> TypeKind.INT16;
          case "INT", "INTEGER" -> TypeKind.INT32;
          case "BIGINT" -> TypeKind.INT64;
          case "REAL" -> TypeKind.FLOAT32;
          case "FLOAT", "DOUBLE", "DOUBLE PRECISION" -> TypeKind.FLOAT64;
          case "DATE" -> TypeKind.DATE;
          default -> null;
        };
    boolean zoned = matcher.group(4) != null || matcher.group(1).equals("TIMESTAMPTZ");
    if (zoned && !matcher.group(1).startsWith("TIMESTAMP")) {
      return null;
    }
    if (simple != null) {
      return first < 0 ? DataType.of(simple, true) : null;
    }
    return switch (matcher.group(1)) {
      case "DECIMAL", "NUMERIC" -> decimal(first, Math.max(0, second));
      case "TIME" -> second >= 0 ? null : time(first < 0 ? 6 : first);
      case "TIMESTAMP", "TIMESTAMPTZ" ->
          second >= 0
              ? null
              : zoned ? instant(first < 0 ? 6 : first) : timestamp(first < 0 ? 6 : first);
      case "CHAR" -> second >= 0 ? null : text(TypeKind.CHAR, Math.abs(first));
      case "VARCHAR", "TEXT", "STRING" -> second >= 0 ? null : text(TypeKind.VARCHAR, first);
      default -> null;
    };
  }

  /** What a declaration would call a type. */
  public static String name(DataType type) {
    return type.withNullable(true).toString();
  }

  private static @Nullable DataType decimal(int precision, int scale) {
    int digits = precision < 0 ? DataType.MAX_LONG_PRECISION : precision;
    return digits < 1 || digits > DataType.MAX_DECIMAL_PRECISION || scale > digits
        ? null
        : DataType.decimal(digits, scale, true);
  }

  /** A TIME holds microseconds: more digits are not kept. */
  private static DataType time(int precision) {
    return DataType.time(Math.min(DataType.MAX_TIME_PRECISION, precision), true);
  }

  private static DataType timestamp(int precision) {
    return DataType.timestamp(Math.min(DataType.MAX_TIMESTAMP_PRECISION, precision), true);
  }

  private static DataType instant(int precision) {
    return new DataType(TypeKind.INSTANT, timestamp(precision).precision(), 0, true);
  }

  private static @Nullable DataType text(TypeKind kind, int length) {
    return length == 0 ? null : new DataType(kind, length, 0, true);
  }
}
