package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.FunctionForms;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Refuses rows of several names in one column of a UNION, INTERSECT, EXCEPT or VALUES, in a list,
 * in a CASE or in a comparison, whose fields Calcite would put together by their places.
 */
final class RowNames {
  /** Calls that compare their operands, or make one list or value of them. */
  private static final Set<SqlKind> COMPARING =
      EnumSet.of(
          SqlKind.ARRAY_APPEND,
          SqlKind.ARRAY_CONCAT,
          SqlKind.ARRAY_CONTAINS,
          SqlKind.ARRAY_EXCEPT,
          SqlKind.ARRAY_INTERSECT,
          SqlKind.ARRAY_POSITION,
          SqlKind.ARRAY_PREPEND,
          SqlKind.ARRAY_REMOVE,
          SqlKind.ARRAY_UNION,
          SqlKind.ARRAYS_OVERLAP,
          SqlKind.ARRAY_INSERT,
          SqlKind.ALL,
          SqlKind.BETWEEN,
          SqlKind.COALESCE,
          SqlKind.GREATEST,
          SqlKind.IF,
          SqlKind.LAG,
          SqlKind.LEAD,
          SqlKind.LEAST,
          SqlKind.NOT_IN,
          SqlKind.NULLIF,
          SqlKind.NVL,
          SqlKind.SOME);

  private static final Set<SqlKind> QUANTIFIED =
      EnumSet.of(SqlKind.IN, SqlKind.NOT_IN, SqlKind.SOME, SqlKind.ALL);

  static {
    COMPARING.addAll(SqlKind.COMPARISON);
  }

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
    if (COMPARING.contains(call.getKind())
        || call.getOperator().equals(SqlStdOperatorTable.CONCAT)) {
      compare(call, types);
      return;
    }
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

  /** Of a comparison whose operands Calcite has not made of one type yet. */
  static void checkComparison(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (SqlKind.COMPARISON.contains(call.getKind()) && call.getKind() != SqlKind.IN
        || isOfQuery(call)
        || call.getKind() == SqlKind.IS_DISTINCT_FROM
        || call.getKind() == SqlKind.IS_NOT_DISTINCT_FROM) {
      compare(call, types);
    }
  }

  /** Whether a value is looked for in a query: Calcite casts its column to the value's type. */
  private static boolean isOfQuery(SqlCall call) {
    return QUANTIFIED.contains(call.getKind())
        && call.operandCount() == 2
        && call.operand(1).getKind().belongsTo(SqlKind.QUERY);
  }

  private static void compare(SqlCall call, Function<SqlNode, RelDataType> types) {
    RelDataType first = null;
    for (SqlNode operand : operands(call)) {
      RelDataType other = row(operand, types);
      first = first == null ? other : first;
      if (first != null && other != null) {
        require(call, first, other);
      }
    }
  }

  /** With those of a list in its place. */
  private static List<SqlNode> operands(SqlCall call) {
    List<SqlNode> operands = new ArrayList<>();
    for (SqlNode operand : call.getOperandList()) {
      if (operand instanceof SqlNodeList list) {
        operands.addAll(list.getList());
      } else if (operand != null) {
        operands.add(operand);
      }
    }
    return operands;
  }

  /** The row that an operand or an element of it is, of a query its only column; null if none. */
  private static @Nullable RelDataType row(SqlNode operand, Function<SqlNode, RelDataType> types) {
    if (operand instanceof SqlLiteral || operand instanceof SqlDynamicParam) {
      return null; // which may have no type
    }
    RelDataType type = types.apply(operand);
    if (operand.getKind().belongsTo(SqlKind.QUERY) && type.getFieldCount() == 1) {
      type = type.getFieldList().getFirst().getType();
    }
    while (type.getComponentType() != null && !type.isStruct()) {
      type = type.getComponentType();
    }
    return type.isStruct() ? type : null;
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
