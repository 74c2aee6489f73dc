package io.aragonite.rules.metadata;

import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.ReflectiveRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMdMaxRowCount;
import org.apache.calcite.rel.metadata.RelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.jspecify.annotations.Nullable;

/**
 * How many rows outer joins and grouping sets can have. Calcite's own bound of a join is the
 * product of both sides, whatever the join: one row beside one gave one, where a FULL JOIN has two,
 * and a DISTINCT went away. That of grouping sets over no rows is none, where the empty set has
 * one.
 */
public final class GpuRelMdMaxRowCount extends RelMdMaxRowCount {
  /** Where Calcite finds it. */
  public static final RelMetadataProvider SOURCE =
      ReflectiveRelMetadataProvider.reflectiveSource(
          new GpuRelMdMaxRowCount(), BuiltInMetadata.MaxRowCount.Handler.class);

  private GpuRelMdMaxRowCount() {}

  @Override
  public @Nullable Double getMaxRowCount(Aggregate aggregate, RelMetadataQuery mq) {
    if (aggregate.getGroupType() == Aggregate.Group.SIMPLE) {
      return super.getMaxRowCount(aggregate, mq);
    }
    Double input = mq.getMaxRowCount(aggregate.getInput());
    return input == null
        ? null
        : (Double)
            aggregate.getGroupSets().stream().mapToDouble(set -> set.isEmpty() ? 1 : input).sum();
  }

  public Double getMaxRowCount(DistinctRowsRel rel, RelMetadataQuery mq) {
    return (double) rel.rows();
  }

  @Override
  public @Nullable Double getMaxRowCount(Join join, RelMetadataQuery mq) {
    Double left = mq.getMaxRowCount(join.getLeft());
    JoinRelType type = join.getJoinType();
    if (!type.projectsRight() || type == JoinRelType.ASOF || type == JoinRelType.LEFT_ASOF) {
      return left; // each row on the left is there at most once
    }
    Double right = mq.getMaxRowCount(join.getRight());
    if (left == null || right == null) {
      return null;
    }
    double pairs = left * right;
    return switch (type) {
      case LEFT -> Math.max(left, pairs);
      case RIGHT -> Math.max(right, pairs);
      case FULL -> Math.max(left + right, pairs);
      default -> pairs;
    };
  }
}
