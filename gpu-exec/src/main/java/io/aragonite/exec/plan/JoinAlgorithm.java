package io.aragonite.exec.plan;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The join algorithms that a plan can ask for. */
public enum JoinAlgorithm {
  /** One hash table over the whole build side (Paul20's NOP). */
  NON_PARTITIONED_HASH("hash"),
  /**
   * Both sides are first partitioned in the order of that table, so that it is visited a part at a
   * time.
   */
  PARTITIONED_HASH("partitioned hash"),
  /** Both sides are sorted by their keys, unless they are already. */
  SORT_MERGE("sort-merge"),
  /** Every pair, for joins without an equality. */
  NESTED_LOOP("nested loop");

  private final String label;

  JoinAlgorithm(String label) {
    this.label = label;
  }

  /** Its name for people. */
  public String label() {
    return label;
  }

  /**
   * The algorithm that users call by a short name: nphj, phj or smj; null for auto.
   *
   * @throws IllegalArgumentException for any other
   */
  public static @Nullable JoinAlgorithm named(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "auto" -> null;
      case "nphj" -> NON_PARTITIONED_HASH;
      case "phj" -> PARTITIONED_HASH;
      case "smj" -> SORT_MERGE;
      default -> throw new IllegalArgumentException(name);
    };
  }
}
