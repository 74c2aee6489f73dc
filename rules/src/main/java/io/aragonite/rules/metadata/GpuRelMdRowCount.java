package io.aragonite.rules.metadata;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Minus;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Union;
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
  public @Nullable Double getRowCount(Filter rel, RelMetadataQuery mq) {
    Double known = known(rel);
    if (known != null) {
      return known;
    }
    Double rows = super.getRowCount(rel, mq);
    return rows == null ? null : Double.valueOf(Math.min(rows, RankedRows.most(rel, mq)));
  }

  @Override
  public @Nullable Double getRowCount(Intersect rel, RelMetadataQuery mq) {
    return rel.all
        ? super.getRowCount(rel, mq)
        : Double.valueOf(
            rel.getInputs().stream().mapToDouble(input -> different(input, mq)).min().orElse(1));
  }

  @Override
  public @Nullable Double getRowCount(Minus rel, RelMetadataQuery mq) {
    Double rows = super.getRowCount(rel, mq);
    return rel.all || rows == null
        ? rows
        : Double.valueOf(Math.min(rows, different(rel.getInput(0), mq)));
  }

  @Override
  public @Nullable Double getRowCount(Union rel, RelMetadataQuery mq) {
    return rel.all
        ? super.getRowCount(rel, mq)
        : Double.valueOf(rel.getInputs().stream().mapToDouble(input -> different(input, mq)).sum());
  }

  /** Rows that differ: set operations without ALL have no others. */
  private static double different(RelNode rel, RelMetadataQuery mq) {
    int columns = rel.getRowType().getFieldCount();
    return JoinEstimates.distinct(rel, mq, ImmutableBitSet.range(columns));
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
