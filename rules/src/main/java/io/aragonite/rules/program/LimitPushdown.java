package io.aragonite.rules.program;

import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Has sorts below a LIMIT make no more rows than it may ask for, where only expressions are
 * between: a window function would see fewer rows.
 */
final class LimitPushdown extends RelHomogeneousShuttle {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    if (!(rel instanceof LogicalSort limit) || !limit.getCollation().getKeys().isEmpty()) {
      return rel;
    }
    BigDecimal most = end(limit);
    RelNode input = most == null ? null : limited(limit.getInput(), most);
    return input == null ? rel : limit.copy(limit.getTraitSet(), List.of(input));
  }

  /** How many of the first rows are asked for; null: all, or nobody knows. */
  private static @Nullable BigDecimal end(LogicalSort limit) {
    BigDecimal offset = limit.offset == null ? BigDecimal.ZERO : number(limit.offset);
    BigDecimal fetch = number(limit.fetch);
    BigDecimal end = offset == null || fetch == null ? null : offset.add(fetch);
    return end == null || end.compareTo(MOST) > 0 ? null : end;
  }

  private static @Nullable BigDecimal number(@Nullable RexNode node) {
    return node instanceof RexLiteral literal ? literal.getValueAs(BigDecimal.class) : null;
  }

  /** The rows with a sort that makes so many at most; null if there is none, or it does already. */
  private static @Nullable RelNode limited(RelNode rel, BigDecimal most) {
    return switch (rel) {
      case LogicalProject project when !project.containsOver() -> {
        RelNode input = limited(project.getInput(), most);
        yield input == null ? null : project.copy(project.getTraitSet(), List.of(input));
      }
      case LogicalSort sort when sort.fetch == null -> {
        RexNode fetch = sort.getCluster().getRexBuilder().makeExactLiteral(most);
        yield LogicalSort.create(sort.getInput(), sort.getCollation(), sort.offset, fetch);
      }
      default -> null;
    };
  }
}
