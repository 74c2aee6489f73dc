package io.aragonite.rules.cost;

import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptCostFactory;
import org.apache.calcite.plan.RelOptPlanner;
import org.jspecify.annotations.Nullable;

/**
 * A cost as time. Calcite's own cost compares row counts and nothing else, which cannot tell two
 * join algorithms over the same rows apart.
 *
 * <p>Calcite's Enumerable operators state their costs in rows, through {@link
 * RelOptCostFactory#makeCost}; such a row counts as {@link #ENUMERABLE_ROW_NANOS}, so that plans
 * which mix both conventions compare well.
 *
 * @param nanos expected time; infinite for what cannot be done
 */
public record GpuCost(double nanos) implements RelOptCost {
  /** What the Enumerable convention takes for a row of an operator, roughly. */
  public static final double ENUMERABLE_ROW_NANOS = 100;

  /** Makes costs of this kind. */
  public static final RelOptCostFactory FACTORY = new Factory();

  private static final double HUGE = 1e30;
  private static final double EPSILON = 1e-5;

  /**
   * A cost of {@code nanos} in the planner's own kind: time with our factory, and with a foreign
   * one the rows that Enumerable would process in that time.
   */
  public static RelOptCost of(RelOptPlanner planner, double nanos) {
    RelOptCostFactory factory = planner.getCostFactory();
    if (factory instanceof Factory) {
      return new GpuCost(nanos);
    }
    double rows = nanos / ENUMERABLE_ROW_NANOS;
    return factory.makeCost(rows, rows, 0);
  }

  @Override
  public double getRows() {
    return nanos;
  }

  @Override
  public double getCpu() {
    return nanos;
  }

  @Override
  public double getIo() {
    return 0;
  }

  @Override
  public boolean isInfinite() {
    return Double.isInfinite(nanos);
  }

  private static double nanos(RelOptCost cost) {
    return ((GpuCost) cost).nanos;
  }

  @Override
  @SuppressWarnings("NonOverridingEquals") // RelOptCost's own method, not Object's
  public boolean equals(RelOptCost cost) {
    return cost instanceof GpuCost other && nanos == other.nanos;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof GpuCost cost && nanos == cost.nanos;
  }

  @Override
  public int hashCode() {
    return Double.hashCode(nanos);
  }

  @Override
  public boolean isEqWithEpsilon(RelOptCost cost) {
    double other = nanos(cost);
    return nanos == other
        || Math.abs(nanos - other) <= EPSILON * Math.max(1, Math.max(nanos, other));
  }

  @Override
  public boolean isLe(RelOptCost cost) {
    return nanos <= nanos(cost);
  }

  @Override
  public boolean isLt(RelOptCost cost) {
    return nanos < nanos(cost);
  }

  @Override
  public RelOptCost plus(RelOptCost cost) {
    return new GpuCost(nanos + nanos(cost));
  }

  @Override
  public RelOptCost minus(RelOptCost cost) {
    return isInfinite() ? this : new GpuCost(nanos - nanos(cost));
  }

  @Override
  public RelOptCost multiplyBy(double factor) {
    return new GpuCost(nanos * factor);
  }

  @Override
  public double divideBy(RelOptCost cost) {
    double other = nanos(cost);
    return other == 0 || nanos == 0 ? 1 : nanos / other;
  }

  @Override
  public String toString() {
    if (isInfinite()) {
      return "{inf}";
    }
    return nanos >= HUGE ? "{huge}" : "{%.3f ms}".formatted(nanos / 1e6);
  }

  private static final class Factory implements RelOptCostFactory {
    @Override
    public RelOptCost makeCost(double rows, double cpu, double io) {
      return new GpuCost(rows * ENUMERABLE_ROW_NANOS + cpu + io);
    }

    @Override
    public RelOptCost makeHugeCost() {
      return new GpuCost(HUGE);
    }

    @Override
    public RelOptCost makeInfiniteCost() {
      return new GpuCost(Double.POSITIVE_INFINITY);
    }

    @Override
    public RelOptCost makeTinyCost() {
      return new GpuCost(1);
    }

    @Override
    public RelOptCost makeZeroCost() {
      return new GpuCost(0);
    }
  }
}
