package io.aragonite.rules.limit;

import com.google.common.collect.ImmutableList;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.rules.metadata.PrecompiledHandlers;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.metadata.DelegatingMetadataRel;
import org.apache.calcite.rel.metadata.RelColumnOrigin;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexTableInputRef.RelTableRef;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Answers what planners ask about plans, and ends with the statement's error when its time is up:
 * estimates are where most of the time of planning goes, and they ask each other.
 */
public final class StoppableMetadataQuery extends RelMetadataQuery {
  /** With the estimates of {@link io.aragonite.rules.metadata.GpuMetadata}. */
  public StoppableMetadataQuery() {
    super(PrecompiledHandlers.INSTANCE);
  }

  @Override
  public Double getRowCount(RelNode rel) {
    StopCheck.current().check();
    return super.getRowCount(rel);
  }

  @Override
  public @Nullable Double getMaxRowCount(RelNode rel) {
    StopCheck.current().check();
    return super.getMaxRowCount(rel);
  }

  @Override
  public @Nullable Double getMinRowCount(RelNode rel) {
    StopCheck.current().check();
    return super.getMinRowCount(rel);
  }

  @Override
  public @Nullable RelOptCost getCumulativeCost(RelNode rel) {
    StopCheck.current().check();
    return super.getCumulativeCost(rel);
  }

  @Override
  public @Nullable RelOptCost getNonCumulativeCost(RelNode rel) {
    StopCheck.current().check();
    return super.getNonCumulativeCost(rel);
  }

  @Override
  public @Nullable Set<RelColumnOrigin> getColumnOrigins(RelNode rel, int column) {
    StopCheck.current().check();
    return super.getColumnOrigins(rel, column);
  }

  @Override
  public @Nullable Set<RexNode> getExpressionLineage(RelNode rel, RexNode expression) {
    StopCheck.current().check();
    return super.getExpressionLineage(rel, expression);
  }

  @Override
  public @Nullable Set<RelTableRef> getTableReferences(RelNode rel) {
    StopCheck.current().check();
    return super.getTableReferences(rel);
  }

  @Override
  public @Nullable Double getSelectivity(RelNode rel, @Nullable RexNode predicate) {
    StopCheck.current().check();
    return super.getSelectivity(rel, predicate);
  }

  @Override
  public @Nullable Set<ImmutableBitSet> getUniqueKeys(RelNode rel, boolean ignoreNulls) {
    StopCheck.current().check();
    return super.getUniqueKeys(rel, ignoreNulls);
  }

  @Override
  public @Nullable Boolean areColumnsUnique(
      RelNode rel, ImmutableBitSet columns, boolean ignoreNulls) {
    StopCheck.current().check();
    return super.areColumnsUnique(rel, columns, ignoreNulls);
  }

  @Override
  public @Nullable ImmutableList<RelCollation> collations(RelNode rel) {
    StopCheck.current().check();
    return super.collations(rel);
  }

  @Override
  public @Nullable Double getPopulationSize(RelNode rel, ImmutableBitSet groupKey) {
    StopCheck.current().check();
    return super.getPopulationSize(rel, groupKey);
  }

  @Override
  public @Nullable List<@Nullable Double> getAverageColumnSizes(RelNode rel) {
    StopCheck.current().check();
    return super.getAverageColumnSizes(rel);
  }

  @Override
  public @Nullable Double getDistinctRowCount(
      RelNode rel, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    StopCheck.current().check();
    return super.getDistinctRowCount(rel, groupKey, predicate);
  }

  /**
   * None where Calcite (1.42, no issue known) cannot tell. It asserts what need not hold of
   * expressions while rules change them, as that a call may be null if an operand may. It also runs
   * the predicates of the inputs of an INTERSECT to find which one implies another, which needs
   * equal types and no columns of outer rows.
   */
  @Override
  public RelOptPredicateList getPulledUpPredicates(RelNode rel) {
    StopCheck.current().check();
    if (rel instanceof Intersect) {
      return RelOptPredicateList.EMPTY;
    }
    try {
      return super.getPulledUpPredicates(rel);
    } catch (AssertionError e) {
      forget(rel);
      return RelOptPredicateList.EMPTY;
    }
  }

  /** The cache takes an answer for under way that has ended with an Error. */
  private void forget(RelNode rel) {
    RelNode known = rel;
    while (known instanceof DelegatingMetadataRel delegating) {
      known = delegating.getMetadataDelegateRel();
    }
    map.row(known).clear();
  }

  @Override
  public @Nullable RelOptPredicateList getAllPredicates(RelNode rel) {
    StopCheck.current().check();
    return super.getAllPredicates(rel);
  }
}
