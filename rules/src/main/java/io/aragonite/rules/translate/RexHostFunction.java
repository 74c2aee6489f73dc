package io.aragonite.rules.translate;

import io.aragonite.exec.expr.HostFunction;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.function.Function1;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexExecutable;
import org.apache.calcite.rex.RexExecutorImpl;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * An expression compiled by Calcite's code generator. Rules translate expressions only to see
 * whether that works, so code is generated when {@link #prepare} or the first evaluation asks for
 * it.
 */
public final class RexHostFunction implements HostFunction {
  private final RexBuilder rexBuilder;
  private final RexNode body;
  private final RelDataType rowType;
  private final RelDataType[] argumentTypes;
  private final HostContext hostContext;
  private volatile @Nullable Function1<DataContext, @Nullable Object @Nullable []> code;

  RexHostFunction(
      RexBuilder rexBuilder, RexNode body, RelDataType rowType, HostContext hostContext) {
    this.rexBuilder = rexBuilder;
    this.body = body;
    this.rowType = rowType;
    this.hostContext = hostContext;
    this.argumentTypes =
        rowType.getFieldList().stream().map(RelDataTypeField::getType).toArray(RelDataType[]::new);
  }

  /** Generates the code. */
  public Function1<DataContext, @Nullable Object @Nullable []> prepare() {
    Function1<DataContext, @Nullable Object @Nullable []> present = code;
    if (present == null) {
      RexExecutable executable = RexExecutorImpl.getExecutable(rexBuilder, List.of(body), rowType);
      present = executable.getFunction();
      code = present;
    }
    return present;
  }

  @Override
  public @Nullable Object apply(@Nullable Object[] arguments) {
    @Nullable Object[] row = new Object[arguments.length];
    for (int i = 0; i < row.length; i++) {
      row[i] = CalciteValues.fromEngine(arguments[i], argumentTypes[i]);
    }
    return evaluate(hostContext.row(row));
  }

  /** The value in a context, in the engine's form. */
  @Nullable Object evaluate(DataContext context) {
    @Nullable Object @Nullable [] result = prepare().apply(context);
    return result == null ? null : CalciteValues.toEngine(result[0], body.getType());
  }

  @Override
  public String toString() {
    return body.toString();
  }
}
