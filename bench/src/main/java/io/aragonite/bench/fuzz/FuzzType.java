package io.aragonite.bench.fuzz;

import java.math.BigDecimal;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What kind of value an expression of a random statement has. Values of one kind can stand for each other, whatever their widths.
 */
enum FuzzType {
  BOOLEAN("true", "boolean"),
  INTEGER("0", "tinyint", "smallint", "integer", "bigint"),
  DECIMAL("0.5", "decimal(4, 1)", "decimal(9, 2)", "decimal(18, 4)", "decimal(25, 3)"),
  DOUBLE("cast(0.0 as double)", "double", "real"),
  VARCHAR("''", "varchar"),
  DATE("date '2020-01-01'", "date"),
  TIMESTAMP("timestamp '2020-01-01 00:00:00'", "timestamp"),
  TIME("time '00:00:00'", "time"),
  INSTANT("timestamptz '2020-01-01 00:00:00+00:00'", "timestamptz"),
  UUID("cast('00000000-0000-0000-0000-000000000000' as uuid)", "uuid");

  /** Those whose values can be added. */
  static final List<FuzzType> NUMERIC = List.of(INTEGER, DECIMAL, DOUBLE);

  private final String simplest;
  private final List<String> columnTypes;

  FuzzType(String simplest, String... columnTypes) {
    this.simplest = simplest;
    this.columnTypes = List.of(columnTypes);
  }

  /** What a parameter of the kind is cast to. */
  String parameterType() {
    return switch (this) {
      case INTEGER -> "integer";
      case DECIMAL -> "decimal(9, 3)";
      default -> columnTypes.get(0);
    };
  }

  /** The Java value of a literal that {@link FuzzExpressions#literal} makes; null for NULL. */
  @Nullable Object javaValue(String literal) {
    if (literal.startsWith("cast(null")) {
      return null;
    }
    int quote = literal.indexOf('\'') + 1;
    return switch (this) {
      case BOOLEAN -> Boolean.valueOf(literal);
      case INTEGER -> Integer.valueOf(literal);
      case DECIMAL -> new BigDecimal(literal);
      case DOUBLE -> Double.valueOf(literal.substring("cast(".length(), literal.indexOf(" as ")));
      case VARCHAR -> literal.substring(1, literal.length() - 1).replace("''", "'");
      case DATE -> Date.valueOf(LocalDate.parse(literal.substring(quote, literal.length() - 1)));
      case TIMESTAMP -> Timestamp.valueOf(literal.substring(quote, literal.length() - 1));
      case TIME -> LocalTime.parse(literal.substring(quote, literal.length() - 1));
      case INSTANT -> OffsetDateTime.parse(literal.substring(quote, literal.length() - 1).replace(' ', 'T'));
      case UUID -> java.util.UUID.fromString(literal.substring(quote, literal.lastIndexOf('\'')));
    };
  }

  /** Whether two literals that are not NULL are parameters of the same type: drivers tell digits of decimals and, by powers of two, lengths of texts. */
  boolean isAlike(String one, String other) {
    if (other.startsWith("cast(null")) {
      return false;
    }
    return switch (this) {
      case DECIMAL -> {
        BigDecimal first = new BigDecimal(one);
        BigDecimal second = new BigDecimal(other);
        yield first.scale() == second.scale() && first.precision() == second.precision();
      }
      case VARCHAR -> lengthClass(one) == lengthClass(other);
      default -> true;
    };
  }

  private static int lengthClass(String text) {
    String value = text.substring(1, text.length() - 1).replace("''", "'");
    int length = value.codePointCount(0, value.length());
    return length <= 1 ? 1 : Integer.highestOneBit(length - 1) << 1;
  }

  /** A literal that any expression of the kind may be replaced by. */
  String simplest() {
    return simplest;
  }

  /** What columns of the kind are declared as, in the SQL that DuckDB and we share. */
  List<String> columnTypes() {
    return columnTypes;
  }
}
