package io.aragonite.adapter.cli;

/** How results are printed. */
enum OutputFormat {
  /** Columns of equal width, with names. */
  TABLE,
  /** RFC 4180, with names in the first line. */
  CSV,
  /** An object a line. */
  JSON,
  /** Values of the first column as they are: plans. */
  PLAIN
}
