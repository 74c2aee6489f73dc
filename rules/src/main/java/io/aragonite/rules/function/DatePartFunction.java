package io.aragonite.rules.function;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.InferTypes;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.jspecify.annotations.Nullable;

/** The unit of time that a text names; the method is for Calcite's code. */
@Strict
public final class DatePartFunction {
  /**
   * {@code $DATE_PART(name)}: the ordinal of the {@link io.aragonite.exec.expr.DatePart}. Another
   * name is INVALID_ARGUMENT.
   */
  public static final SqlFunction DATE_PART =
      SqlBasicFunction.create(
              "$DATE_PART",
              ReturnTypes.INTEGER_NULLABLE,
              OperandTypes.CHARACTER,
              SqlFunctionCategory.TIMEDATE)
          .withOperandTypeInference(InferTypes.VARCHAR_1024);

  private static final Expr.Call CALL =
      new Expr.Call(Op.DATE_PART, List.of(new Expr.InputRef(0, DataType.VARCHAR)), DataType.INT32);

  private DatePartFunction() {}

  public static int datePart(String name) {
    @Nullable Object[] values = {name};
    return ((Number) Objects.requireNonNull(Interpreter.apply(CALL, values))).intValue();
  }
}
