package io.aragonite.rules.function;

import java.util.List;
import java.util.Objects;
import org.apache.calcite.schema.impl.AggregateFunctionImpl;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandMetadata;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.apache.calcite.sql.validate.SqlUserDefinedAggFunction;
import org.apache.calcite.util.Optionality;
import org.jspecify.annotations.Nullable;

/** What variances and covariances over windows are made of. */
public final class WindowMoments {
  private static final SqlOperandMetadata NUMBERS =
      OperandTypes.operandMetadata(
          List.of(SqlTypeFamily.NUMERIC, SqlTypeFamily.NUMERIC),
          types -> List.of(),
          i -> "x" + i,
          i -> false);

  /**
   * {@code COMOMENT(x, y)}: the sum of the products of the distances from the means of the rows
   * where neither is null, a DOUBLE; null of no rows.
   */
  public static final SqlAggFunction COMOMENT =
      new SqlUserDefinedAggFunction(
          new SqlIdentifier("COMOMENT", SqlParserPos.ZERO),
          SqlKind.OTHER_FUNCTION,
          ReturnTypes.DOUBLE.andThen(SqlTypeTransforms.FORCE_NULLABLE),
          null,
          NUMBERS,
          Objects.requireNonNull(AggregateFunctionImpl.create(Comoment.class)),
          false,
          false,
          Optionality.FORBIDDEN);

  private WindowMoments() {}

  /** State for Calcite's code, which makes one for each frame (Welford's algorithm). */
  public static final class Comoment {
    private double count;
    private double leftMean;
    private double rightMean;
    private double products;

    public Comoment() {}

    /** No rows. */
    public static Comoment init() {
      return new Comoment();
    }

    /** Adds a row. */
    public static Comoment add(Comoment to, @Nullable Double left, @Nullable Double right) {
      if (left != null && right != null) {
        to.count++;
        double step = left - to.leftMean;
        to.leftMean += step / to.count;
        to.rightMean += (right - to.rightMean) / to.count;
        to.products += step * (right - to.rightMean);
      }
      return to;
    }

    /** The sum. */
    public static @Nullable Double result(Comoment of) {
      return of.count == 0 ? null : (Double) of.products;
    }
  }
}
