package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.rules.function.ListFunctions;
import java.math.BigDecimal;
import java.util.Objects;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * {@code list[n]}, {@code text[n]} and {@code text[first:last]}, as DuckDB has them, those of texts
 * by SUBSTRING. Places are counted from 1, or from the end if negative; there is nothing at 0.
 */
final class Subscripts {
  private final SqlParserPos at;
  private final SqlNode value;

  /** What has the number of its places. */
  private final SqlOperator length;

  private Subscripts(SqlCall call, SqlOperator length) {
    this.length = length;
    this.at = call.getParserPosition();
    this.value = call.operand(0);
  }

  /** Changes a call in its place if it is one of these. */
  static void apply(SqlNode node, Function<SqlNode, RelDataType> types) {
    if (!(node instanceof SqlBasicCall call)) {
      return;
    }
    boolean item = call.getOperator().equals(SqlStdOperatorTable.ITEM);
    if (!item && !isSlice(call)) {
      return;
    }
    RelDataType type = types.apply(call.operand(0));
    if (item && type.getSqlTypeName() == SqlTypeName.ARRAY) {
      if (!isPlace(call.operand(1)) && SqlTypeUtil.isExactNumeric(types.apply(call.operand(1)))) {
        Subscripts list = new Subscripts(call, SqlStdOperatorTable.CARDINALITY);
        boolean wide = types.apply(call.operand(1)).getSqlTypeName() != SqlTypeName.INTEGER;
        SqlNode written = call.operand(1);
        call.setOperand(1, list.place(wide ? list.integer(written) : written));
      }
      return;
    }
    if (!SqlTypeUtil.inCharFamily(type)) {
      return;
    }
    Subscripts made = new Subscripts(call, SqlStdOperatorTable.CHAR_LENGTH);
    if (item) {
      SqlNode place = call.operand(1);
      if (SqlTypeUtil.isExactNumeric(types.apply(place))
          || SqlTypeUtil.isNull(types.apply(place))) {
        SqlNode letter =
            made.call(SqlStdOperatorTable.SUBSTRING, made.value, made.place(place), made.number(1));
        call.setOperator(SqlStdOperatorTable.CAST); // of two operands too
        call.setOperand(0, letter);
        call.setOperand(
            1,
            new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.VARCHAR, made.at), made.at));
      }
    } else {
      SqlNode first = made.atLeast(1, made.place(call.operand(1)));
      SqlNode last = made.place(call.operand(2));
      SqlNode behind = made.call(SqlStdOperatorTable.PLUS, last, made.number(1));
      SqlNode length = made.call(SqlStdOperatorTable.MINUS, behind, copy(first));
      call.setOperator(SqlStdOperatorTable.SUBSTRING);
      call.setOperand(1, first);
      call.setOperand(2, made.atLeast(0, length));
    }
  }

  private static boolean isSlice(SqlCall call) {
    return call.operandCount() == 3
        && call.getOperator().getName().equals(ListFunctions.LIST_SLICE.getName());
  }

  /** From the beginning. */
  private SqlNode place(SqlNode written) {
    BigDecimal known = literal(written);
    if (known != null && known.signum() >= 0) {
      return written;
    }
    SqlNode fromEnd =
        call(
            SqlStdOperatorTable.PLUS,
            call(SqlStdOperatorTable.PLUS, call(length, copy(value)), copy(written)),
            number(1));
    return known != null
        ? fromEnd
        : ifElse(call(SqlStdOperatorTable.LESS_THAN, written, number(0)), fromEnd, copy(written));
  }

  /** The place as Calcite's code takes it; 0, where there is nothing, beyond all lists. */
  private SqlNode integer(SqlNode place) {
    BigDecimal known = literal(place);
    if (known != null) {
      boolean fits = known.abs().compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0;
      return fits ? place : number(0);
    }
    SqlNode within =
        call(
            SqlStdOperatorTable.AND,
            call(SqlStdOperatorTable.LESS_THAN_OR_EQUAL, copy(place), number(Integer.MAX_VALUE)),
            call(
                SqlStdOperatorTable.GREATER_THAN_OR_EQUAL,
                copy(place),
                number(-Integer.MAX_VALUE)));
    SqlDataTypeSpec type =
        new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.INTEGER, at), at);
    return ifElse(within, call(SqlStdOperatorTable.CAST, place, type), number(0));
  }

  /** Whether it comes of {@link #place}: calls are looked at again when they are copied. */
  private static boolean isPlace(SqlNode node) {
    if (node instanceof SqlCase either) {
      return either.getThenOperands().size() == 1 && isPlace(either.getThenOperands().get(0));
    }
    return node.getKind() == SqlKind.PLUS
        && ((SqlCall) node).operand(0) instanceof SqlCall sum
        && sum.getKind() == SqlKind.PLUS
        && sum.operand(0) instanceof SqlCall count
        && count.getOperator().equals(SqlStdOperatorTable.CARDINALITY)
        && BigDecimal.ONE.equals(literal(((SqlCall) node).operand(1)));
  }

  private SqlNode atLeast(int least, SqlNode number) {
    BigDecimal known = literal(number);
    return known != null && known.intValue() >= least
        ? number
        : ifElse(
            call(SqlStdOperatorTable.LESS_THAN, copy(number), number(least)),
            number(least),
            number);
  }

  /** The value of a literal, with a sign or without; null of others. */
  private static @Nullable BigDecimal literal(SqlNode node) {
    if (node instanceof SqlCall call && call.getKind() == SqlKind.MINUS_PREFIX) {
      BigDecimal positive = literal(call.operand(0));
      return positive == null ? null : positive.negate();
    }
    return node instanceof SqlNumericLiteral number ? number.bigDecimalValue() : null;
  }

  private SqlNode ifElse(SqlNode condition, SqlNode then, SqlNode otherwise) {
    return new SqlCase(at, null, SqlNodeList.of(condition), SqlNodeList.of(then), otherwise);
  }

  private SqlNode call(SqlOperator operator, SqlNode... operands) {
    return operator.createCall(at, operands);
  }

  private SqlNode number(int number) {
    return SqlLiteral.createExactNumeric(String.valueOf(number), at);
  }

  private static SqlNode copy(SqlNode node) {
    return Objects.requireNonNull(node.accept(NodeCopy.ofValidated()));
  }
}
