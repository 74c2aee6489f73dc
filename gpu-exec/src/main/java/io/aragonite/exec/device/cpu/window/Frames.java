package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.plan.WindowFrame.Exclude;

/**
 * The frame of each position, as a stretch of positions that EXCLUDE may have cut.
 *
 * @param sorted the rows
 * @param low first position of each frame
 * @param high end (exclusive) of each frame, at least {@code low}
 * @param exclude what is left out of the stretch
 * @param fromStart whether every frame begins where its partition does
 */
record Frames(
    SortedRows sorted, IntVector low, IntVector high, Exclude exclude, boolean fromStart) {

  /** Whether frames only grow within a partition. */
  boolean running() {
    return fromStart && exclude == Exclude.NO_OTHERS;
  }

  /**
   * Writes the pieces of a frame, ascending, as pairs of start and end; none is empty.
   *
   * @param out room for six
   * @return how many pieces
   */
  int pieces(int position, int[] out) {
    int from = low.get(position);
    int to = high.get(position);
    if (exclude == Exclude.NO_OTHERS) {
      return add(out, 0, from, to);
    }
    boolean row = exclude == Exclude.CURRENT_ROW;
    int outFrom = row ? position : sorted.peerStart(position);
    int outTo = row ? position + 1 : sorted.peerEnd(position);
    int count = add(out, 0, from, Math.min(to, outFrom));
    if (exclude == Exclude.TIES) {
      count = add(out, count, Math.max(from, position), Math.min(to, position + 1));
    }
    return add(out, count, Math.max(from, outTo), to);
  }

  private static int add(int[] out, int count, int from, int to) {
    if (from >= to) {
      return count;
    }
    out[2 * count] = from;
    out[2 * count + 1] = to;
    return count + 1;
  }
}
