package io.aragonite.exec.plan;

/** In which order a join over tries goes through the values of its variables. */
public enum TraversalOrder {
  /** All values of a variable before the next one's, in pieces if memory is short. */
  LEVELS,
  /**
   * Level by level, but depth first from where a GPU's memory would cut a level into many pieces.
   */
  FITTING,
  /** Depth first where the device can. */
  DEPTH
}
