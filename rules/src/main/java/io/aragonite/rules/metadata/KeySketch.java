package io.aragonite.rules.metadata;

import io.aragonite.exec.expr.Expr;
import org.jspecify.annotations.Nullable;

/**
 * What a table knows of the columns that joins are made by: which values they have, and how often
 * the most frequent ones occur.
 */
public interface KeySketch {
  /**
   * The estimated share of the rows with a value here whose value other columns have too.
   *
   * @param other a sketch of columns of the same kinds of values
   * @return null if the two cannot be compared
   */
  @Nullable Double sharedWith(KeySketch other);

  /**
   * What is found in samples of both tables' rows, which are chosen by their keys, so that partners
   * are in both or in neither (a Theta sketch with the rows behind its entries).
   *
   * @param own what rows here must satisfy; null: nothing
   * @param other a sketch of columns of the same kinds of values
   * @param others what rows there must satisfy; null: nothing
   * @return null if there are no such samples, or predicates cannot be tried
   */
  @Nullable Matches matches(@Nullable Expr own, KeySketch other, @Nullable Expr others);

  /**
   * What samples say. Frequent values stand apart: a sample by keys has all rows of one or none, so
   * each is looked for on the other side.
   *
   * @param frequent share of the rows that satisfy their predicate with a frequent value; 0 if
   *     frequent values have no weight, or are among the others
   * @param frequentMatched share of the rows with a frequent value and a partner
   * @param shared the share of other values that the other side has
   * @param filtered whether that is in rows that satisfy its predicate, not whatever these say
   * @param rows of the sample with other values that satisfy their predicate
   * @param matched of these with a partner that satisfies its predicate
   */
  record Matches(
      double frequent,
      double frequentMatched,
      double shared,
      boolean filtered,
      int rows,
      int matched) {}

  /** Distinct values of the whole table. */
  double distinct();

  /**
   * Distinct values of the rows that satisfy a predicate, which may go by groups of equal values.
   *
   * @return null if a sample does not say it
   */
  @Nullable Double distinct(Expr predicate);

  /** The share of rows with the most frequent value; 0 if none stands out. */
  double topShare();
}
