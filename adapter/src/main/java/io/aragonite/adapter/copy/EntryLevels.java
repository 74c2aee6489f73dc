package io.aragonite.adapter.copy;

/**
 * The repetition and definition levels of a column in a row group, as Parquet has them. A row is an
 * entry, or one for each element that it has; an entry has a value or none.
 */
interface EntryLevels {
  int rows();

  /** How many entries some rows have. */
  int entries(int from, int to);

  /** How many of the entries have a value. */
  int values(int from, int to);

  /**
   * Adds the levels of the entries of some rows to a page, each kind behind its length.
   *
   * @param values how many of the entries have a value
   */
  void addLevels(int from, int to, int values, NativeBytes page);
}
