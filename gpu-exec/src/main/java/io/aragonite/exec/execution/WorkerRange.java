package io.aragonite.exec.execution;

import io.aragonite.exec.pipeline.OrderedConsumer;

/**
 * The range of morsels that a worker is at, of a pipeline whose rows keep their order. Ranges are
 * so long that about as many rows come out of one as suit the sink: what a worker has of a range
 * leaves when it ends, and small batches cost more than large ones.
 */
final class WorkerRange {
  /** Morsels of a range at most. */
  private static final int MOST_MORSELS = 64;

  private final OrderedConsumer rows;
  private boolean open;
  private int next;
  private int end;
  private int wanted = 1;

  /**
   * @param rows where the worker's rows end
   */
  WorkerRange(OrderedConsumer rows) {
    this.rows = rows;
  }

  /** How many morsels the worker should take at once. */
  int wanted() {
    return wanted;
  }

  /** The next morsel; -1 if all have been handed out. */
  int take() {
    return next < end ? next++ : -1;
  }

  /** Whether a morsel is the first one behind it, so that it can go on with that. */
  boolean endsAt(int morsel) {
    return open && morsel == end;
  }

  /**
   * Goes on with morsels, or begins with them.
   *
   * @param before morsels of the stages and rounds before this one
   */
  void add(int from, int count, long before) {
    next = from;
    end = from + count;
    if (!open) {
      open = true;
      rows.begin(before + from);
    }
  }

  /** All rows of its morsels have come. */
  void end() {
    if (open) {
      long count = rows.end();
      open = false;
      long enough = rows.rangeRows();
      if (count < enough) {
        wanted = Math.min(2 * wanted, MOST_MORSELS);
      } else if (count > 2 * enough) {
        wanted = Math.max(1, wanted / 2);
      }
    }
  }
}
