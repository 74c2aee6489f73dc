package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * A left join of which only rows without a partner are kept is an anti-join: {@code a LEFT JOIN b
 * ON a.x = b.y WHERE b.y IS NULL}. Its rows are estimated by the keys, it makes no columns of the
 * right side, and it can take any place among other joins.
 */
final class AntiJoinReduction extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(LogicalFilter filter) {
    RelNode rel = super.visit(filter);
    return rel instanceof LogicalFilter changed
            && changed.getInput() instanceof LogicalJoin join
            && changed.getVariablesSet().isEmpty()
        ? reduced(changed, join)
        : rel;
  }

  private static RelNode reduced(LogicalFilter filter, LogicalJoin join) {
    int width = join.getLeft().getRowType().getFieldCount();
    List<RexNode> conjuncts = RelOptUtil.conjunctions(filter.getCondition());
    boolean anti =
        join.getJoinType() == JoinRelType.LEFT
            && join.getVariablesSet().isEmpty()
            && !join.analyzeCondition().leftKeys.isEmpty()
            && join.getRight().getRowType().getFieldList().stream()
                .allMatch(field -> isPlain(field.getType()))
            && conjuncts.stream().anyMatch(term -> isWithoutPartner(term, join, width));
    if (!anti) {
      return filter;
    }
    RexBuilder builder = join.getCluster().getRexBuilder();
    LogicalJoin reduced =
        join.copy(
            join.getTraitSet(),
            join.getCondition(),
            join.getLeft(),
            join.getRight(),
            JoinRelType.ANTI,
            join.isSemiJoinDone());
    List<RexNode> rest = new ArrayList<>();
    for (RexNode term : conjuncts) {
      if (!isWithoutPartner(term, join, width)) {
        rest.add(term.accept(new Padded(builder, width)));
      }
    }
    RelNode kept =
        rest.isEmpty()
            ? reduced
            : LogicalFilter.create(reduced, RexUtil.composeConjunction(builder, rest));
    List<RexNode> columns = new ArrayList<>();
    for (RelDataTypeField field : join.getRowType().getFieldList()) {
      columns.add(
          new RexInputRef(field.getIndex(), field.getType()).accept(new Padded(builder, width)));
    }
    return LogicalProject.create(
        kept, List.of(), columns, join.getRowType().getFieldNames(), Set.of());
  }

  /** Whether a term says that a right column is null which is null in no row with a partner. */
  private static boolean isWithoutPartner(RexNode term, LogicalJoin join, int width) {
    return term.isA(SqlKind.IS_NULL)
        && ((RexCall) term).getOperands().getFirst() instanceof RexInputRef ref
        && ref.getIndex() >= width
        && RelOptUtil.conjunctions(join.getCondition()).stream()
            .anyMatch(on -> Strong.isNotTrue(on, ImmutableBitSet.of(ref.getIndex())));
  }

  /** Nulls of other types are not literals everywhere. */
  private static boolean isPlain(RelDataType type) {
    return !type.isStruct() && type.getComponentType() == null && type.getKeyType() == null;
  }

  /** Columns of the right side are null. */
  private static final class Padded extends RexShuttle {
    private final RexBuilder builder;
    private final int width;

    private Padded(RexBuilder builder, int width) {
      this.builder = builder;
      this.width = width;
    }

    @Override
    public RexNode visitInputRef(RexInputRef ref) {
      return ref.getIndex() < width ? ref : builder.makeNullLiteral(ref.getType());
    }
  }
}
