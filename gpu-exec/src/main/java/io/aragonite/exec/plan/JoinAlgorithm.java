package io.aragonite.exec.plan;

/** The join algorithms that a plan can ask for. */
public enum JoinAlgorithm {
  /** One hash table over the whole build side (Paul20's NOP). */
  NON_PARTITIONED_HASH,
  /** Every pair, for joins without an equality. */
  NESTED_LOOP
}
