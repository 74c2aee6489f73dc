package io.aragonite.rules.function;

import io.aragonite.exec.expr.Integers;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;

/** Functions of whole numbers that Calcite lacks; the methods are for its code. */
@Strict
public final class IntegerFunctions {
  /** {@code GCD(a, b)}, a BIGINT that is not negative. */
  public static final SqlFunction GCD = ofTwo("GCD");

  /** {@code LCM(a, b)}, a BIGINT that is not negative; beside a zero 0. */
  public static final SqlFunction LCM = ofTwo("LCM");

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
}
