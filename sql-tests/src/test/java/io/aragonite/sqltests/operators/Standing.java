package io.aragonite.sqltests.operators;

/** Where an operator test ran, from best to worst. */
enum Standing {
  /** It asked nothing of the engine: its queries are refused by the validator, or it has none. */
  NOTHING("ask nothing of the engine"),
  /** All of its queries ran on our device, in our code. */
  DEVICE("ran on our device, wholly in our code"),
  /** All ran on our device, some with functions that Calcite's code evaluates row by row. */
  HOST("ran on our device with host functions, evaluated row by row in Calcite's code"),
  /** Some node of some query was left to Calcite's Enumerable convention. */
  FALLBACK("left a node to Calcite's Enumerable"),
  /** It failed, and so does the build. */
  FAILED("failed");

  final String meaning;

  Standing(String meaning) {
    this.meaning = meaning;
  }
}
