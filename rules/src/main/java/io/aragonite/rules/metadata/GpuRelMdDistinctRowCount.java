package io.aragonite.rules.metadata;

import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.ReflectiveRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMdDistinctRowCount;
import org.apache.calcite.rel.metadata.RelMdUtil;
import org.apache.calcite.rel.metadata.RelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** Distinct values of columns, from column statistics. */
public final class GpuRelMdDistinctRowCount extends RelMdDistinctRowCount {
  /** Where Calcite finds it. */
  public static final RelMetadataProvider SOURCE =
      ReflectiveRelMetadataProvider.reflectiveSource(
          new GpuRelMdDistinctRowCount(), BuiltInMetadata.DistinctRowCount.Handler.class);

  private GpuRelMdDistinctRowCount() {}

  @Override
  public @Nullable Double getDistinctRowCount(
      TableScan scan, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    double rows = scan.estimateRowCount(mq);
    double selected = rows * new SelectivityEstimator(scan, mq).estimate(predicate);
    double product = 1;
    for (int column : groupKey) {
      double distinct = ColumnStatisticsFinder.find(scan, mq, column).distinct();
      if (distinct < 0) {
        boolean unique = RelMdUtil.areColumnsDefinitelyUnique(mq, scan, groupKey);
        return unique ? Double.valueOf(Math.max(1, selected)) : null;
      }
      product *= Math.max(1, distinct);
    }
    return Math.max(1, remaining(Math.min(product, rows), rows, selected));
  }

  /**
   * How many of {@code distinct} values are left when {@code selected} of {@code rows} rows are:
   * each value is lost with all its {@code rows / distinct} rows only.
   */
  static double remaining(double distinct, double rows, double selected) {
    if (selected >= rows || distinct <= 1 || rows <= 0) {
      return Math.min(distinct, Math.max(1, selected));
    }
    double kept = selected / rows;
    double perValue = Math.max(1, rows / distinct);
    return Math.min(selected, distinct * (1 - Math.pow(1 - kept, perValue)));
  }

  @Override
  public @Nullable Double getDistinctRowCount(
      Join rel, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    int width = rel.getLeft().getRowType().getFieldCount();
    ImmutableBitSet leftKey = groupKey.intersect(ImmutableBitSet.range(width));
    ImmutableBitSet rightKey = groupKey.except(leftKey).shift(-width);
    Double left = distinct(rel.getLeft(), mq, leftKey);
    Double right = distinct(rel.getRight(), mq, rightKey);
    Double rows = mq.getRowCount(rel);
    if (left == null || right == null || rows == null) {
      return null;
    }
    double selected = rows * new SelectivityEstimator(rel, mq).estimate(predicate);
    return Math.max(1, Math.min(left * right, selected));
  }

  private static @Nullable Double distinct(
      RelNode rel, RelMetadataQuery mq, ImmutableBitSet columns) {
    return columns.isEmpty() ? Double.valueOf(1) : mq.getDistinctRowCount(rel, columns, null);
  }

  @Override
  public @Nullable Double getDistinctRowCount(
      RelSubset rel, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    return mq.getDistinctRowCount(rel.getBestOrOriginal(), groupKey, predicate);
  }

  @Override
  public @Nullable Double getDistinctRowCount(
      RelNode rel, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    return groupKey.isEmpty()
        ? Double.valueOf(1)
        : super.getDistinctRowCount(rel, mq, groupKey, predicate);
  }
}
