package io.aragonite.exec.cost;

import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;

/**
 * Prices of the ways to group rows: by a table of the keys' words, which each row visits; by
 * sorting the words with their rows' numbers, by which values are then fetched; by adding rows to
 * sums that their keys address. For devices whose batches are large; a CPU's tables stay in its
 * caches, or are put aside and merged by partitions. What is not in a profile was fitted to {@code
 * GroupBench} on an H200 (2026-11-22).
 */
public final class GroupModel {
  /** Bytes of an entry of a table that is addressed by words, and of a slot of any other. */
  private static final double ENTRY = 4;

  private static final double SLOT = 48;

  private static final double WORD = 8;
  private static final double ID = 4;

  /** Fetching a value by a row's number, over looking a row up in memory. */
  private static final double FETCH = 2;

  /** Comparing a key with its neighbour's, over fetching a value. */
  private static final double NEIGHBOUR = 0.7;

  /** Reads and writes of a row's columns before they are sorted: kept, made words, and numbered. */
  private static final double COPIES = 3;

  /** An atomic addition over putting a row in a table, where the cache holds it and where not. */
  private static final double ADD_HIT = 0.35;

  private static final double ADD_MISS = 0.8;

  private final MachineProfile device;

  /**
   * @param device what it was measured to do
   */
  public GroupModel(MachineProfile device) {
    this.device = device;
  }

  /**
   * What is grouped.
   *
   * @param rows how many
   * @param groups how many come out
   * @param keys columns of the keys
   * @param values results of a group
   * @param fetched results that take in a column's values, and not just rows
   * @param bits of the words that differ
   * @param exact whether words tell keys apart; else keys are compared
   */
  public record Shape(
      double rows, double groups, int keys, int values, int fetched, double bits, boolean exact) {}

  /** Nanoseconds by a table. */
  public double table(Shape s) {
    boolean direct = s.exact && Math.pow(2, s.bits) <= 4 * s.rows;
    double space = direct ? ENTRY * Math.pow(2, s.bits) : SLOT * s.groups;
    double found = device.insert(s.rows, space) + visits(s.rows, space);
    double mixed = direct ? 0 : s.rows * device.mixedInsertNanos();
    double compared =
        s.exact ? 0 : s.keys * (fetched(s.rows, s.groups) + s.rows * device.nearNanos());
    // An update reads and writes.
    double updated = s.values * 2 * visits(s.rows, WORD * s.groups);
    return found + mixed + compared + updated + device.sequential(s.rows * WORD * (1 + s.values));
  }

  /**
   * Nanoseconds by a table that the cores' caches hold, each core one of its own; infinite if they
   * do not.
   */
  public double nearTable(Shape s) {
    if (SLOT * s.groups > device.nearBytes()) {
      return Double.POSITIVE_INFINITY;
    }
    return s.rows * (1 + s.values) * device.nearNanos()
        + device.sequential(s.rows * WORD * (1 + s.values));
  }

  /** Nanoseconds by sorting. */
  public double sort(Shape s) {
    double collected = device.sequential(COPIES * s.rows * WORD * (1 + s.keys + s.fetched));
    double sorted = s.rows * device.sortRowNanos() * Math.ceil(s.bits / 8);
    // Of two neighbours one was just fetched for the pair before.
    double compared = s.exact ? 0 : NEIGHBOUR * s.keys * fetched(s.rows, s.rows);
    double reduced =
        s.fetched * fetched(s.rows, s.rows)
            + s.values * device.sequential(s.rows * (WORD + 2 * ID));
    return collected + sorted + compared + reduced + s.keys * fetched(s.groups, s.rows);
  }

  /** Nanoseconds of rows whose keys ascend: what sorting takes beside, and nothing is fetched. */
  public double inOrder(Shape s) {
    return device.sequential(
        COPIES * s.rows * WORD * (1 + s.keys + s.fetched)
            + s.values * s.rows * (WORD + 2 * ID)
            + s.groups * WORD * (s.keys + s.values));
  }

  /**
   * Nanoseconds by a table that keys address, to whose counts and sums rows are added as they come.
   *
   * @param entries of the table
   * @param sums beside the count of an entry
   */
  public double directAddress(double rows, double entries, int sums) {
    double space = entries * (ENTRY + WORD * sums);
    double hits = device.insert(rows, 0);
    double missing = device.insert(rows, space) - hits * device.cached(space);
    double added = ADD_HIT * hits * device.cached(space) + ADD_MISS * missing;
    return (1 + sums) * added + device.sequential(3 * space);
  }

  private double visits(double count, double space) {
    return device.random(count, space, Skew.none(space / WORD)) + count * device.nearNanos();
  }

  private double fetched(double count, double rows) {
    return FETCH * device.random(count, WORD * rows, Skew.none(rows));
  }
}
