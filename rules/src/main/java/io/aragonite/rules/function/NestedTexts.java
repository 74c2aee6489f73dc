package io.aragonite.rules.function;

import java.math.BigDecimal;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;

/**
 * Structs, maps and lists as texts: {@code {'a': 1, 'b': [x, y]}}, as a cast to VARCHAR has the
 * values in them.
 */
@Strict
public final class NestedTexts {
  /** {@code NESTED_TEXT(value, type)}, the type that of {@link JsonTexts#type}. */
  public static final SqlFunction NESTED_TEXT =
      SqlBasicFunction.create(
          "NESTED_TEXT",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.ANY_ANY,
          SqlFunctionCategory.STRING);

  private NestedTexts() {}

  /** A value that is not null as a text. */
  public static String of(Object value, String type) {
    return new Plain(type).text(value);
  }

  private static final class Plain extends NestedWriter {
    Plain(String type) {
      super(type, ", ", ": ");
    }

    @Override
    String none() {
      return "NULL";
    }

    /** Fields of {@code ROW(1, 2)} have no names. */
    @Override
    String name(String field) {
      return field.startsWith("EXPR$") ? "" : "'" + field + "'";
    }

    @Override
    String keyText(String text) {
      return text;
    }

    @Override
    String equal() {
      return "=";
    }

    @Override
    String scalar(char kind, Object value) {
      return switch (kind) {
        case 'N' ->
            switch (value) {
              case BigDecimal number -> number.toPlainString();
              case Boolean truth -> truth ? "TRUE" : "FALSE";
              default -> value.toString();
            };
        case 'S', 'B' -> value.toString();
        default -> moment(kind, value);
      };
    }
  }
}
