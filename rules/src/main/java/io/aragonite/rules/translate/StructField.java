package io.aragonite.rules.translate;

import io.aragonite.exec.expr.HostFunction;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.NestedDecoder;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.runtime.SqlFunctions;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** A field of a row that an expression computes or a column holds. */
public record StructField(int index, String name, RelDataType type) implements HostFunction {
  @Override
  public @Nullable Object apply(@Nullable Object[] arguments) {
    Object row = arguments[0];
    return row == null
        ? null
        : CalciteValues.toEngine(SqlFunctions.structAccess(row, index, name), type);
  }

  /** The field of a stored row, by the bytes of the row. */
  public HostFunction of(NestedDecoder row) {
    NestedDecoder field = row.field(index);
    return TypeMapping.of(type).kind() == TypeKind.OPAQUE ? field : new StoredField(field, type);
  }

  /** A scalar. */
  private record StoredField(NestedDecoder decoder, RelDataType type) implements NestedDecoder {
    @Override
    public @Nullable Object apply(@Nullable Object[] arguments) {
      Object value = decoder.apply(arguments);
      return type.getSqlTypeName() == SqlTypeName.TIMESTAMP
              || type.getSqlTypeName() == SqlTypeName.TIME
          ? value
          : CalciteValues.toEngine(value, type);
    }

    @Override
    public NestedDecoder field(int index) {
      return decoder.field(index);
    }

    @Override
    public @Nullable HostFunction stored() {
      return decoder.stored();
    }
  }
}
