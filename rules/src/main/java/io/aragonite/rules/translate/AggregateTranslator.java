package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Turns an aggregate into the engine's, with a projection above for what is no aggregate there: the
 * GROUPING functions and constants.
 */
public final class AggregateTranslator {
  private final Aggregate aggregate;
  private final RelDataType inputRow;

  public AggregateTranslator(Aggregate aggregate) {
    this.aggregate = aggregate;
    this.inputRow = aggregate.getInput().getRowType();
  }

  /**
   * Sees whether the aggregate can be translated.
   *
   * @throws Untranslatable if not
   */
  public void check() {
    List<RelDataTypeField> fields = inputRow.getFieldList();
    for (int key : aggregate.getGroupSet()) {
      TypeMapping.requireComparable(fields.get(key).getType(), "a grouping key");
    }
    aggregate.getAggCallList().forEach(call -> translate(call));
  }

  private static boolean isGrouping(org.apache.calcite.rel.core.AggregateCall call) {
    SqlKind kind = call.getAggregation().kind;
    return kind == SqlKind.GROUPING || kind == SqlKind.GROUPING_ID || kind == SqlKind.GROUP_ID;
  }

  private static boolean isLiteral(org.apache.calcite.rel.core.AggregateCall call) {
    return call.getAggregation().kind == SqlKind.LITERAL_AGG;
  }

  private void translate(org.apache.calcite.rel.core.AggregateCall call) {
    if (isGrouping(call)) {
      if (call.getAggregation().kind == SqlKind.GROUP_ID) {
        throw new Untranslatable(
            "GROUP_ID() numbers equal grouping sets; give each set once and use GROUPING()");
      }
      return;
    }
    if (isLiteral(call)) {
      RexLiteral literal = (RexLiteral) call.rexList.get(0);
      LiteralTranslator.literal(literal, TypeMapping.of(call.getType()));
      return;
    }
    AggregateCalls.translate(call, aggregate);
  }

  /** The plan over the input's. */
  public PhysicalPlan implement(PhysicalPlan input) {
    List<Integer> keys = aggregate.getGroupSet().asList();
    List<List<Integer>> sets = new ArrayList<>();
    for (ImmutableBitSet set : aggregate.getGroupSets()) {
      sets.add(set.asList().stream().map(keys::indexOf).toList());
    }
    List<AggregateCall> calls = new ArrayList<>();
    boolean grouping = false;
    boolean above = false;
    List<DataType> rowTypes = TypeMapping.ofRow(aggregate.getRowType());
    List<DataType> types = new ArrayList<>(rowTypes.subList(0, keys.size()));
    for (org.apache.calcite.rel.core.AggregateCall call : aggregate.getAggCallList()) {
      if (isGrouping(call)) {
        grouping |= sets.size() > 1;
        above = true;
      } else if (isLiteral(call)) {
        above = true;
      } else {
        AggregateCall translated = AggregateCalls.translate(call, aggregate);
        calls.add(translated);
        types.add(translated.type());
      }
    }
    if (grouping) {
      types.add(DataType.INT64);
    }
    Double rows = aggregate.getCluster().getMetadataQuery().getRowCount(aggregate);
    double expected = rows == null ? Double.POSITIVE_INFINITY : rows;
    PhysicalPlan plan =
        new PhysicalPlan.Aggregate(input, keys, sets, calls, grouping, types, expected);
    return above ? new PhysicalPlan.Project(plan, expressions(types, sets)) : plan;
  }

  private List<Expr> expressions(List<DataType> types, List<List<Integer>> sets) {
    int keys = aggregate.getGroupCount();
    List<Expr> expressions = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      expressions.add(Expr.ref(i, types.get(i)));
    }
    int next = keys;
    for (org.apache.calcite.rel.core.AggregateCall call : aggregate.getAggCallList()) {
      DataType type = TypeMapping.of(call.getType());
      if (isGrouping(call)) {
        expressions.add(grouping(call, type, sets, types.size() - 1));
      } else if (isLiteral(call)) {
        expressions.add(LiteralTranslator.literal((RexLiteral) call.rexList.get(0), type));
      } else {
        expressions.add(Expr.ref(next, types.get(next)));
        next++;
      }
    }
    return expressions;
  }

  /**
   * A bit for each argument, from the highest down: one if the row's grouping set leaves it out.
   */
  private Expr grouping(
      org.apache.calcite.rel.core.AggregateCall call,
      DataType type,
      List<List<Integer>> sets,
      int idColumn) {
    List<Integer> keys = aggregate.getGroupSet().asList();
    List<Expr> args = new ArrayList<>();
    for (int set = 0; set < sets.size(); set++) {
      long bits = 0;
      for (int arg : call.getArgList()) {
        bits = bits << 1 | (sets.get(set).contains(keys.indexOf(arg)) ? 0 : 1);
      }
      if (set < sets.size() - 1) {
        args.add(
            Expr.call(
                Op.EQ,
                DataType.BOOLEAN,
                Expr.ref(idColumn, DataType.INT64),
                Expr.literal((long) set, DataType.INT64)));
      }
      args.add(Expr.literal(bits, type.withNullable(false)));
    }
    return args.size() == 1 ? args.get(0) : new Expr.Call(Op.CASE, args, type);
  }
}
