package io.aragonite.adapter.sql.function;

import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlTableFunction;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeName;

/** {@code $SERIES(n)}: a table of the numbers from 0 to n - 1, in their order. */
public final class SeriesFunction extends SqlFunction implements SqlTableFunction {
  /** The function; its argument is a literal. */
  public static final SeriesFunction INSTANCE = new SeriesFunction();

  private SeriesFunction() {
    super(
        "$SERIES",
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.CURSOR,
        null,
        OperandTypes.LITERAL,
        SqlFunctionCategory.USER_DEFINED_TABLE_FUNCTION);
  }

  @Override
  public SqlReturnTypeInference getRowTypeInference() {
    return call -> call.getTypeFactory().builder().add("number", SqlTypeName.INTEGER).build();
  }
}
