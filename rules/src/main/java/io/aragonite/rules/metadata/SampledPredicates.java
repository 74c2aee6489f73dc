package io.aragonite.rules.metadata;

import io.aragonite.exec.expr.Expr;
import io.aragonite.rules.translate.RexTranslator;
import io.aragonite.rules.translate.RuntimeValues;
import io.aragonite.rules.translate.Untranslatable;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.jspecify.annotations.Nullable;

/** Predicates tried on samples, beside what formulas say. */
public final class SampledPredicates {
  /** How many standard deviations of a sample a formula may be off before it is not believed. */
  private static final double BELIEVED = 1.5;

  private SampledPredicates() {}

  /** The engine's form of a predicate; null if it has none. */
  public static @Nullable Expr translated(RexBuilder builder, RexNode predicate) {
    if (RexUtil.SubQueryFinder.find(predicate) != null) {
      return null;
    }
    try {
      return new RexTranslator(builder, new RuntimeValues()).translate(predicate);
    } catch (Untranslatable | IllegalArgumentException | IllegalStateException e) {
      return null;
    }
  }

  /**
   * A share between what a formula says and what a sample says: the formula's, if the sample could
   * have come about by it, else the nearest that it could have come about by.
   *
   * @param rows of the sample
   * @param found of these
   */
  public static double combined(double formula, int rows, int found) {
    if (rows == 0) {
      return formula;
    }
    double low = (found - BELIEVED * Math.sqrt(found)) / rows;
    double high = (found + BELIEVED * Math.sqrt(found + 1.0)) / rows;
    return Math.clamp(formula, Math.max(0, low), Math.min(1, Math.max(low, high)));
  }
}
