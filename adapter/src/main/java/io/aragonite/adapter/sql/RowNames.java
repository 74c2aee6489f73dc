package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.FunctionForms;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlCase;
import org.jspecify.annotations.Nullable;

/**
 * Refuses rows of several names in one column of a UNION, INTERSECT, EXCEPT or VALUES, in a list or
 * in a CASE, whose fields Calcite would put together by their places.
 */
final class RowNames {
  private RowNames() {}

  /**
   * Of a query.
   *
   * @param columns of each of its operands, null if they are not known
   */
  static void check(SqlCall query, Function<SqlNode, @Nullable RelDataType> columns) {
    List<RelDataType> inputs =
        query.getOperandList().stream().map(columns).filter(Objects::nonNull).toList();
    for (RelDataType other : inputs) {
      RelDataType first = inputs.getFirst();
      for (int i = 0; i < Math.min(first.getFieldCount(), other.getFieldCount()); i++) {
        require(
            query, first.getFieldList().get(i).getType(), other.getFieldList().get(i).getType());
      }
    }
  }

  /**
   * Of a list or a CASE.
   *
   * @param type of the call
   * @param types of its values
   */
  static void check(SqlCall call, RelDataType type, Function<SqlNode, RelDataType> types) {
    if (!type.isStruct() && type.getComponentType() == null) {
      return;
    }
    List<SqlNode> values = new ArrayList<>();
    if (call instanceof SqlCase choice) {
      values.addAll(choice.getThenOperands());
      if (choice.getElseOperand() != null) {
        values.add(choice.getElseOperand());
      }
    } else if (call.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR) {
      values.addAll(call.getOperandList());
    }
    for (SqlNode value : values) {
      require(call, types.apply(values.getFirst()), types.apply(value));
    }
  }

  private static void require(SqlCall call, RelDataType one, RelDataType other) {
    if (differ(one, other)) {
      throw FunctionForms.invalid(
          call,
          "Rows of several names would be one column, %s and %s; name their fields alike, in one order"
              .formatted(one, other));
    }
  }

  private static boolean differ(RelDataType one, RelDataType other) {
    RelDataType element = one.getComponentType();
    RelDataType otherElement = other.getComponentType();
    if (element != null && otherElement != null) {
      return differ(element, otherElement);
    }
    if (!one.isStruct() || !other.isStruct() || one.getFieldCount() != other.getFieldCount()) {
      return false; // Calcite refuses them itself
    }
    for (int i = 0; i < one.getFieldCount(); i++) {
      String name = one.getFieldNames().get(i);
      String otherName = other.getFieldNames().get(i);
      boolean named = !isGenerated(name) && !isGenerated(otherName);
      if (named && !name.equalsIgnoreCase(otherName)
          || differ(one.getFieldList().get(i).getType(), other.getFieldList().get(i).getType())) {
        return true;
      }
    }
    return false;
  }

  /** Of a ROW, whose fields have none. */
  private static boolean isGenerated(String name) {
    return SqlUtil.isGeneratedAlias(name);
  }
}
