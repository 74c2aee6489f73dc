package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.HostColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts two sides, each of any number of sorted runs, into pieces that can be joined each alone
 * (Maltenberger 2024, section 3.3.1, of runs that nobody has merged): each cut is where a key
 * begins on both sides, so that equal keys are never on two sides of it. Cuts are keys of an even
 * sample of all runs, so that a piece has as many rows as are wanted, give or take an eighth; a key
 * with many rows becomes a range of its own, which needs no search.
 */
public final class MergeSplitter {
  /** Samples of a piece's rows for each run. */
  private static final int SAMPLES = 8;

  /**
   * Rows whose partners are among each other: for each run where they begin and end.
   *
   * @param one whether all of them have one key
   */
  public record Cut(long[] leftFrom, long[] leftTo, long[] rightFrom, long[] rightTo, boolean one) {
    public long leftRows() {
      return rows(leftFrom, leftTo);
    }

    public long rightRows() {
      return rows(rightFrom, rightTo);
    }

    private static long rows(long[] from, long[] to) {
      long rows = 0;
      for (int i = 0; i < from.length; i++) {
        rows += to[i] - from[i];
      }
      return rows;
    }
  }

  private final List<HostColumn> left;
  private final List<HostColumn> right;
  private final boolean leftAlone;
  private final boolean rightAlone;
  private final List<Cut> cuts = new ArrayList<>();
  private long[] leftAt;
  private long[] rightAt;

  private MergeSplitter(
      List<HostColumn> left, List<HostColumn> right, boolean leftAlone, boolean rightAlone) {
    this.left = left;
    this.right = right;
    this.leftAlone = leftAlone;
    this.rightAlone = rightAlone;
    this.leftAt = new long[left.size()];
    this.rightAt = new long[right.size()];
  }

  /**
   * @param left keys of each run, ascending
   * @param piece rows of both sides that are wanted in a piece, at least one; there are at most
   *     twice as many, unless they have one key
   * @param leftAlone whether pieces without right rows are wanted too
   * @param rightAlone whether pieces without left rows are
   */
  public static List<Cut> of(
      List<HostColumn> left,
      List<HostColumn> right,
      long piece,
      boolean leftAlone,
      boolean rightAlone) {
    MergeSplitter cutter = new MergeSplitter(left, right, leftAlone, rightAlone);
    cutter.cut(piece);
    return cutter.cuts;
  }

  private void cut(long piece) {
    long spacing = Math.max(1, piece / (SAMPLES * Math.max(1L, left.size() + right.size())));
    long[] samples = samples(spacing);
    long passed = 0;
    for (int i = 0; i < samples.length; i++) {
      passed += spacing;
      if (passed < piece) {
        continue;
      }
      long key = samples[i];
      add(ends(left, key, leftAt, false), ends(right, key, rightAt, false), false);
      long[] leftEnd = ends(left, key, leftAt, true);
      long[] rightEnd = ends(right, key, rightAt, true);
      passed = 0;
      if (Cut.rows(leftAt, leftEnd) + Cut.rows(rightAt, rightEnd) > piece / 2) {
        add(leftEnd, rightEnd, true);
        while (i + 1 < samples.length && samples[i + 1] == key) {
          i++;
        }
      }
    }
    add(all(left), all(right), false);
  }

  /** Every so many rows of each run a key. */
  private long[] samples(long spacing) {
    List<HostColumn> runs = new ArrayList<>(left);
    runs.addAll(right);
    long count = 0;
    for (HostColumn run : runs) {
      count += run.rows() / spacing;
    }
    long[] samples = new long[Math.toIntExact(count)];
    int next = 0;
    for (HostColumn run : runs) {
      for (long row = spacing - 1; row < run.rows(); row += spacing) {
        samples[next++] = run.get(row);
      }
    }
    Arrays.sort(samples);
    return samples;
  }

  /** Where the rows below a key end in each run, or those up to it. */
  private static long[] ends(List<HostColumn> runs, long key, long[] from, boolean with) {
    long[] ends = new long[from.length];
    for (int i = 0; i < ends.length; i++) {
      HostColumn run = runs.get(i);
      ends[i] = with ? run.upper(key, from[i], run.rows()) : run.lower(key, from[i], run.rows());
    }
    return ends;
  }

  private static long[] all(List<HostColumn> runs) {
    return runs.stream().mapToLong(HostColumn::rows).toArray();
  }

  private void add(long[] leftTo, long[] rightTo, boolean one) {
    Cut cut = new Cut(leftAt, leftTo, rightAt, rightTo, one);
    boolean ours = cut.leftRows() > 0;
    boolean theirs = cut.rightRows() > 0;
    if (ours && theirs || ours && leftAlone || theirs && rightAlone) {
      cuts.add(cut);
    }
    leftAt = leftTo;
    rightAt = rightTo;
  }
}
