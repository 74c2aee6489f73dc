package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.WindowCall;

/** Functions of a position's place in its partition. */
final class Ranking {
  private Ranking() {}

  static void compute(WindowCall call, SortedRows sorted, WindowOutput out) {
    for (int i = 0; i < sorted.partitionCount(); i++) {
      int from = sorted.partitions().get(i);
      int to = sorted.partitions().get(i + 1L);
      switch (call.function()) {
        case NTILE -> tiles(call, sorted, from, to, out);
        case PERCENT_RANK -> {
          for (int p = from; p < to; p++) {
            double rank = sorted.peerStart(p) - from;
            out.setFloating(p, to - from == 1 ? 0 : rank / (to - from - 1));
          }
        }
        case CUME_DIST -> {
          for (int p = from; p < to; p++) {
            out.setFloating(p, (sorted.peerEnd(p) - from) / (double) (to - from));
          }
        }
        case ROW_NUMBER -> {
          for (int p = from; p < to; p++) {
            out.setInteger(p, p - from + 1L);
          }
        }
        case RANK -> {
          for (int p = from; p < to; p++) {
            out.setInteger(p, sorted.peerStart(p) - from + 1L);
          }
        }
        case DENSE_RANK -> {
          int first = sorted.groupOf().get(from);
          for (int p = from; p < to; p++) {
            out.setInteger(p, sorted.groupOf().get(p) - first + 1L);
          }
        }
        default -> throw new IllegalStateException(call.function().toString());
      }
    }
  }

  private static void tiles(
      WindowCall call, SortedRows sorted, int from, int to, WindowOutput out) {
    WindowValues argument = new WindowValues(sorted.batch().column(call.args().getFirst()));
    int count = to - from;
    for (int p = from; p < to; p++) {
      int row = sorted.order().get(p);
      if (argument.isNull(row)) {
        out.setNull(p);
        continue;
      }
      long buckets = argument.integer(row);
      if (buckets <= 0) {
        throw new AragoniteException(
            ErrorCode.INVALID_ARGUMENT,
            "NTILE needs a positive number of buckets, not " + buckets + ".");
      }
      // The first (count mod buckets) buckets have a row more than the others.
      long size = count / buckets;
      long larger = count % buckets;
      long place = (long) p - from;
      long inLarger = larger * (size + 1);
      out.setInteger(
          p,
          1
              + (place < inLarger
                  ? place / (size + 1)
                  : larger + (place - inLarger) / Math.max(1, size)));
    }
  }
}
