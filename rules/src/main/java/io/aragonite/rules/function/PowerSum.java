package io.aragonite.rules.function;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.util.Optionality;

/**
 * The sum of a power of the distances of DOUBLEs from a point near the mean of their group, the
 * same one for all powers; null of no values. The plan finds that point, and has sums in the place
 * of these: what skewness and kurtosis are made of does not change with the point.
 */
public final class PowerSum extends SqlAggFunction {
  /** The greatest power. */
  public static final int MOST = 4;

  private static final List<PowerSum> ALL =
      IntStream.rangeClosed(1, MOST).mapToObj(PowerSum::new).toList();

  private final int power;

  private PowerSum(int power) {
    super(
        "POWER_SUM_" + power,
        null,
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.AGG_SUM,
        null,
        OperandTypes.family(SqlTypeFamily.NUMERIC),
        SqlFunctionCategory.USER_DEFINED_FUNCTION,
        false,
        false,
        Optionality.FORBIDDEN);
    this.power = power;
  }

  /** That of a power from 1 to {@link #MOST}. */
  public static PowerSum of(int power) {
    return ALL.get(power - 1);
  }

  /** Which power is added up. */
  public int power() {
    return power;
  }
}
