package io.aragonite.rules.function;

import java.util.concurrent.ThreadLocalRandom;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
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

  private RandomFunctions() {}

  private static SqlFunction numbered(String name, SqlTypeName type) {
    return new SqlFunction(
        name,
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.explicit(type),
        null,
        OperandTypes.INTEGER,
        SqlFunctionCategory.SYSTEM) {
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
}
