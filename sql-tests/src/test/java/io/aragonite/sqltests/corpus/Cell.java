package io.aragonite.sqltests.corpus;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A value of a result in a form in which engines can be compared: numbers by value whatever their
 * type and scale, dates and times as ISO texts.
 *
 * @param text what is compared if either side is no number; {@code null} for NULL
 * @param number the value if it is a number
 * @param approximate whether it is a floating-point number
 */
record Cell(@Nullable String text, @Nullable BigDecimal number, boolean approximate) {
  static final Cell NULL = new Cell(null, null, false);

  private static final double TOLERANCE = 1e-9;
  private static final MathContext ROUGH = new MathContext(6);

  /** A value as JDBC's getObject returns it. */
  static Cell of(@Nullable Object value) {
    return switch (value) {
      case null -> NULL;
      case BigDecimal decimal -> exact(decimal);
      case BigInteger integer -> exact(new BigDecimal(integer));
      case Double d -> approximate(d);
      case Float f -> approximate(f);
      case Number n -> exact(BigDecimal.valueOf(n.longValue()));
      case byte[] bytes -> text(HexFormat.of().formatHex(bytes));
      case Date date -> text(date.toLocalDate().toString());
      case LocalDate date -> text(date.toString());
      case LocalTime time -> text(time.toString());
      case Timestamp timestamp -> text(timestamp.toLocalDateTime().toString());
      case LocalDateTime timestamp -> text(timestamp.toString());
      default -> text(value.toString());
    };
  }

  /** A cell of a script: NULL, a number, or a text. */
  static Cell parse(String cell) {
    if (cell.equals("NULL")) {
      return NULL;
    }
    try {
      return new Cell(cell, new BigDecimal(cell), cell.contains("e"));
    } catch (NumberFormatException e) {
      return text(cell.replace("\\n", "\n").replace("\\p", "|"));
    }
  }

  private static Cell text(String text) {
    return new Cell(text, null, false);
  }

  private static Cell exact(BigDecimal value) {
    return new Cell(value.toPlainString(), value, false);
  }

  private static Cell approximate(double value) {
    return Double.isFinite(value)
        ? new Cell(Double.toString(value), new BigDecimal(value), true)
        : text(Double.toString(value));
  }

  /** Whether both show the same value; floating-point numbers may differ in their last digits. */
  boolean same(Cell other) {
    if (number == null || other.number == null) {
      return text == null ? other.text == null : text.equals(other.text);
    }
    if (!approximate && !other.approximate) {
      return number.compareTo(other.number) == 0;
    }
    double a = number.doubleValue();
    double b = other.number.doubleValue();
    return a == b || Math.abs(a - b) <= TOLERANCE * Math.max(1e-30, Math.max(abs(a), abs(b)));
  }

  private static double abs(double value) {
    return Math.abs(value);
  }

  /** A text by which rows can be sorted on both sides before they are compared. */
  String sortKey() {
    if (number == null) {
      return text == null ? "NULL" : "t" + text;
    }
    BigDecimal rough = number.signum() == 0 ? BigDecimal.ZERO : number.round(ROUGH);
    return "n" + rough.stripTrailingZeros().toPlainString();
  }

  /** All digits of an exact number, nothing for other values. */
  String exactKey() {
    return number == null || approximate ? "" : number.stripTrailingZeros().toPlainString();
  }

  @Override
  public String toString() {
    String shown = text == null ? "NULL" : text.replace("\n", "\\n");
    return shown.length() <= 60 ? shown : shown.substring(0, 60) + "...(" + shown.length() + ")";
  }
}
