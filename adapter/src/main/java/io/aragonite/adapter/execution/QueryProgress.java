package io.aragonite.adapter.execution;

/**
 * How far a statement is. Totals grow while it runs: what later parts of it read is not known
 * before.
 *
 * @param parts of files that are read: row groups, for instance
 * @param expectedParts of files that are to be read, those included
 * @param bytes of the parts that are read, where files say
 * @param expectedBytes of the parts that are to be read
 * @param rows that have come out of tables
 * @param expectedRows of the tables; filters may leave some of them out
 */
public record QueryProgress(
    long parts, long expectedParts, long bytes, long expectedBytes, long rows, long expectedRows) {

  /** The share that is done, from 0 to 1; negative if nothing is known yet. */
  public double share() {
    if (bytes < expectedBytes) {
      return (double) bytes / expectedBytes;
    }
    if (parts < expectedParts) {
      return (double) parts / expectedParts;
    }
    return expectedRows == 0 ? -1 : Math.min(1, (double) rows / expectedRows);
  }
}
