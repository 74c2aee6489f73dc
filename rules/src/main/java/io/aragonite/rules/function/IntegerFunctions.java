package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Integers;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;

/**
 * Functions of whole numbers that Calcite lacks, or has for texts alone; the methods are for its
 * code.
 */
@Strict
public final class IntegerFunctions {
  /** {@code GCD(a, b)}, a BIGINT that is not negative. */
  public static final SqlFunction GCD = ofTwo("GCD");

  /** {@code LCM(a, b)}, a BIGINT that is not negative; beside a zero 0. */
  public static final SqlFunction LCM = ofTwo("LCM");

  /**
   * {@code $HEX(x)}: the bytes of a text or binary string, two digits each, or the digits of a
   * BIGINT, a negative one in two's complement.
   */
  public static final SqlFunction HEX =
      SqlBasicFunction.create(
          "$HEX",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.INTEGER.or(OperandTypes.STRING).or(OperandTypes.BINARY),
          SqlFunctionCategory.STRING);

  /** {@code UNHEX(text)}: the bytes that two digits each stand for, whatever their case. */
  public static final SqlFunction UNHEX =
      SqlBasicFunction.create(
          "UNHEX",
          ReturnTypes.VARBINARY_NULLABLE,
          OperandTypes.CHARACTER,
          SqlFunctionCategory.STRING);

  private static final HexFormat DIGITS = HexFormat.of().withUpperCase();

  private IntegerFunctions() {}

  private static SqlFunction ofTwo(String name) {
    return SqlBasicFunction.create(
        name,
        ReturnTypes.BIGINT_NULLABLE,
        OperandTypes.family(SqlTypeFamily.INTEGER, SqlTypeFamily.INTEGER),
        SqlFunctionCategory.NUMERIC);
  }

  public static long lcm(long a, long b) {
    return Math.multiplyExact(Integers.negativeShare(a, b), Integers.negative(b));
  }

  public static long gcd(long a, long b) {
    return Math.negateExact(Integers.negativeGcd(a, b));
  }

  public static String hex(long value) {
    return Long.toHexString(value).toUpperCase(Locale.ROOT);
  }

  public static String hex(String text) {
    return DIGITS.formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  public static ByteString unhex(String text) {
    try {
      return new ByteString(DIGITS.parseHex(text));
    } catch (IllegalArgumentException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_CAST,
          "'%s' is not hexadecimal: bytes have two digits each.".formatted(text),
          e);
    }
  }

  public static String hex(ByteString bytes) {
    return DIGITS.formatHex(bytes.getBytes());
  }
}
