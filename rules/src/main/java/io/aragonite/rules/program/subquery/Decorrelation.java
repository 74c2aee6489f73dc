package io.aragonite.rules.program.subquery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Uncollect;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Makes joins of dependent joins, by the general unnesting of Neumann and Kemper (Unnesting
 * Arbitrary Queries, BTW 2015; Improving Unnesting of Complex Queries, BTW 2025). Columns are known
 * by position only.
 */
public final class Decorrelation {
  private Decorrelation() {}

  /**
   * The tree without dependent joins, but for those whose right side has a node that can depend on
   * one outer row only; these stay as they are.
   */
  public static RelNode decorrelate(RelNode rel) {
    if (rel instanceof LogicalCorrelate correlate) {
      RelNode left = decorrelate(correlate.getLeft());
      RelNode joined =
          join(left, correlate.getRight(), correlate.getCorrelationId(), correlate.getJoinType());
      return Rels.typed(joined, correlate.getRowType());
    }
    List<RelNode> inputs = new ArrayList<>();
    for (RelNode input : rel.getInputs()) {
      inputs.add(decorrelate(input));
    }
    RelNode changed = inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
    return changed instanceof Uncollect uncollect && RelOptUtil.getVariablesUsed(changed).isEmpty()
        ? LateralUnnest.of(uncollect, uncollect.getInput(), false)
        : changed;
  }

  /**
   * A dependent join as a join; the left side's columns first, then the right side's.
   *
   * @param left without dependent joins
   * @param right may depend on rows of the left side, and on nothing else
   */
  static RelNode join(RelNode left, RelNode right, CorrelationId variable, JoinRelType type) {
    if (!OuterColumns.uses(right, variable)) {
      return Rels.join(left, decorrelate(right), List.of(), type);
    }
    int rightWidth = type.projectsRight() ? Rels.width(right) : 0;
    RelNode unnest = LateralUnnest.of(left, right, variable, type);
    if (unnest != null) {
      return unnest;
    }
    PulledUpConditions pulled = PulledUpConditions.of(right, variable);
    if (pulled != null) {
      RelNode inner = decorrelate(pulled.rel());
      RelNode both = Rels.join(left, inner, List.of(), JoinRelType.INNER);
      int width = Rels.width(left);
      List<RexNode> conditions = new ArrayList<>();
      for (RexNode condition : pulled.conditions()) {
        RexNode moved = Rels.move(condition, column -> column + width, both);
        RexNode resolved =
            OuterColumns.replace(
                moved, (id, row, field) -> id.equals(variable) ? Rels.ref(both, field) : null);
        conditions.add(Rels.move(resolved, column -> column, both));
      }
      return keyed(left, inner, conditions, type, rightWidth);
    }
    if (Domain.changes(left)) {
      return dependent(left, right, variable, type);
    }
    try {
      return general(left, right, variable, type);
    } catch (NotUnnestable e) {
      return dependent(left, right, variable, type);
    }
  }

  private static RelNode dependent(
      RelNode left, RelNode right, CorrelationId variable, JoinRelType type) {
    return LogicalCorrelate.create(
        left, right, List.of(), variable, OuterColumns.fields(right, variable), type);
  }

  private static RelNode general(
      RelNode left, RelNode right, CorrelationId variable, JoinRelType type) {
    OuterParts parts = OuterParts.of(left, right, variable);
    return parts == null
        ? unnested(left, right, variable, type)
        : without(
            parts, Rels.width(left), unnested(parts.left(), parts.right(), parts.variable(), type));
  }

  /** The columns of the join without those of parts. */
  private static RelNode without(OuterParts parts, int width, RelNode joined) {
    List<RexNode> columns = Rels.refs(joined, 0, width);
    columns.addAll(Rels.refs(joined, Rels.width(parts.left()), Rels.width(joined)));
    return Rels.project(joined, columns);
  }

  private static RelNode unnested(
      RelNode left, RelNode right, CorrelationId variable, JoinRelType type) {
    UnnestedSide inner = new Unnesting(left, variable).unnest(right);
    List<RexNode> defaults = inner.defaults();
    if (defaults != null && !type.projectsRight()) {
      // There is a row for each outer row.
      return type == JoinRelType.SEMI
          ? left
          : LogicalValues.createEmpty(left.getCluster(), left.getRowType());
    }
    int rightWidth = type.projectsRight() ? Rels.width(right) : 0;
    if (defaults == null) {
      return keyed(left, inner.rel(), conditions(left, inner), type, rightWidth);
    }
    Filler filler = Filler.of(inner, rightWidth);
    RelNode joined =
        keyed(
            left,
            filler.rel(),
            conditions(left, inner.with(filler.rel())),
            JoinRelType.LEFT,
            Rels.width(filler.rel()));
    int width = Rels.width(left);
    List<RexNode> columns = Rels.refs(joined, 0, width);
    for (RexNode filled : filler.columns(joined, width, defaults, type == JoinRelType.LEFT)) {
      columns.add(
          OuterColumns.replace(
              filled, (id, row, field) -> id.equals(variable) ? Rels.ref(joined, field) : null));
    }
    return Rels.project(joined, columns);
  }

  private static List<RexNode> conditions(RelNode left, UnnestedSide inner) {
    RexBuilder rexBuilder = left.getCluster().getRexBuilder();
    int width = Rels.width(left);
    List<RexNode> conditions = new ArrayList<>();
    for (Map.Entry<CorrelationKey, UnnestedSide.KeyBinding> entry : inner.keys().entrySet()) {
      RexInputRef column = inner.column(entry.getKey());
      conditions.add(
          UnnestedSide.same(
              rexBuilder,
              entry.getKey().outer(),
              new RexInputRef(width + column.getIndex(), column.getType()),
              entry.getValue().notNull()));
    }
    return conditions;
  }

  /**
   * A join whose equalities are over columns: what is computed from left columns becomes one, so
   * that it can be hashed.
   *
   * @param rightWidth how many of the right side's columns are wanted
   */
  static RelNode keyed(
      RelNode left, RelNode right, List<RexNode> conditions, JoinRelType type, int rightWidth) {
    int width = Rels.width(left);
    List<RexNode> columns = new ArrayList<>(Rels.refs(left, 0, width));
    List<RexNode> rewritten = new ArrayList<>();
    for (RexNode condition : conditions) {
      rewritten.add(withColumn(condition, columns, width));
    }
    int added = columns.size() - width;
    RelNode outer = added == 0 ? left : Rels.project(left, columns);
    boolean any = conditions.isEmpty() && !type.projectsRight();
    RelNode inner = any ? Rels.firstRow(right) : right;
    List<RexNode> placed = new ArrayList<>();
    for (RexNode condition : rewritten) {
      placed.add(
          condition.accept(
              new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef ref) {
                  if (ref instanceof Added) {
                    return new RexInputRef(ref.getIndex(), ref.getType());
                  }
                  return ref.getIndex() < width || added == 0
                      ? ref
                      : new RexInputRef(ref.getIndex() + added, ref.getType());
                }
              }));
    }
    RelNode joined = Rels.join(outer, inner, placed, type);
    int total = width + rightWidth;
    if (added == 0 && Rels.width(joined) == total) {
      return joined;
    }
    List<RexNode> kept = Rels.refs(joined, 0, width);
    kept.addAll(Rels.refs(joined, width + added, width + added + rightWidth));
    return Rels.project(joined, kept);
  }

  private static RexNode withColumn(RexNode condition, List<RexNode> columns, int width) {
    if (!condition.isA(SqlKind.EQUALS) && !condition.isA(SqlKind.IS_NOT_DISTINCT_FROM)) {
      return condition;
    }
    List<RexNode> operands = ((RexCall) condition).getOperands();
    for (int i = 0; i < 2; i++) {
      RexNode key = operands.get(i);
      boolean outerOnly =
          RelOptUtil.InputFinder.bits(key).asList().stream().allMatch(column -> column < width);
      boolean inner = operands.get(1 - i) instanceof RexInputRef ref && ref.getIndex() >= width;
      if (outerOnly && inner && !(key instanceof RexInputRef) && !RexUtil.isConstant(key)) {
        columns.add(key);
        List<RexNode> changed = new ArrayList<>(operands);
        changed.set(i, new Added(columns.size() - 1, key.getType()));
        return ((RexCall) condition).clone(condition.getType(), changed);
      }
    }
    return condition;
  }

  /** A column that was added to the left side. */
  private static final class Added extends RexInputRef {
    Added(int index, RelDataType type) {
      super(index, type);
    }
  }

  static RexNode isNull(RexBuilder rexBuilder, RexNode value) {
    return rexBuilder.makeCall(SqlStdOperatorTable.IS_NULL, value);
  }
}
