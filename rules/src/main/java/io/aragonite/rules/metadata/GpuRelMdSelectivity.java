package io.aragonite.rules.metadata;

import io.aragonite.exec.expr.Expr;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.ReflectiveRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMdSelectivity;
import org.apache.calcite.rel.metadata.RelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** Selectivity of predicates from column statistics. */
public final class GpuRelMdSelectivity extends RelMdSelectivity {
  /** Where Calcite finds it. */
  public static final RelMetadataProvider SOURCE =
      ReflectiveRelMetadataProvider.reflectiveSource(
          new GpuRelMdSelectivity(), BuiltInMetadata.Selectivity.Handler.class);

  /** HAVING mostly looks for exceptions. */
  private static final double HAVING = 0.1;

  private GpuRelMdSelectivity() {}

  @Override
  public Double getSelectivity(TableScan scan, RelMetadataQuery mq, @Nullable RexNode predicate) {
    double formula = new SelectivityEstimator(scan, mq).estimate(predicate);
    TableData table = scan.getTable().unwrap(TableData.class);
    RowSample sample = table == null || predicate == null ? null : table.sample();
    if (sample == null || predicate == null || predicate.isAlwaysTrue()) {
      return formula;
    }
    Expr expr = SampledPredicates.translated(scan.getCluster().getRexBuilder(), predicate);
    BitSet found = expr == null ? null : sample.select(expr);
    return found == null
        ? formula
        : Math.max(
            SelectivityEstimator.LEAST,
            SampledPredicates.combined(formula, sample.rows(), found.cardinality()));
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
  public Double getSelectivity(Aggregate rel, RelMetadataQuery mq, @Nullable RexNode predicate) {
    if (predicate == null) {
      return 1.0;
    }
    List<RexNode> ofGroups = new ArrayList<>();
    List<RexNode> ofRows = new ArrayList<>();
    // Keys come first in the output of an aggregate.
    RelOptUtil.splitFilters(
        ImmutableBitSet.range(rel.getGroupCount()), predicate, ofRows, ofGroups);
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    double rows =
        new SelectivityEstimator(rel, mq).estimate(RexUtil.composeConjunction(rexBuilder, ofRows));
    double groups = 1;
    for (RexNode term : ofGroups) {
      Double tail = GroupTails.share(rel, mq, term);
      groups *= tail == null ? HAVING : tail;
    }
    return Math.max(SelectivityEstimator.LEAST, rows * groups);
  }

  /** Calcite's own answer for a set of equivalent plans is a guess. */
  public @Nullable Double getSelectivity(
      RelSubset rel, RelMetadataQuery mq, @Nullable RexNode predicate) {
    return mq.getSelectivity(rel.getBestOrOriginal(), predicate);
  }

  @Override
  public Double getSelectivity(RelNode rel, RelMetadataQuery mq, @Nullable RexNode predicate) {
    return new SelectivityEstimator(rel, mq).estimate(predicate);
  }
}
