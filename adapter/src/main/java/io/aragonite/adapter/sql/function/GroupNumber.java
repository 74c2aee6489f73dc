package io.aragonite.adapter.sql.function;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql2rel.SqlRexContext;

/**
 * The number of a row's peer group within a window, as DENSE_RANK counts it: the key that a frame
 * of GROUPS is a range of. It has the number of keys of the partition, these, and those of the
 * order.
 */
public final class GroupNumber {
  static final SqlFunction OPERATOR =
      SqlBasicFunction.create("$GROUP_NUMBER", ReturnTypes.BIGINT, OperandTypes.VARIADIC);

  private GroupNumber() {}

  public static SqlCall of(SqlNodeList partition, SqlNodeList orders, SqlParserPos at) {
    List<SqlNode> operands = new ArrayList<>();
    operands.add(SqlLiteral.createExactNumeric(Integer.toString(partition.size()), at));
    operands.addAll(partition);
    operands.addAll(orders);
    return OPERATOR.createCall(at, operands);
  }

  public static boolean is(SqlCall call) {
    return call.getOperator().equals(OPERATOR);
  }

  public static RexNode convert(SqlRexContext context, SqlCall call) {
    List<SqlNode> keys = call.getOperandList();
    int partition = ((SqlLiteral) keys.getFirst()).intValue(true);
    List<RexNode> partitionKeys =
        keys.subList(1, partition + 1).stream().map(context::convertExpression).toList();
    ImmutableList<RexFieldCollation> orderKeys =
        keys.subList(partition + 1, keys.size()).stream()
            .map(key -> order(context, key, EnumSet.noneOf(SqlKind.class)))
            .collect(ImmutableList.toImmutableList());
    RelDataType type = context.getValidator().getValidatedNodeType(call);
    return context
        .getRexBuilder()
        .makeOver(
            type,
            SqlStdOperatorTable.DENSE_RANK,
            List.of(),
            partitionKeys,
            orderKeys,
            RexWindowBounds.UNBOUNDED_PRECEDING,
            RexWindowBounds.CURRENT_ROW,
            RexWindowExclusion.EXCLUDE_NO_OTHER,
            false,
            true,
            false,
            false,
            false);
  }

  /** A key with its direction and where its nulls are, which the session decides if it says not. */
  private static RexFieldCollation order(SqlRexContext context, SqlNode key, Set<SqlKind> flags) {
    switch (key.getKind()) {
      case DESCENDING, NULLS_FIRST, NULLS_LAST -> {
        flags.add(key.getKind());
        return order(context, ((SqlCall) key).operand(0), flags);
      }
      default -> {}
    }
    if (!flags.contains(SqlKind.NULLS_FIRST) && !flags.contains(SqlKind.NULLS_LAST)) {
      boolean descending = flags.contains(SqlKind.DESCENDING);
      boolean last = context.getValidator().config().defaultNullCollation().last(descending);
      RelFieldCollation.Direction direction =
          descending
              ? RelFieldCollation.Direction.DESCENDING
              : RelFieldCollation.Direction.ASCENDING;
      boolean usual =
          last == (direction.defaultNullDirection() == RelFieldCollation.NullDirection.LAST);
      if (!usual) {
        flags.add(last ? SqlKind.NULLS_LAST : SqlKind.NULLS_FIRST);
      }
    }
    return new RexFieldCollation(context.convertExpression(key), flags);
  }
}
