package io.aragonite.rules.metadata;

import org.jspecify.annotations.Nullable;

/** What a table knows of a column that joins are made by: which values, and how often the most. */
public interface KeySketch {
  /**
   * The estimated share of this column's different values that another column has too.
   *
   * @param other a sketch of a column of the same kind of values
   * @return null if the two cannot be compared
   */
  @Nullable Double sharedWith(KeySketch other);

  /** Distinct values of the whole column. */
  double distinct();

  /** The share of rows with the most frequent value; 0 if none is frequent enough to be seen. */
  double topShare();
}
