package io.aragonite.rules.translate;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;

/** The quotients of sums and counts that averages become. */
public final class Averages {
  private Averages() {}

  /**
   * An average of decimals, rounded to its digits once: Calcite casts the quotient, which has more
   * of them and is rounded too.
   */
  public static RexNode rounded(RexBuilder builder, RexNode average) {
    RelDataType type = average.getType();
    return average.isA(SqlKind.CAST)
            && SqlTypeUtil.isDecimal(type)
            && ((RexCall) average).getOperands().get(0) instanceof RexCall quotient
            && quotient.isA(SqlKind.DIVIDE)
            && SqlTypeUtil.isDecimal(quotient.getType())
        ? builder.makeCall(type, quotient.getOperator(), quotient.getOperands())
        : average;
  }
}
