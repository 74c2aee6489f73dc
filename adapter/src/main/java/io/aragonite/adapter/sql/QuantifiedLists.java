package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.FunctionForms;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCollectionTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * {@code x = ANY (list)}, which {@code x IN list} is written as, and {@code x > ALL (list)}.
 * Calcite takes one value that is no list for a list of it, and finds null in a list of no type.
 */
final class QuantifiedLists {
  private QuantifiedLists() {}

  /**
   * Gives a list without a type, {@code []} or {@code [NULL]}, that of the value beside it.
   *
   * @throws io.aragonite.exec.error.AragoniteException INVALID_STATEMENT of one value that is no
   *     list
   */
  static void apply(SqlNode node, Function<SqlNode, RelDataType> types) {
    if (!(node instanceof SqlCall call)
        || !(call.getOperator() instanceof SqlQuantifyOperator)
        || call.operand(1).getKind().belongsTo(SqlKind.QUERY)) {
      return;
    }
    SqlNode given = call.operand(1);
    boolean several = given instanceof SqlNodeList list && list.size() != 1;
    if (several) {
      return;
    }
    SqlNode value = given instanceof SqlNodeList list ? list.get(0) : given;
    if (value.getKind().belongsTo(SqlKind.QUERY)
        || value.getKind() == SqlKind.DYNAMIC_PARAM
        || SqlUtil.isNullLiteral(value, true)) {
      return;
    }
    RelDataType type = types.apply(value);
    RelDataType element = type.getComponentType();
    if (type.getKeyType() != null) {
      SqlNode keys = SqlLibraryOperators.MAP_KEYS.createCall(value.getParserPosition(), value);
      call.setOperand(1, SqlNodeList.of(keys));
      return;
    }
    if (element == null) {
      throw FunctionForms.invalid(
          value,
          "IN without parentheses, ANY and ALL look in a list, and '%s' is of type %s; write parentheses behind IN, or compare with ="
              .formatted(value.toString().replace("`", ""), type.getSqlTypeName()));
    }
    if (element.isStruct() && asIn(call, value)) {
      return;
    }
    if (isUntyped(element)) {
      SqlNode typed = cast(value, types.apply(call.operand(0)));
      call.setOperand(1, SqlNodeList.of(typed));
    }
  }

  /**
   * Makes {@code x IN (a, b)} of {@code x = ANY ([a, b])}, and NOT IN of {@code <> ALL}: Calcite
   * fails over structs of other types.
   *
   * @return false of another comparison, and of another list
   */
  private static boolean asIn(SqlCall call, SqlNode list) {
    SqlQuantifyOperator operator = (SqlQuantifyOperator) call.getOperator();
    boolean in = operator.kind == SqlKind.SOME && operator.comparisonKind == SqlKind.EQUALS;
    boolean none = operator.kind == SqlKind.ALL && operator.comparisonKind == SqlKind.NOT_EQUALS;
    if (!in && !none
        || list.getKind() != SqlKind.ARRAY_VALUE_CONSTRUCTOR
        || !(call instanceof SqlBasicCall changed)) {
      return false;
    }
    changed.setOperator(in ? SqlStdOperatorTable.IN : SqlStdOperatorTable.NOT_IN);
    changed.setOperand(
        1, new SqlNodeList(((SqlCall) list).getOperandList(), list.getParserPosition()));
    return true;
  }

  private static boolean isUntyped(RelDataType element) {
    return element.getSqlTypeName() == SqlTypeName.NULL
        || element.getSqlTypeName() == SqlTypeName.UNKNOWN;
  }

  private static SqlNode cast(SqlNode list, RelDataType left) {
    SqlParserPos at = list.getParserPosition();
    SqlTypeNameSpec element =
        isUntyped(left)
            ? new SqlBasicTypeNameSpec(SqlTypeName.INTEGER, at)
            : SqlTypeUtil.convertTypeToSpec(left).getTypeNameSpec();
    return SqlStdOperatorTable.CAST.createCall(
        at,
        list,
        new SqlDataTypeSpec(new SqlCollectionTypeNameSpec(element, SqlTypeName.ARRAY, at), at));
  }
}
