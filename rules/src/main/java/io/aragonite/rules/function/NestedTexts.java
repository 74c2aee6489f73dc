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
 * values in them. What would be read as something else stands in quotes, as in DuckDB: {@code ['x,
 * y', '', 'null', NULL]}.
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

  /** Characters that stand between values, or begin and end some. */
  private static final String SPECIAL = "\"'(),:=[\\]{}";

  /** As the engine's casts have it. */
  private static final String ZERO = "0E0";

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
      return field.startsWith("EXPR$") ? "" : quoted(field);
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
              case Double zero when zero == 0 -> ZERO;
              case Float zero when zero == 0 -> ZERO;
              default -> value.toString();
            };
        case 'S', 'B' -> unambiguous(value.toString());
        default -> unambiguous(moment(kind, value));
      };
    }

    private static String unambiguous(String text) {
      boolean plain =
          !text.isEmpty()
              && !text.equalsIgnoreCase("null")
              && !isSpace(text.charAt(0))
              && !isSpace(text.charAt(text.length() - 1))
              && text.chars().noneMatch(c -> SPECIAL.indexOf(c) >= 0);
      return plain ? text : quoted(text);
    }

    private static boolean isSpace(char c) {
      return c == ' ' || c >= '\t' && c <= '\r';
    }

    private static String quoted(String text) {
      return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
  }
}
