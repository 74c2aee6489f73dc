package io.aragonite.rules.program.subquery;

import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * The distinct values that an outer side has for keys: the domain of Neumann and Kemper. It may
 * hold more values than there are, which does no harm but to time, and lets it be made from a part
 * of the outer side: else each of several subqueries of one query would hold all before it.
 */
final class Domain {
  /** An outer side of more nodes is cut down to what defines the columns. */
  private static final int LARGE = 40;

  private final RelNode outer;

  Domain(RelNode outer) {
    this.outer = outer;
  }

  /**
   * Whether an outer side has calls such as RAND(): its rows are others when it is computed again,
   * so that there is no domain of it.
   */
  static boolean changes(RelNode outer) {
    boolean[] found = new boolean[1];
    RexShuttle calls =
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            found[0] |= !call.getOperator().isDeterministic();
            return super.visitCall(call);
          }
        };
    outer.accept(
        new RelHomogeneousShuttle() {
          @Override
          public RelNode visit(RelNode other) {
            other.accept(calls);
            return super.visit(other);
          }
        });
    return found[0];
  }

  /**
   * @param exact whether values that there are not must be left out
   */
  RelNode of(List<CorrelationKey> keys, boolean exact) {
    List<RexNode> columns = keys.stream().map(CorrelationKey::outer).toList();
    return of(outer, columns, exact);
  }

  private static RelNode of(RelNode rel, List<RexNode> columns, boolean exact) {
    return switch (rel) {
      case LogicalProject project when !project.containsOver() && !computes(project, columns) ->
          of(project.getInput(), RelOptUtil.pushPastProject(columns, project), exact);
      case LogicalJoin join when dropsRight(join, columns, exact) ->
          of(join.getLeft(), columns, exact);
      case LogicalFilter filter when !exact && isLarge(filter) ->
          of(filter.getInput(), columns, false);
      case LogicalAggregate aggregate
          when aggregate.getGroupType() == Aggregate.Group.SIMPLE
              && uses(columns).asList().stream().allMatch(i -> i < aggregate.getGroupCount()) ->
          of(
              aggregate.getInput(),
              columns.stream()
                  .map(column ->
                      Rels.move(column, i -> aggregate.getGroupSet().nth(i), aggregate.getInput()))
                  .toList(),
              exact);
      default -> Rels.distinct(rel, columns);
    };
  }

  private static ImmutableBitSet uses(List<RexNode> columns) {
    return RelOptUtil.InputFinder.bits(columns, null);
  }

  /** Whether a projection's expressions are worth computing once. */
  private static boolean computes(LogicalProject project, List<RexNode> columns) {
    return uses(columns).asList().stream()
        .anyMatch(i -> project.getProjects().get(i).nodeCount() > 10);
  }

  private static boolean dropsRight(LogicalJoin join, List<RexNode> columns, boolean exact) {
    int width = Rels.width(join.getLeft());
    if (uses(columns).asList().stream().anyMatch(i -> i >= width)) {
      return false;
    }
    JoinRelType type = join.getJoinType();
    boolean keeps =
        type == JoinRelType.LEFT
            || type == JoinRelType.INNER
                && join.getCondition().isAlwaysTrue()
                && isSingleRow(join.getRight());
    boolean restricts =
        type == JoinRelType.SEMI || type == JoinRelType.ANTI || type == JoinRelType.INNER;
    return keeps || !exact && restricts && isLarge(join);
  }

  /** Whether there is one row, whatever there is to aggregate. */
  static boolean isSingleRow(RelNode rel) {
    return switch (rel) {
      case LogicalProject project -> isSingleRow(project.getInput());
      case LogicalAggregate aggregate ->
          aggregate.getGroupType() == Aggregate.Group.SIMPLE && aggregate.getGroupCount() == 0;
      default -> false;
    };
  }

  private static boolean isLarge(RelNode rel) {
    return size(rel) > LARGE;
  }

  private static int size(RelNode rel) {
    int size = 1;
    for (RelNode input : rel.getInputs()) {
      size += size(input);
      if (size > LARGE) {
        break;
      }
    }
    return size;
  }
}
