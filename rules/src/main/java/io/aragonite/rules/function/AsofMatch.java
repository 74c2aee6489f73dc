package io.aragonite.rules.function;

import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;

/** What marks the inequality of an ASOF join that Calcite's grammar lacks. */
public final class AsofMatch {
  /** {@code $ASOF(a.t >= b.t)} in the condition of a RIGHT or FULL JOIN makes it an ASOF join. */
  public static final SqlFunction ASOF_MATCH =
      SqlBasicFunction.create(
          "$ASOF", ReturnTypes.ARG0, OperandTypes.family(SqlTypeFamily.BOOLEAN));

  private AsofMatch() {}
}
