package io.aragonite.spark.jdbc;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;

/** Values as Spark holds them inside, as literals of the same type in SQL. */
final class SqlLiterals {
  private static final int LAST_YEAR = 9999;
  private static final long MICROS = 1_000_000;
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  private SqlLiterals() {}

  static String of(Object value, DataType type) {
    return switch (type) {
      case BooleanType t -> value.toString();
      case ByteType t -> value.toString();
      case ShortType t -> value.toString();
      case IntegerType t -> value.toString();
      case LongType t -> value.toString();
      case FloatType t -> "CAST(" + floating((Float) value, value.toString()) + " AS REAL)";
      case DoubleType t -> floating((Double) value, value.toString());
      case DecimalType t -> decimal((Decimal) value);
      case StringType t -> text(value.toString());
      case BinaryType t -> "X'" + HexFormat.of().formatHex((byte[]) value) + "'";
      case DateType t -> date(LocalDate.ofEpochDay((Integer) value));
      case TimestampNTZType t -> timestamp((Long) value);
      default -> throw PushedSql.refused("a value of " + type.sql());
    };
  }

  /** With an exponent, since a number without one is a decimal. */
  private static String floating(double value, String text) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      throw PushedSql.refused(text);
    }
    return text.contains("E") ? text : text + "E0";
  }

  private static String decimal(Decimal value) {
    BigDecimal number = value.toJavaBigDecimal();
    return number.toPlainString();
  }

  static String text(String value) {
    return "'" + value.replace("'", "''") + "'";
  }

  private static String date(LocalDate day) {
    if (day.getYear() < 1 || day.getYear() > LAST_YEAR) {
      throw PushedSql.refused("the day " + day);
    }
    return "DATE '" + day + "'";
  }

  private static String timestamp(long micros) {
    Instant instant =
        Instant.ofEpochSecond(
            Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1_000);
    LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    if (time.getYear() < 1 || time.getYear() > LAST_YEAR) {
      throw PushedSql.refused("the time " + time);
    }
    return "TIMESTAMP '" + TIMESTAMP.format(time) + "'";
  }
}
