package io.aragonite.rules.function;

import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;

/** What marks the conditions of ASOF joins, which Calcite takes for those of others. */
public final class AsofMatch {
  /** {@code $ASOF(a.t >= b.t)} in the condition of a join makes it an ASOF join. */
  public static final SqlFunction ASOF_MATCH =
      SqlBasicFunction.create(
          "$ASOF", ReturnTypes.ARG0, OperandTypes.family(SqlTypeFamily.BOOLEAN));

  /**
   * {@code $ASOF_USING(a.t, 'k', 't')} in the condition of an ASOF join names columns that it makes
   * one of; it is true.
   */
  public static final SqlFunction ASOF_USING =
      SqlBasicFunction.create("$ASOF_USING", ReturnTypes.BOOLEAN_NOT_NULL, OperandTypes.VARIADIC);

  private AsofMatch() {}
}
