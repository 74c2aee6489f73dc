package io.aragonite.rules.translate;

import io.aragonite.exec.expr.HostFunction;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.runtime.SqlFunctions;
import org.jspecify.annotations.Nullable;

/** A field of a row that an expression computes or a column holds. */
record StructField(int index, String name, RelDataType type) implements HostFunction {
  @Override
  public @Nullable Object apply(@Nullable Object[] arguments) {
    Object row = arguments[0];
    return row == null
        ? null
        : CalciteValues.toEngine(SqlFunctions.structAccess(row, index, name), type);
  }
}
