package io.aragonite.rules.function;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.jspecify.annotations.Nullable;

/**
 * JSON texts of values. Calcite's code has values without their types, so that a text beside a
 * value says what it is: a letter for a kind, {@code L} before what a list is of, {@code M} before
 * what a map's keys and values are of, {@code R} and the number of fields before names and types of
 * a row.
 */
@Strict
public final class JsonTexts {
  /** {@code TO_JSON_TEXT(value, type)}. */
  public static final SqlFunction TO_JSON_TEXT =
      SqlBasicFunction.create(
          "TO_JSON_TEXT",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.ANY_ANY,
          SqlFunctionCategory.STRING);

  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private JsonTexts() {}

  /**
   * The type of a value for {@link #of}.
   *
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if JSON has no such values
   */
  public static String type(RelDataType type) {
    if (type.isStruct()) {
      StringBuilder row = new StringBuilder("R" + type.getFieldCount() + ":");
      for (RelDataTypeField field : type.getFieldList()) {
        String name = field.getName();
        row.append(name.length()).append(':').append(name).append(type(field.getType()));
      }
      return row.toString();
    }
    return switch (type.getSqlTypeName()) {
      case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, REAL, FLOAT, DOUBLE, DECIMAL, NULL -> "N";
      case CHAR, VARCHAR -> "S";
      case DATE -> "D";
      case TIME -> "T";
      case TIMESTAMP -> "P";
      case ARRAY, MULTISET -> "L" + type(Objects.requireNonNull(type.getComponentType()));
      case MAP ->
          "M"
              + type(Objects.requireNonNull(type.getKeyType()))
              + type(Objects.requireNonNull(type.getValueType()));
      case BINARY, VARBINARY -> "B";
      case INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH -> "Y";
      case INTERVAL_DAY,
          INTERVAL_DAY_HOUR,
          INTERVAL_DAY_MINUTE,
          INTERVAL_DAY_SECOND,
          INTERVAL_HOUR,
          INTERVAL_HOUR_MINUTE,
          INTERVAL_HOUR_SECOND,
          INTERVAL_MINUTE,
          INTERVAL_MINUTE_SECOND,
          INTERVAL_SECOND ->
          "I";
      default ->
          throw new AragoniteException(
              ErrorCode.EXPRESSION_UNSUPPORTED,
              "JSON has no values of the type %s; cast them to VARCHAR.".formatted(type));
    };
  }

  /** A value that is not null as JSON. */
  public static String of(Object value, String type) {
    StringBuilder json = new StringBuilder();
    new Writer(type, json).value(value);
    return json.toString();
  }

  /** Reads a type while it writes the values. */
  private static final class Writer {
    private final String type;
    private final StringBuilder json;
    private int at;

    Writer(String type, StringBuilder json) {
      this.type = type;
      this.json = json;
    }

    private int number() {
      int end = type.indexOf(':', at);
      int number = Integer.parseInt(type.substring(at, end));
      at = end + 1;
      return number;
    }

    void value(@Nullable Object value) {
      char kind = type.charAt(at++);
      switch (kind) {
        case 'L' -> list(value);
        case 'M' -> map(value);
        case 'R' -> row(value);
        default -> json.append(value == null ? "null" : scalar(kind, value));
      }
    }

    private void list(@Nullable Object value) {
      int element = at;
      if (value == null) {
        skip();
        json.append("null");
        return;
      }
      json.append('[');
      String before = "";
      for (Object each : (List<?>) value) {
        at = element;
        json.append(before);
        value(each);
        before = ",";
      }
      at = element;
      skip();
      json.append(']');
    }

    private void map(@Nullable Object value) {
      int entry = at;
      if (value == null) {
        skip();
        skip();
        json.append("null");
        return;
      }
      json.append('{');
      String before = "";
      for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet()) {
        at = entry;
        json.append(before).append(key(each.getKey())).append(':');
        value(each.getValue());
        before = ",";
      }
      at = entry;
      skip();
      skip();
      json.append('}');
    }

    /** JSON's keys are texts. */
    private String key(@Nullable Object value) {
      int from = json.length();
      value(value);
      String key = json.substring(from);
      json.setLength(from);
      return key.startsWith("\"") ? key : quoted(key);
    }

    private void row(@Nullable Object value) {
      Iterator<?> fields =
          switch (value) {
            case Object[] array -> Arrays.asList(array).iterator();
            case Iterable<?> list -> list.iterator();
            case null, default -> null;
          };
      json.append(fields == null ? "null" : "{");
      int count = number();
      for (int i = 0; i < count; i++) {
        int length = number();
        String name = type.substring(at, at + length);
        at += length;
        if (fields == null) {
          skip();
        } else {
          json.append(i == 0 ? "" : ",").append(quoted(name)).append(':');
          value(fields.next());
        }
      }
      json.append(fields == null ? "" : "}");
    }

    /** Goes on behind a type of which there is no value. */
    private void skip() {
      char kind = type.charAt(at++);
      if (kind == 'L') {
        skip();
      } else if (kind == 'M') {
        skip();
        skip();
      } else if (kind == 'R') {
        int count = number();
        for (int i = 0; i < count; i++) {
          at += number();
          skip();
        }
      }
    }

    private static String scalar(char kind, Object value) {
      return switch (kind) {
        case 'S' -> quoted((String) value);
        case 'D' -> quoted(LocalDate.ofEpochDay(((Number) value).longValue()).toString());
        case 'T' ->
            quoted(
                LocalTime.ofNanoOfDay(((Number) value).longValue() * 1_000_000)
                    .format(DateTimeFormatter.ISO_LOCAL_TIME));
        case 'P' -> quoted(moment(((Number) value).longValue()));
        case 'B' -> quoted(value.toString()); // hexadecimal
        case 'Y' -> quoted(IntervalFunctions.monthsText(((Number) value).intValue()));
        case 'I' -> quoted(IntervalFunctions.intervalText(((Number) value).longValue()));
        default -> number(value);
      };
    }

    private static String moment(long millis) {
      LocalDateTime moment =
          LocalDateTime.ofEpochSecond(
              Math.floorDiv(millis, 1000L),
              (int) Math.floorMod(millis, 1000L) * 1_000_000,
              ZoneOffset.UTC);
      int fraction = moment.getNano() / 1_000_000;
      return moment.format(MOMENT)
          + (fraction == 0 ? "" : "." + String.valueOf(1000 + fraction).substring(1));
    }

    /** Numbers that JSON has not are null. */
    private static String number(Object value) {
      return switch (value) {
        case Double number when !Double.isFinite(number) -> "null";
        case Float number when !Float.isFinite(number) -> "null";
        case BigDecimal number -> number.toPlainString();
        default -> value.toString();
      };
    }

    private static String quoted(String text) {
      return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
    }
  }
}
