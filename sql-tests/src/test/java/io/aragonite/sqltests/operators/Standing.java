package io.aragonite.sqltests.operators;

/** Where an operator test ran, from best to worst. */
enum Standing {
  /** All of its queries ran on our device, or it has none. */
  DEVICE,
  /** Some node of some query was left to Calcite's Enumerable convention. */
  FALLBACK,
  /** It failed, and so does the build. */
  FAILED
}
