package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.WindowMoments;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.jspecify.annotations.Nullable;

/**
 * Turns a window into the engine's, one node a group. Constants that the calls refer to are
 * appended to the input as columns and taken away at the end.
 */
public final class WindowTranslator {
  private final Window window;
  private final List<RelDataTypeField> fields;
  private final List<Expr> appended = new ArrayList<>();

  public WindowTranslator(Window window) {
    this.window = window;
    this.fields = window.getInput().getRowType().getFieldList();
  }

  /**
   * Sees whether the window can be translated.
   *
   * @throws Untranslatable if not
   */
  public void check() {
    for (Window.Group group : window.groups) {
      group.keys.forEach(
          key -> TypeMapping.requireComparable(fields.get(key).getType(), "a partition key"));
      group
          .orderKeys
          .getKeys()
          .forEach(key -> TypeMapping.requireComparable(fields.get(key).getType(), "a sort key"));
      frame(group);
      group.aggCalls.forEach(call -> call(call, group));
    }
  }

  /** The plan over the input's. */
  public PhysicalPlan implement(PhysicalPlan input) {
    List<List<WindowCall>> calls = new ArrayList<>();
    for (Window.Group group : window.groups) {
      calls.add(group.aggCalls.stream().map(call -> call(call, group)).toList());
    }
    PhysicalPlan plan = input;
    if (!appended.isEmpty()) {
      List<Expr> columns = new ArrayList<>(input.references());
      columns.addAll(appended);
      plan = new PhysicalPlan.Project(input, columns);
    }
    for (int i = 0; i < window.groups.size(); i++) {
      Window.Group group = window.groups.get(i);
      plan =
          new PhysicalPlan.Window(
              plan,
              group.keys.asList(),
              Collations.keys(group.orderKeys),
              frame(group),
              calls.get(i));
    }
    if (appended.isEmpty()) {
      return plan;
    }
    List<Expr> all = plan.references();
    List<Expr> kept = new ArrayList<>(all.subList(0, fields.size()));
    kept.addAll(all.subList(fields.size() + appended.size(), all.size()));
    return new PhysicalPlan.Project(plan, kept);
  }

  private WindowFrame frame(Window.Group group) {
    if (!group.isRows && group.orderKeys.getKeys().stream().anyMatch(this::isInstant)) {
      requireNoDays(group.lowerBound);
      requireNoDays(group.upperBound);
    }
    return new WindowFrame(
        group.isRows,
        bound(group.lowerBound),
        bound(group.upperBound),
        switch (group.exclude) {
          case EXCLUDE_NO_OTHER -> WindowFrame.Exclude.NO_OTHERS;
          case EXCLUDE_CURRENT_ROW -> WindowFrame.Exclude.CURRENT_ROW;
          case EXCLUDE_GROUP -> WindowFrame.Exclude.GROUP;
          case EXCLUDE_TIES -> WindowFrame.Exclude.TIES;
        });
  }

  private boolean isInstant(int column) {
    return TypeMapping.of(fields.get(column).getType()).kind() == TypeKind.INSTANT;
  }

  /** Days and months have no length of their own where clocks are changed. */
  private static void requireNoDays(RexWindowBound bound) {
    RexNode offset = bound.getOffset();
    SqlIntervalQualifier unit = offset == null ? null : offset.getType().getIntervalQualifier();
    if (unit != null
        && (unit.isYearMonth()
            || unit.timeUnitRange == TimeUnitRange.DAY
            || unit.timeUnitRange == TimeUnitRange.WEEK)) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "RANGE with days or longer units is not possible over a TIMESTAMP WITH TIME ZONE; write"
              + " hours, or ORDER BY x AT TIME ZONE and a zone.");
    }
  }

  private WindowFrame.FrameBound bound(RexWindowBound bound) {
    if (bound.isCurrentRow()) {
      return new WindowFrame.FrameBound(WindowFrame.FrameBoundKind.CURRENT_ROW, null);
    }
    if (bound.isUnbounded()) {
      return new WindowFrame.FrameBound(
          bound.isPreceding()
              ? WindowFrame.FrameBoundKind.UNBOUNDED_PRECEDING
              : WindowFrame.FrameBoundKind.UNBOUNDED_FOLLOWING,
          null);
    }
    return new WindowFrame.FrameBound(
        bound.isPreceding()
            ? WindowFrame.FrameBoundKind.PRECEDING
            : WindowFrame.FrameBoundKind.FOLLOWING,
        constant(bound.getOffset()));
  }

  private Expr constant(@Nullable RexNode node) {
    RexLiteral literal =
        switch (node) {
          case RexLiteral value -> value;
          case RexInputRef ref when ref.getIndex() >= fields.size() ->
              window.constants.get(ref.getIndex() - fields.size());
          case null, default ->
              throw new Untranslatable(
                  "the bound of a window frame is not a constant; write a literal");
        };
    return LiteralTranslator.literal(literal, TypeMapping.of(literal.getType()));
  }

  private WindowCall call(Window.RexWinAggCall call, Window.Group group) {
    DataType type = TypeMapping.of(call.getType());
    WindowCall.Function function = function(call);
    List<Integer> args = new ArrayList<>();
    if (function == WindowCall.Function.AGGREGATE) {
      call.getOperands().forEach(operand -> args.add(column(operand, null)));
      boolean running =
          group.lowerBound.isUnboundedPreceding()
              && group.exclude == RexWindowExclusion.EXCLUDE_NO_OTHER;
      return new WindowCall(function, aggregate(call, args, running), args, call.ignoreNulls, type);
    }
    // The value and the default of LAG and LEAD are of one type, the result's.
    boolean withDefault = call.getOperands().size() == 3;
    for (RexNode operand : call.getOperands()) {
      args.add(column(operand, withDefault && args.size() != 1 ? type : null));
    }
    return new WindowCall(function, null, args, call.ignoreNulls, type);
  }

  private static WindowCall.Function function(Window.RexWinAggCall call) {
    return switch (call.getKind()) {
      case ROW_NUMBER -> WindowCall.Function.ROW_NUMBER;
      case RANK -> WindowCall.Function.RANK;
      case DENSE_RANK -> WindowCall.Function.DENSE_RANK;
      case PERCENT_RANK -> WindowCall.Function.PERCENT_RANK;
      case CUME_DIST -> WindowCall.Function.CUME_DIST;
      case NTILE -> WindowCall.Function.NTILE;
      case LAG -> WindowCall.Function.LAG;
      case LEAD -> WindowCall.Function.LEAD;
      case FIRST_VALUE -> WindowCall.Function.FIRST_VALUE;
      case LAST_VALUE -> WindowCall.Function.LAST_VALUE;
      case NTH_VALUE -> WindowCall.Function.NTH_VALUE;
      default ->
          call.getOperator().equals(WindowMoments.COMOMENT)
              ? WindowCall.Function.COMOMENT
              : WindowCall.Function.AGGREGATE;
    };
  }

  /** The column of an operand; a constant, or a column of another type than wanted, is appended. */
  private int column(RexNode operand, @Nullable DataType wanted) {
    if (!(operand instanceof RexInputRef ref)) {
      throw new Untranslatable(
          "a window function over %s; compute it in a subquery first".formatted(operand));
    }
    int index = ref.getIndex();
    Expr column;
    if (index < fields.size()) {
      DataType type = TypeMapping.of(fields.get(index).getType());
      if (wanted == null || wanted.sameAs(type)) {
        return index;
      }
      column = CastTranslation.cast(Expr.ref(index, type), wanted);
    } else {
      RexLiteral literal = window.constants.get(index - fields.size());
      column =
          LiteralTranslator.literal(
              literal, wanted == null ? TypeMapping.of(literal.getType()) : wanted);
    }
    int place = appended.indexOf(column);
    if (place < 0) {
      place = appended.size();
      appended.add(column);
    }
    return fields.size() + place;
  }

  private AggregateCall aggregate(Window.RexWinAggCall call, List<Integer> args, boolean running) {
    String name = call.getOperator().getName();
    List<RelDataType> types = call.getOperands().stream().map(RexNode::getType).toList();
    AggregateCall result =
        AggregateCalls.builtIn(
            call.getKind(), name, args, types, call.distinct, -1, TypeMapping.of(call.getType()));
    return result == null || result.distinct() && !running
        ? HostAggregateTranslation.translate(window, call, args, types)
        : result;
  }
}
