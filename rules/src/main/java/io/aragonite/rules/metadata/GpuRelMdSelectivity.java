package io.aragonite.rules.metadata;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.ReflectiveRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMdSelectivity;
import org.apache.calcite.rel.metadata.RelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** Selectivity of predicates from column statistics. */
public final class GpuRelMdSelectivity extends RelMdSelectivity {
  /** Where Calcite finds it. */
  public static final RelMetadataProvider SOURCE =
      ReflectiveRelMetadataProvider.reflectiveSource(
          new GpuRelMdSelectivity(), BuiltInMetadata.Selectivity.Handler.class);

  private GpuRelMdSelectivity() {}

  @Override
  public Double getSelectivity(TableScan scan, RelMetadataQuery mq, @Nullable RexNode predicate) {
    return getSelectivity((RelNode) scan, mq, predicate);
  }

  @Override
  public @Nullable Double getSelectivity(
      Join rel, RelMetadataQuery mq, @Nullable RexNode predicate) {
    // What a semi-join keeps is in its row count; the predicate sees columns of the left side.
    return rel.getJoinType().projectsRight()
        ? getSelectivity((RelNode) rel, mq, predicate)
        : mq.getSelectivity(rel.getLeft(), predicate);
  }

  @Override
  public Double getSelectivity(RelNode rel, RelMetadataQuery mq, @Nullable RexNode predicate) {
    return new SelectivityEstimator(rel, mq).estimate(predicate);
  }
}
