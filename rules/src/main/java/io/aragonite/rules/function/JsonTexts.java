package io.aragonite.rules.function;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;

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
      case BINARY, VARBINARY, UUID -> "B";
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
    return new Json(type).text(value);
  }

  private static final class Json extends NestedWriter {
    Json(String type) {
      super(type, ",", ":");
    }

    @Override
    String none() {
      return "null";
    }

    @Override
    String name(String field) {
      return quoted(field);
    }

    /** JSON's keys are texts. */
    @Override
    String keyText(String text) {
      return text.startsWith("\"") ? text : quoted(text);
    }

    @Override
    String scalar(char kind, Object value) {
      return switch (kind) {
        case 'S' -> quoted((String) value);
        case 'N' -> number(value);
        case 'B' -> quoted(value.toString()); // hexadecimal, or a UUID
        default -> quoted(moment(kind, value));
      };
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
