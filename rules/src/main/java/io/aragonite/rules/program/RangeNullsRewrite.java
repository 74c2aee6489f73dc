package io.aragonite.rules.program;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.logical.LogicalWindow;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * RANGE frames with offsets over an order key that may be null: rows with a null have each other in
 * their frame, and no other. Calcite's Enumerable fails over the null, so they become a partition
 * of their own, with a constant as their key. Only for plans that Enumerable has a part in.
 */
final class RangeNullsRewrite extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    if (!(rel instanceof LogicalWindow window)) {
      return rel;
    }
    window.groups.forEach(group -> requireSound(window, group));
    return window.groups.stream().anyMatch(group -> isOverNulls(window, group))
        ? withoutNulls(window)
        : window;
  }

  /**
   * Enumerable takes offsets that are computed for each row the wrong way in a descending order,
   * and those of dates, which are milliseconds, for days.
   */
  private static void requireSound(Window window, Window.Group group) {
    boolean descends =
        group.orderKeys.getFieldCollations().stream()
            .anyMatch(collation -> collation.getDirection().isDescending());
    boolean computed = isComputed(window, group.lowerBound) || isComputed(window, group.upperBound);
    if (!group.isRows && descends && computed) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "The bound of a RANGE frame in descending order is not a constant; write a literal, or"
              + " order by the negated key.");
    }
    boolean byDate =
        group.orderKeys.getFieldCollations().stream()
            .map(RelFieldCollation::getFieldIndex)
            .map(field -> window.getInput().getRowType().getFieldList().get(field).getType())
            .anyMatch(type -> type.getSqlTypeName() == SqlTypeName.DATE);
    if (!group.isRows && byDate && computed) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "The bound of a RANGE frame in the order of a DATE is not a constant; write a literal,"
              + " such as INTERVAL '2' DAY.");
    }
  }

  private static boolean isComputed(Window window, RexWindowBound bound) {
    RexNode offset = bound.getOffset();
    int fields = window.getInput().getRowType().getFieldCount();
    return offset != null
        && !(offset instanceof RexLiteral)
        && !(offset instanceof RexInputRef ref && ref.getIndex() >= fields);
  }

  private static boolean isOverNulls(Window window, Window.Group group) {
    return !group.isRows
        && isInside(group.lowerBound)
        && isInside(group.upperBound)
        && (group.lowerBound.getOffset() != null || group.upperBound.getOffset() != null)
        && group.orderKeys.getFieldCollations().size() == 1
        && group.aggCalls.stream()
            .allMatch(call -> ((SqlAggFunction) call.getOperator()).allowsFraming())
        && order(window, group).getType().isNullable()
        && !SqlTypeUtil.isInterval(order(window, group).getType());
  }

  private static boolean isInside(RexWindowBound bound) {
    return !bound.isUnbounded();
  }

  private static RexNode order(Window window, Window.Group group) {
    int field = group.orderKeys.getFieldCollations().getFirst().getFieldIndex();
    return RexInputRef.of(field, window.getInput().getRowType());
  }

  private static RelNode withoutNulls(LogicalWindow window) {
    RelNode input = window.getInput();
    int fields = input.getRowType().getFieldCount();
    List<RexNode> columns = new ArrayList<>();
    for (int i = 0; i < fields; i++) {
      columns.add(RexInputRef.of(i, input.getRowType()));
    }
    List<int[]> added = new ArrayList<>();
    for (Window.Group group : window.groups) {
      added.add(isOverNulls(window, group) ? add(columns, window, group) : new int[0]);
    }
    RelNode wider = Projections.of(input, columns);
    int shift = columns.size() - fields;
    RexShuttle shifted =
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return ref.getIndex() < fields
                ? ref
                : new RexInputRef(ref.getIndex() + shift, ref.getType());
          }
        };
    List<Window.Group> groups = new ArrayList<>();
    for (int i = 0; i < added.size(); i++) {
      groups.add(group(window.groups.get(i), added.get(i), shifted));
    }
    RelDataTypeFactory.Builder type = window.getCluster().getTypeFactory().builder();
    type.addAll(wider.getRowType().getFieldList());
    List<RelDataTypeField> all = window.getRowType().getFieldList();
    type.addAll(all.subList(fields, all.size()));
    RelDataType unique = type.uniquify().build();
    RelNode made =
        LogicalWindow.create(window.getTraitSet(), wider, window.constants, unique, groups);
    List<RexNode> kept = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      kept.add(RexInputRef.of(i < fields ? i : i + shift, unique));
    }
    return RelOptUtil.createCastRel(Projections.of(made, kept), window.getRowType(), true);
  }

  /** Two columns: whether the key is null, and the key with zero in its place. */
  private static int[] add(List<RexNode> columns, Window window, Window.Group group) {
    RexBuilder builder = window.getCluster().getRexBuilder();
    RexNode key = order(window, group);
    RelDataType type = builder.getTypeFactory().createTypeWithNullability(key.getType(), false);
    RexNode known = builder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, key);
    columns.add(known);
    columns.add(
        builder.makeCall(
            type,
            SqlStdOperatorTable.CASE,
            List.of(known, builder.makeNotNull(key), builder.makeZeroLiteral(type))));
    return new int[] {columns.size() - 2, columns.size() - 1};
  }

  private static Window.Group group(Window.Group group, int[] added, RexShuttle shifted) {
    List<Window.RexWinAggCall> calls = new ArrayList<>();
    for (Window.RexWinAggCall call : group.aggCalls) {
      calls.add(
          new Window.RexWinAggCall(
              call.getParserPosition(),
              (SqlAggFunction) call.getOperator(),
              call.getType(),
              shifted.apply(call.getOperands()),
              call.ordinal,
              call.distinct,
              call.ignoreNulls));
    }
    boolean apart = added.length > 0;
    RelFieldCollation order = apart ? group.orderKeys.getFieldCollations().getFirst() : null;
    return new Window.Group(
        apart ? group.keys.set(added[0]) : group.keys,
        group.isRows,
        group.lowerBound.accept(shifted),
        group.upperBound.accept(shifted),
        group.exclude,
        order == null ? group.orderKeys : RelCollations.of(order.withFieldIndex(added[1])),
        calls);
  }
}
