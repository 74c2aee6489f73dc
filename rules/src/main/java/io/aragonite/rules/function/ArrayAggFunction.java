package io.aragonite.rules.function;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.fun.SqlBasicAggFunction;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.util.Optionality;

/**
 * {@code ARRAY_AGG(x [ORDER BY y])}: a list of the values of all rows, nulls too; null of no rows.
 * Calcite's own, which Enumerable runs without the nulls, is another function.
 */
public final class ArrayAggFunction extends SqlAggFunction {
  public static final SqlAggFunction ARRAY_AGG = new ArrayAggFunction();

  /** {@code ARRAY_AGG_IF(x, condition)}, a list with FILTER over a window. */
  public static final SqlAggFunction ARRAY_AGG_IF =
      SqlBasicAggFunction.create(
          "ARRAY_AGG_IF",
          SqlKind.OTHER_FUNCTION,
          ReturnTypes.TO_ARRAY.andThen(SqlTypeTransforms.FORCE_NULLABLE),
          OperandTypes.family(SqlTypeFamily.ANY, SqlTypeFamily.BOOLEAN));

  private ArrayAggFunction() {
    super(
        "ARRAY_AGG",
        null,
        SqlKind.ARRAY_AGG,
        ReturnTypes.andThen(ReturnTypes::stripOrderBy, ReturnTypes.TO_ARRAY)
            .andThen(SqlTypeTransforms.FORCE_NULLABLE),
        null,
        OperandTypes.ANY,
        SqlFunctionCategory.SYSTEM,
        false,
        false,
        Optionality.FORBIDDEN);
  }

  @Override
  public SqlSyntax getSyntax() {
    return SqlSyntax.ORDERED_FUNCTION;
  }

  @Override
  public boolean allowsNullTreatment() {
    return true;
  }

  @Override
  public RelDataType deriveType(SqlValidator validator, SqlValidatorScope scope, SqlCall call) {
    return super.deriveType(validator, scope, ReturnTypes.stripOrderBy(call));
  }
}
