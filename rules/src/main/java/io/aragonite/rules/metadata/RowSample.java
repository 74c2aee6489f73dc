package io.aragonite.rules.metadata;

import io.aragonite.exec.expr.Expr;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Some rows of a table, on which predicates can be tried. Safe for several threads. */
public interface RowSample {
  /** How many rows. */
  int rows();

  /**
   * The rows for which a predicate over the table's columns is true. What was found once is
   * remembered.
   *
   * @return null if it cannot be tried: it fails on a row, or has parameters
   */
  @Nullable BitSet select(Expr predicate);
}
