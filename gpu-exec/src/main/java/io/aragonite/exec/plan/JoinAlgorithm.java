package io.aragonite.exec.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The join algorithms that a plan can ask for. */
public enum JoinAlgorithm {
  /** One hash table over the whole build side (Paul20's NOP). */
  NON_PARTITIONED_HASH("hash", "NPHJ"),
  /**
   * Both sides are first partitioned in the order of that table, so that it is visited a part at a
   * time.
   */
  PARTITIONED_HASH("partitioned hash", "PHJ"),
  /**
   * The same of keys and row numbers alone: payload stays where it was, and is fetched from there
   * (Wu24's PHJ-UM, "gather from untransformed relations").
   */
  PARTITIONED_HASH_UM("partitioned hash, payload in place", "PHJ_UM"),
  /** Both sides are sorted by their keys, unless they are already. */
  SORT_MERGE("sort-merge", "SMJ"),
  /** The same of keys and row numbers alone (Wu24's SMJ-UM). */
  SORT_MERGE_UM("sort-merge, payload in place", "SMJ_UM"),
  /**
   * Tables in host memory, sorted by a device or several together unless they are sorted, cut where
   * keys begin, and joined piece by piece (Maltenberger 2024).
   */
  HOST_SORT_MERGE("sort-merge in host memory", "HSMJ"),
  /** Every pair, for joins without an equality. */
  NESTED_LOOP("nested loop", "NLJ");

  /** Those that join by equality: users can ask for them by their short names. */
  public static final List<JoinAlgorithm> EQUI_JOINS =
      List.of(
          NON_PARTITIONED_HASH,
          PARTITIONED_HASH,
          PARTITIONED_HASH_UM,
          SORT_MERGE,
          SORT_MERGE_UM,
          HOST_SORT_MERGE);

  private final String label;
  private final String shortName;

  JoinAlgorithm(String label, String shortName) {
    this.label = label;
    this.shortName = shortName;
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

  /** Its name in hints and, in lower case, in properties and options: NPHJ. */
  public String shortName() {
    return shortName;
  }

  /**
   * The algorithm of {@link #EQUI_JOINS} with this short name in either case; null for auto.
   *
   * @throws IllegalArgumentException for any other
   */
  public static @Nullable JoinAlgorithm named(String name) {
    if (name.equalsIgnoreCase("auto")) {
      return null;
    }
    for (JoinAlgorithm algorithm : EQUI_JOINS) {
      if (algorithm.shortName.equalsIgnoreCase(name)) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException(name);
  }

  /** The short names that {@link #named} knows, without auto. */
  public static List<String> names() {
    return EQUI_JOINS.stream().map(JoinAlgorithm::shortName).toList();
  }
}
