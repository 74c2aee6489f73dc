package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;

/** Functions whose value is another one in each row; the methods are for Calcite's code. */
@Strict
public final class RandomFunctions {
  /**
   * {@code $UUID(n)}: a random UUID as a text. Calls with different numbers are different ones,
   * which nothing makes one of.
   */
  public static final SqlFunction UUID = numbered("$UUID", SqlTypeName.VARCHAR);

  /** {@code $RANDOM(n)}: a DOUBLE from 0 to less than 1. */
  public static final SqlFunction RANDOM = numbered("$RANDOM", SqlTypeName.DOUBLE);

  /** {@code $RANDOM_INTEGER(n, bound)}: an INTEGER from 0 to less than the bound. */
  public static final SqlFunction RANDOM_INTEGER =
      numbered(
          "$RANDOM_INTEGER",
          ReturnTypes.INTEGER_NULLABLE,
          OperandTypes.family(SqlTypeFamily.INTEGER, SqlTypeFamily.INTEGER));

  private RandomFunctions() {}

  private static SqlFunction numbered(String name, SqlTypeName type) {
    return numbered(name, ReturnTypes.explicit(type), OperandTypes.INTEGER);
  }

  private static SqlFunction numbered(
      String name, SqlReturnTypeInference type, SqlOperandTypeChecker operands) {
    return new SqlFunction(
        name, SqlKind.OTHER_FUNCTION, type, null, operands, SqlFunctionCategory.SYSTEM) {
      @Override
      public boolean isDeterministic() {
        return false;
      }
    };
  }

  public static String uuid(long call) {
    return java.util.UUID.randomUUID().toString();
  }

  public static double random(long call) {
    return ThreadLocalRandom.current().nextDouble();
  }

  /**
   * @throws AragoniteException INVALID_ARGUMENT if the bound is not positive
   */
  public static int randomInteger(long call, int bound) {
    if (bound < 1) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "RAND_INTEGER needs a bound of 1 at least, not %d.".formatted(bound));
    }
    return ThreadLocalRandom.current().nextInt(bound);
  }
}
