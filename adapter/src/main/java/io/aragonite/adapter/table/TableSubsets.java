package io.aragonite.adapter.table;

import java.util.BitSet;

/** Makes tables of some files of others, and keeps them. */
public interface TableSubsets {
  /**
   * A table of some of another one's files; the other one itself if that cannot be had.
   *
   * @param chosen by the files' numbers
   */
  CachedTable subset(CachedTable whole, BitSet chosen);
}
