package io.aragonite.exec.group.host;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts two sorted sides into pieces that can be joined each alone (Maltenberger 2024, section
 * 3.3.1): the merge of both into pieces of equal length by merge path, each cut moved to where its
 * key begins on both sides, so that equal keys are never on two sides of a cut. A key with many
 * rows becomes a range of its own, which needs no search.
 */
final class MergeCuts {
  /**
   * Rows whose partners are among each other.
   *
   * @param one whether all rows have one key, so that all match
   */
  record Cut(long leftFrom, long leftTo, long rightFrom, long rightTo, boolean one) {
    long rows() {
      return leftTo - leftFrom + rightTo - rightFrom;
    }
  }

  private MergeCuts() {}

  /**
   * @param pieces how many are wanted; there are more where keys have ranges of their own, and
   *     fewer where keys have many rows; those without rows on one side are left out
   */
  static List<Cut> of(
      HostColumn left, long leftRows, HostColumn right, long rightRows, int pieces) {
    List<Cut> cuts = new ArrayList<>();
    long all = leftRows + rightRows;
    long piece = Math.max(1, (all + pieces - 1) / pieces);
    long i = 0;
    long j = 0;
    for (long diagonal = piece; diagonal < all; diagonal += piece) {
      if (i + j >= diagonal) {
        continue;
      }
      long key = at(left, leftRows, right, rightRows, diagonal);
      long leftFrom = left.lower(key, i, leftRows);
      long rightFrom = right.lower(key, j, rightRows);
      add(cuts, new Cut(i, leftFrom, j, rightFrom, false));
      i = leftFrom;
      j = rightFrom;
      long leftTo = left.upper(key, i, leftRows);
      long rightTo = right.upper(key, j, rightRows);
      if (leftTo - i + rightTo - j > piece / 2) {
        add(cuts, new Cut(i, leftTo, j, rightTo, true));
        i = leftTo;
        j = rightTo;
      }
    }
    add(cuts, new Cut(i, leftRows, j, rightRows, false));
    return cuts;
  }

  private static void add(List<Cut> cuts, Cut cut) {
    if (cut.leftFrom < cut.leftTo && cut.rightFrom < cut.rightTo) {
      cuts.add(cut);
    }
  }

  /** The key of the merge's row at a place; left rows come first among equal keys. */
  private static long at(
      HostColumn left, long leftRows, HostColumn right, long rightRows, long place) {
    long low = Math.max(0, place - rightRows);
    long high = Math.min(place, leftRows);
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (left.get(middle) <= right.get(place - 1 - middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    long j = place - low;
    if (low == leftRows) {
      return right.get(j);
    }
    return j == rightRows ? left.get(low) : Math.min(left.get(low), right.get(j));
  }
}
