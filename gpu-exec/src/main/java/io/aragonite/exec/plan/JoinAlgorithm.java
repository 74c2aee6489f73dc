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
  /**
   * The same of keys and row numbers alone: payload stays where it was, and is fetched from there
   * (Wu24's PHJ-UM, "gather from untransformed relations").
   */
  PARTITIONED_HASH_UM("partitioned hash, payload in place"),
  /** Both sides are sorted by their keys, unless they are already. */
  SORT_MERGE("sort-merge"),
  /** The same of keys and row numbers alone (Wu24's SMJ-UM). */
  SORT_MERGE_UM("sort-merge, payload in place"),
  /**
   * Tables in host memory, sorted by a device or several together unless they are sorted, cut where
   * keys begin, and joined piece by piece (Maltenberger 2024).
   */
  HOST_SORT_MERGE("sort-merge in host memory"),
  /** Every pair, for joins without an equality. */
  NESTED_LOOP("nested loop");

  private final String label;

  JoinAlgorithm(String label) {
    this.label = label;
  }

  /** Whether both sides are brought into the order of their keys. */
  public boolean sorts() {
    return this == SORT_MERGE || this == SORT_MERGE_UM || this == HOST_SORT_MERGE;
  }

  /** Whether payload columns stay where they are while keys are brought into an order. */
  public boolean keepsPayload() {
    return this == PARTITIONED_HASH_UM || this == SORT_MERGE_UM;
  }

  /** Its name for people. */
  public String label() {
    return label;
  }

  /**
   * The algorithm that users call by a short name: nphj, phj, phj_um, smj, smj_um or hsmj; null for
   * auto.
   *
   * @throws IllegalArgumentException for any other
   */
  public static @Nullable JoinAlgorithm named(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "auto" -> null;
      case "nphj" -> NON_PARTITIONED_HASH;
      case "phj" -> PARTITIONED_HASH;
      case "phj_um" -> PARTITIONED_HASH_UM;
      case "smj" -> SORT_MERGE;
      case "smj_um" -> SORT_MERGE_UM;
      case "hsmj" -> HOST_SORT_MERGE;
      default -> throw new IllegalArgumentException(name);
    };
  }
}
