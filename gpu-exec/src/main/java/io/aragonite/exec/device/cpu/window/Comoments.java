package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WindowResult.Computed;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.WindowCall;

/**
 * Products of distances from the means of frames. Counts, means and products of parts are combined
 * (Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
 * Variances", 1979): along with frames that only grow, in a tree for others. Differences of sums of
 * squares would leave nothing of distances that are far smaller than the mean.
 */
final class Comoments {
  private static final long WIDTH = 32;

  private final ExecContext context;
  private final SortedRows sorted;
  private final Frames frames;
  private final WindowCall call;
  private final WindowValues left;
  private final WindowValues right;
  private final int[] pieces = new int[6];

  Comoments(ExecContext context, SortedRows sorted, Frames frames, WindowCall call) {
    this.context = context;
    this.sorted = sorted;
    this.frames = frames;
    this.call = call;
    this.left = new WindowValues(sorted.batch().column(call.args().getFirst()));
    this.right = new WindowValues(sorted.batch().column(call.args().getLast()));
  }

  /** What is known of some rows. */
  private static final class Moments {
    private double count;
    private double leftMean;
    private double rightMean;
    private double products;

    void clear() {
      count = 0;
      leftMean = 0;
      rightMean = 0;
      products = 0;
    }

    void add(double otherCount, double otherLeft, double otherRight, double otherProducts) {
      if (otherCount == 0) {
        return;
      }
      if (count == 0) { // as they are: the square of a large step times zero may be no number
        count = otherCount;
        leftMean = otherLeft;
        rightMean = otherRight;
        products = otherProducts;
        return;
      }
      double all = count + otherCount;
      double leftStep = otherLeft - leftMean;
      double rightStep = otherRight - rightMean;
      double apart = leftStep * rightStep * (count * otherCount / all);
      boolean finite = Double.isFinite(leftStep) && Double.isFinite(rightStep);
      products = finite ? products + otherProducts + apart : Double.NaN;
      leftMean += leftStep * (otherCount / all);
      rightMean += rightStep * (otherCount / all);
      count = all;
    }

    void add(Buffer nodes, long node) {
      long at = nodes.address() + node * WIDTH;
      add(Mem.getDouble(at), Mem.getDouble(at + 8), Mem.getDouble(at + 16), Mem.getDouble(at + 24));
    }

    void store(Buffer nodes, long node) {
      long at = nodes.address() + node * WIDTH;
      Mem.putDouble(at, count);
      Mem.putDouble(at + 8, leftMean);
      Mem.putDouble(at + 16, rightMean);
      Mem.putDouble(at + 24, products);
    }
  }

  Computed compute() {
    QueryMemory memory = context.memory();
    WindowOutput out = new WindowOutput(memory, call.type(), sorted.count());
    Buffer origins = origins();
    if (frames.running()) {
      running(origins, out);
    } else {
      Buffer nodes = tree(origins);
      framed(nodes, origins, out);
      memory.free(nodes);
    }
    memory.free(origins);
    return new Computed(out.finish(), null);
  }

  private void poll(int p) {
    if ((p & 0xff) == 0) {
      context.checkCancelled();
    }
  }

  private boolean counts(int row) {
    return !left.isNull(row) && !right.isNull(row);
  }

  /**
   * For each partition a pair from which its values are measured: distances among neighbours of a
   * value far from zero are exact.
   */
  private Buffer origins() {
    Buffer origins = context.memory().allocate(16L * sorted.partitionCount());
    for (int i = 0; i < sorted.partitionCount(); i++) {
      Mem.putDouble(origins.address() + 16L * i, origin(left, i));
      Mem.putDouble(origins.address() + 16L * i + 8, origin(right, i));
    }
    return origins;
  }

  /**
   * The value nearest to zero if all others are at most twice as far, on its side: then each
   * distance to it is exact (Sterbenz, "Floating-Point Computation", 1974). Else zero: distances to
   * a far value would lose what is small.
   */
  private double origin(WindowValues values, int partition) {
    double least = Double.POSITIVE_INFINITY;
    double most = Double.NEGATIVE_INFINITY;
    for (int p = sorted.partitions().get(partition);
        p < sorted.partitions().get(partition + 1L);
        p++) {
      poll(p);
      int row = sorted.order().get(p);
      if (counts(row) && Double.isFinite(values.floating(row))) {
        least = Math.min(least, values.floating(row));
        most = Math.max(most, values.floating(row));
      }
    }
    if (least > 0) {
      return most <= 2 * least ? least : 0;
    }
    return most < 0 && least >= 2 * most ? most : 0;
  }

  private void add(Moments moments, int position, Buffer origins, int partition) {
    int row = sorted.order().get(position);
    if (counts(row)) {
      long at = origins.address() + 16L * partition;
      double x = left.floating(row) - Mem.getDouble(at);
      double y = right.floating(row) - Mem.getDouble(at + 8);
      // beside an infinite value no number, of one row as of more
      moments.add(1, x, y, Double.isFinite(x) && Double.isFinite(y) ? 0 : Double.NaN);
    }
  }

  private void set(WindowOutput out, int position, Moments moments, Buffer origins, int partition) {
    if (moments.count == 0) {
      out.setNull(position);
      return;
    }
    long at = origins.address() + 16L * partition;
    out.setFloating(
        position,
        switch (call.function()) {
          case COMOMENT_ROWS -> moments.count;
          case COMOMENT_LEFT_MEAN -> Mem.getDouble(at) + moments.leftMean;
          case COMOMENT_LEFT_REST -> rest(Mem.getDouble(at), moments.leftMean);
          case COMOMENT_RIGHT_MEAN -> Mem.getDouble(at + 8) + moments.rightMean;
          case COMOMENT_RIGHT_REST -> rest(Mem.getDouble(at + 8), moments.rightMean);
          default -> moments.products;
        });
  }

  /** What the sum of two numbers loses (Knuth, "The Art of Computer Programming", 4.2.2). */
  private static double rest(double a, double b) {
    double sum = a + b;
    double ofB = sum - a;
    return a - (sum - ofB) + (b - ofB);
  }

  private void running(Buffer origins, WindowOutput out) {
    Moments moments = new Moments();
    int reached = 0;
    int partition = -1;
    for (int p = 0; p < sorted.count(); p++) {
      poll(p);
      if (p == sorted.partitions().get(partition + 1L)) {
        partition++;
        moments.clear();
        reached = p;
      }
      for (; reached < frames.high().get(p); reached++) {
        add(moments, reached, origins, partition);
      }
      set(out, p, moments, origins, partition);
    }
  }

  /** Node i has the children 2i and 2i + 1, and position p is leaf {@code count + p}. */
  private Buffer tree(Buffer origins) {
    long count = sorted.count();
    Buffer nodes = context.memory().allocate(2 * count * WIDTH);
    Moments moments = new Moments();
    int partition = -1;
    for (int p = 0; p < count; p++) {
      poll(p);
      if (p == sorted.partitions().get(partition + 1L)) {
        partition++;
      }
      moments.clear();
      add(moments, p, origins, partition);
      moments.store(nodes, count + p);
    }
    for (long i = count - 1; i > 0; i--) {
      moments.clear();
      moments.add(nodes, 2 * i);
      moments.add(nodes, 2 * i + 1);
      moments.store(nodes, i);
    }
    return nodes;
  }

  private void framed(Buffer nodes, Buffer origins, WindowOutput out) {
    Moments moments = new Moments();
    long count = sorted.count();
    int partition = -1;
    for (int p = 0; p < count; p++) {
      poll(p);
      if (p == sorted.partitions().get(partition + 1L)) {
        partition++;
      }
      moments.clear();
      int pieceCount = frames.pieces(p, pieces);
      for (int piece = 0; piece < pieceCount; piece++) {
        long i = pieces[2 * piece] + count;
        for (long j = pieces[2 * piece + 1] + count; i < j; i >>= 1, j >>= 1) {
          if ((i & 1) != 0) {
            moments.add(nodes, i++);
          }
          if ((j & 1) != 0) {
            moments.add(nodes, --j);
          }
        }
      }
      set(out, p, moments, origins, partition);
    }
  }
}
