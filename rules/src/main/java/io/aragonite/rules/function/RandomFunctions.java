package io.aragonite.rules.function;

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
  public static final SqlFunction UUID =
      new SqlFunction(
          "$UUID",
          SqlKind.OTHER_FUNCTION,
          ReturnTypes.explicit(SqlTypeName.VARCHAR),
          null,
          OperandTypes.INTEGER,
          SqlFunctionCategory.SYSTEM) {
        @Override
        public boolean isDeterministic() {
          return false;
        }
      };

  private RandomFunctions() {}

  public static String uuid(long call) {
    return java.util.UUID.randomUUID().toString();
  }
}
