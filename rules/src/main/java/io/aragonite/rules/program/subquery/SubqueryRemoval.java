package io.aragonite.rules.program.subquery;

import com.google.common.collect.ImmutableSet;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Makes dependent joins of the subqueries that expressions hold. A conjunct of a filter becomes a
 * semi-join or an anti-join where it can; elsewhere a column is joined to the rows, with SQL's
 * three values.
 */
public final class SubqueryRemoval {
  private SubqueryRemoval() {}

  /** The tree without subqueries in expressions; dependent joins are in their place. */
  public static RelNode remove(RelNode rel) {
    return remove(rel, Set.of());
  }

  /**
   * @param outer variables of rows around the tree
   */
  static RelNode remove(RelNode rel, Set<CorrelationId> outer) {
    if (rel instanceof LogicalCorrelate correlate) {
      Set<CorrelationId> inside = new HashSet<>(outer);
      inside.add(correlate.getCorrelationId());
      RelNode left =
          Rels.typed(remove(correlate.getLeft(), outer), correlate.getLeft().getRowType());
      RelNode right = remove(correlate.getRight(), inside);
      return LogicalCorrelate.create(
          left,
          right,
          correlate.getHints(),
          correlate.getCorrelationId(),
          correlate.getRequiredColumns(),
          correlate.getJoinType());
    }
    List<RelNode> inputs = new ArrayList<>();
    for (RelNode input : rel.getInputs()) {
      inputs.add(remove(input, outer));
    }
    RelNode node = inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
    List<RexSubQuery> subQueries = subQueries(node);
    if (subQueries.isEmpty()) {
      return node;
    }
    return switch (node) {
      case LogicalFilter filter -> filter(filter, subQueries, outer);
      case LogicalProject project -> project(project, subQueries, outer);
      case LogicalJoin join -> new JoinSubqueries(join, subQueries, outer).remove();
      default ->
          throw new AragoniteException(
              ErrorCode.EXPRESSION_UNSUPPORTED,
              "A subquery cannot stand in %s; select its value in a FROM item first."
                  .formatted(node.getRelTypeName()));
    };
  }

  private static RelNode filter(
      LogicalFilter filter, List<RexSubQuery> subQueries, Set<CorrelationId> outer) {
    RelNode input = filter.getInput();
    Set<CorrelationId> own = own(filter, input.getRowType(), subQueries, outer);
    RelNode result = filtered(input, RelOptUtil.conjunctions(filter.getCondition()), own, outer);
    return Rels.typed(result, filter.getRowType());
  }

  /** The rows for which all conditions are true, with more columns behind theirs. */
  static RelNode filtered(
      RelNode input, List<RexNode> conditions, Set<CorrelationId> own, Set<CorrelationId> outer) {
    List<RexNode> plain = new ArrayList<>();
    List<RexNode> rest = new ArrayList<>();
    for (RexNode condition : conditions) {
      (Rels.hasSubQuery(condition) ? rest : plain).add(condition);
    }
    SubqueryColumns widening = new SubqueryColumns(Rels.filter(input, plain), own, outer);
    List<RexNode> valued = new ArrayList<>();
    for (RexNode condition : rest) {
      if (!widening.restrict(condition)) {
        valued.add(condition);
      }
    }
    List<RexNode> kept = new ArrayList<>();
    for (RexNode condition : valued) {
      kept.add(widening.replace(condition));
    }
    return Rels.filter(widening.rel(), kept);
  }

  private static RelNode project(
      LogicalProject project, List<RexSubQuery> subQueries, Set<CorrelationId> outer) {
    RelNode input = project.getInput();
    Set<CorrelationId> own = own(project, input.getRowType(), subQueries, outer);
    SubqueryColumns widening = new SubqueryColumns(input, own, outer);
    List<RexNode> columns = new ArrayList<>();
    for (RexNode column : project.getProjects()) {
      columns.add(widening.replace(column));
    }
    RelNode result =
        LogicalProject.create(
            widening.rel(),
            project.getHints(),
            columns,
            project.getRowType().getFieldNames(),
            ImmutableSet.of());
    return Rels.typed(result, project.getRowType());
  }

  private static List<RexSubQuery> subQueries(RelNode rel) {
    List<RexSubQuery> found = new ArrayList<>();
    rel.accept(
        new RexShuttle() {
          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            found.add(subQuery);
            return super.visitSubQuery(subQuery);
          }
        });
    return found;
  }

  /**
   * Variables that stand for a row of a node: what it says, and what nobody else defines, since
   * Calcite forgets to say so of ON, of a SELECT list with aggregates, of all but the first
   * subquery of HAVING, and where it converts a subquery twice.
   */
  static Set<CorrelationId> own(
      RelNode node, RelDataType row, List<RexSubQuery> subQueries, Set<CorrelationId> outer) {
    Set<CorrelationId> own = new HashSet<>(node.getVariablesSet());
    for (RexSubQuery subQuery : subQueries) {
      Set<CorrelationId> inside = OuterColumns.defined(subQuery.rel);
      OuterColumns.replace(
          subQuery.rel,
          (variable, type, field) -> {
            boolean free =
                !inside.contains(variable) && !outer.contains(variable) && !own.contains(variable);
            if (free && isRow(type, node, row) && !isInside(subQuery.rel, variable, type)) {
              own.add(variable);
            }
            return null;
          });
    }
    return own;
  }

  /** Whether a node further in may be meant: that is so of the innermost one whose rows fit. */
  private static boolean isInside(RelNode rel, CorrelationId variable, RelDataType type) {
    for (RexSubQuery subQuery : subQueries(rel)) {
      RelDataType row =
          rel instanceof LogicalJoin join
              ? Rels.join(join.getLeft(), join.getRight(), List.of(), JoinRelType.INNER)
                  .getRowType()
              : rel.getInput(0).getRowType();
      if (OuterColumns.uses(subQuery.rel, variable) && isRow(type, rel, row)
          || isInside(subQuery.rel, variable, type)) {
        return true;
      }
    }
    return rel.getInputs().stream().anyMatch(input -> isInside(input, variable, type));
  }

  private static boolean isRow(RelDataType type, RelNode node, RelDataType row) {
    boolean same = type.getFieldCount() == row.getFieldCount();
    for (int i = 0; same && i < row.getFieldCount(); i++) {
      RelDataTypeField one = type.getFieldList().get(i);
      RelDataTypeField other = row.getFieldList().get(i);
      // The two sides of a join may have columns of one name, of which one gets another.
      same =
          SqlTypeUtil.equalSansNullability(one.getType(), other.getType())
              && (node instanceof LogicalJoin || one.getName().equals(other.getName()));
    }
    return same;
  }
}
