package io.aragonite.rules.program.subquery;

import io.aragonite.rules.rel.LogicalUnnest;
import io.aragonite.rules.rel.UnnestRel.UnnestForm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Uncollect;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rel.type.RelDataTypeFieldImpl;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * UNNEST of collections of an outer row, with filters and projections over its elements: the outer
 * side's rows themselves are repeated, so that no other side is joined with them.
 */
final class LateralUnnest {
  private final RelNode left;
  private final CorrelationId variable;

  private LateralUnnest(RelNode left, CorrelationId variable) {
    this.left = left;
    this.variable = variable;
  }

  /** The dependent join in that form; null if the right side is something else. */
  static @Nullable RelNode of(
      RelNode left, RelNode right, CorrelationId variable, JoinRelType type) {
    boolean outer = type == JoinRelType.LEFT;
    if (!outer && type != JoinRelType.INNER) {
      return null;
    }
    Deque<RelNode> above = new ArrayDeque<>();
    RelNode rel = right;
    while (isOverElements(rel, outer)) {
      above.push(rel);
      rel = rel.getInput(0);
    }
    return rel instanceof Uncollect uncollect
        ? new LateralUnnest(left, variable).of(uncollect, outer, above)
        : null;
  }

  /** UNNEST of the last columns of rows that depend on no outer row. */
  static RelNode of(Uncollect uncollect, RelNode rows, boolean outer) {
    List<RelDataTypeField> elements = uncollect.getRowType().getFieldList();
    return LogicalUnnest.create(
        rows,
        form(uncollect, outer),
        outer ? Util.transform(elements, field -> nullable(uncollect, field)) : elements);
  }

  private static UnnestForm form(Uncollect uncollect, boolean outer) {
    return new UnnestForm(
        Rels.width(uncollect.getInput()),
        outer,
        uncollect.withOrdinality,
        !uncollect.getItemAliases().isEmpty());
  }

  /** Whether a node keeps what an outer join makes of a row without elements. */
  private static boolean isOverElements(RelNode rel, boolean outer) {
    return switch (rel) {
      case LogicalFilter filter -> !outer && isPlain(List.of(filter.getCondition()));
      case LogicalProject project ->
          isPlain(project.getProjects())
              && (!outer || project.getProjects().stream().allMatch(RexInputRef.class::isInstance));
      default -> false;
    };
  }

  private static boolean isPlain(List<RexNode> expressions) {
    return !RexOver.containsOver(expressions, null)
        && RexUtil.SubQueryFinder.find(expressions) == null;
  }

  private @Nullable RelNode of(Uncollect uncollect, boolean outer, Deque<RelNode> above) {
    List<RexNode> collections = collections(uncollect.getInput());
    if (collections == null) {
      return null;
    }
    int width = Rels.width(left);
    List<RexNode> columns = Rels.refs(left, 0, width);
    collections.forEach(collection -> columns.add(overRow(collection, left)));
    RelNode rel = of(uncollect, Rels.project(left, columns), outer);
    for (RelNode node : above) {
      rel = over(rel, node, width);
    }
    return rel;
  }

  private static RelDataTypeField nullable(RelNode rel, RelDataTypeField field) {
    RelDataType type =
        rel.getCluster().getTypeFactory().createTypeWithNullability(field.getType(), true);
    return new RelDataTypeFieldImpl(field.getName(), field.getIndex(), type);
  }

  /** What is unnested, over the outer row alone; null if it is over rows of another relation. */
  private static @Nullable List<RexNode> collections(RelNode input) {
    boolean row =
        input instanceof LogicalProject project
            && project.getInput() instanceof LogicalValues values
            && values.getTuples().size() == 1
            && RelOptUtil.InputFinder.bits(project.getProjects(), null).isEmpty()
            && isPlain(project.getProjects());
    return row ? ((LogicalProject) input).getProjects() : null;
  }

  private RelNode over(RelNode rel, RelNode node, int width) {
    if (node instanceof LogicalFilter filter) {
      return Rels.filter(rel, List.of(moved(filter.getCondition(), rel, width)));
    }
    List<RexNode> columns = new ArrayList<>(Rels.refs(rel, 0, width));
    for (RexNode column : ((LogicalProject) node).getProjects()) {
      columns.add(moved(column, rel, width));
    }
    return Rels.project(rel, columns);
  }

  private RexNode moved(RexNode expression, RelNode rel, int width) {
    return overRow(Rels.move(expression, column -> column + width, rel), rel);
  }

  private RexNode overRow(RexNode expression, RelNode rel) {
    return OuterColumns.replace(
        expression, (id, row, field) -> id.equals(variable) ? Rels.ref(rel, field) : null);
  }
}
