package io.aragonite.rules.metadata;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.ReflectiveRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMdRowCount;
import org.apache.calcite.rel.metadata.RelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** Rows of joins and groupings, from keys and distinct values. */
public final class GpuRelMdRowCount extends RelMdRowCount {
  /** Where Calcite finds it. */
  public static final RelMetadataProvider SOURCE =
      ReflectiveRelMetadataProvider.reflectiveSource(
          new GpuRelMdRowCount(), BuiltInMetadata.RowCount.Handler.class);

  private GpuRelMdRowCount() {}

  private static @Nullable Double known(RelNode rel) {
    CardinalityProvider provider = CardinalityProvider.of(rel.getCluster().getPlanner());
    return provider == null ? null : provider.rows(rel);
  }

  @Override
  public Double getRowCount(TableScan rel, RelMetadataQuery mq) {
    return rel.estimateRowCount(mq);
  }

  @Override
  public Double getRowCount(Join rel, RelMetadataQuery mq) {
    Double known = known(rel);
    return known != null ? known : JoinEstimates.computeJoinRows(rel, mq);
  }

  @Override
  public Double getRowCount(Filter rel, RelMetadataQuery mq) {
    Double known = known(rel);
    return known != null ? known : super.getRowCount(rel, mq);
  }

  @Override
  public Double getRowCount(Aggregate rel, RelMetadataQuery mq) {
    Double known = known(rel);
    if (known != null) {
      return known;
    }
    double result = 0;
    for (ImmutableBitSet set : rel.getGroupSets()) {
      result += JoinEstimates.distinct(rel.getInput(), mq, set);
    }
    return result;
  }
}
