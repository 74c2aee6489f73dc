package io.aragonite.adapter.sql;

import io.aragonite.adapter.parameter.TypedMarker;
import java.util.stream.IntStream;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.sql.validate.implicit.TypeCoercionImpl;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's implicit conversions, with two differences. A CHAR that is compared with a text is left
 * to {@link Convertlets}, which knows of padding. And the literals of a long IN list become values
 * of the common type without a cast around each, so that the list is one relation of constants; a
 * cast would make each element a relation of its own.
 */
final class Coercion extends TypeCoercionImpl {
  private @Nullable SqlNodeList inList;

  Coercion(RelDataTypeFactory typeFactory, SqlValidator validator) {
    super(typeFactory, validator);
  }

  @Override
  public boolean binaryComparisonCoercion(SqlCallBinding binding) {
    QueryValidator.requireNoNumberAsBoolean(binding);
    boolean texts =
        (binding.getOperandCount() == 2
                || binding.operands().stream().anyMatch(TypedMarker::isText))
            && IntStream.range(0, binding.getOperandCount())
                .allMatch(i -> SqlTypeUtil.inCharFamily(binding.getOperandType(i)));
    return !texts && super.binaryComparisonCoercion(binding);
  }

  @Override
  public boolean inOperationCoercion(SqlCallBinding binding) {
    SqlNodeList outer = inList;
    inList =
        binding.operand(1) instanceof SqlNodeList list && list.size() >= LiteralLists.LONG
            ? list
            : null;
    try {
      return super.inOperationCoercion(binding);
    } finally {
      inList = outer;
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the list that is being converted
  protected boolean coerceColumnType(
      @Nullable SqlValidatorScope scope, SqlNodeList nodes, int index, RelDataType type) {
    SqlNode node = nodes.get(index);
    return nodes == inList && LiteralLists.isValueOf(node, type)
        || super.coerceColumnType(scope, nodes, index, type);
  }
}
