package io.aragonite.exec.plan;

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
}
