package io.aragonite.rules.function;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.fun.SqlAvgAggFunction;
import org.apache.calcite.sql.fun.SqlBasicAggFunction;
import org.apache.calcite.sql.fun.SqlCovarAggFunction;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlNthValueAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeTransforms;

/**
 * Functions of Calcite that may be NULL where Calcite's own say that they are not, so that a plan
 * took conditions on them for settled. They equal Calcite's, and are translated as those are, but
 * for that of lists, which keep nulls.
 */
public final class NullableFunctions {
  /** {@code LPAD(text, length [, with])}. */
  public static final SqlFunction LPAD = padded(SqlLibraryOperators.LPAD);

  /** {@code RPAD(text, length [, with])}. */
  public static final SqlFunction RPAD = padded(SqlLibraryOperators.RPAD);

  /** {@code NTH_VALUE(value, n)}: of a frame of fewer rows. */
  private static final SqlAggFunction NTH_VALUE = new NthValue();

  /** {@code MODE(value)}: of no values. */
  static final SqlAggFunction MODE =
      SqlBasicAggFunction.create(
          "MODE",
          SqlKind.MODE,
          ReturnTypes.ARG0.andThen(SqlTypeTransforms.FORCE_NULLABLE),
          OperandTypes.ANY);

  /** {@code VAR_SAMP(value)}, also as {@code VARIANCE}: of one value. */
  private static final SqlAggFunction VAR_SAMP = new SampleVariance();

  /** {@code COVAR_SAMP(value, value)}: of one pair. */
  private static final SqlAggFunction COVAR_SAMP = new SampleCovariance();

  private NullableFunctions() {}

  /** What is to be taken for an operator of Calcite. */
  public static SqlOperator nullable(SqlOperator operator) {
    if (operator.equals(SqlStdOperatorTable.NTH_VALUE)) {
      return NTH_VALUE;
    }
    if (operator.equals(SqlLibraryOperators.ARRAY_AGG)) {
      return ArrayAggFunction.ARRAY_AGG;
    }
    if (operator.getKind() == SqlKind.VAR_SAMP) {
      return VAR_SAMP;
    }
    if (operator.getKind() == SqlKind.COVAR_SAMP) {
      return COVAR_SAMP;
    }
    return operator.equals(SqlStdOperatorTable.MODE) ? MODE : operator;
  }

  private static SqlFunction padded(SqlFunction function) {
    return SqlBasicFunction.create(
        function.getName(),
        ReturnTypes.VARCHAR_NULLABLE,
        function.getOperandTypeChecker(),
        SqlFunctionCategory.STRING);
  }

  private static final class NthValue extends SqlNthValueAggFunction {
    NthValue() {
      super(SqlKind.NTH_VALUE);
    }

    @Override
    public RelDataType inferReturnType(SqlOperatorBinding binding) {
      return nullable(binding, super.inferReturnType(binding));
    }
  }

  private static final class SampleVariance extends SqlAvgAggFunction {
    SampleVariance() {
      super(SqlKind.VAR_SAMP);
    }

    @Override
    public RelDataType inferReturnType(SqlOperatorBinding binding) {
      return nullable(binding, super.inferReturnType(binding));
    }
  }

  private static final class SampleCovariance extends SqlCovarAggFunction {
    SampleCovariance() {
      super(SqlKind.COVAR_SAMP);
    }

    @Override
    public RelDataType inferReturnType(SqlOperatorBinding binding) {
      return nullable(binding, super.inferReturnType(binding));
    }
  }

  private static RelDataType nullable(SqlOperatorBinding binding, RelDataType type) {
    return binding.getTypeFactory().createTypeWithNullability(type, true);
  }
}
