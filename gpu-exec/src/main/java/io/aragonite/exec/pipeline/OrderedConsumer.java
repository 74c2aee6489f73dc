package io.aragonite.exec.pipeline;

/**
 * Takes a worker's batches for an {@link OrderedSink}. Workers take ranges of morsels that follow
 * each other, so that the order of rows is that of the ranges' first morsels, and within a range
 * that in which they come. Where one worker runs a pipeline, or rows have no order, no range begins
 * and rows are taken as they come.
 */
public interface OrderedConsumer extends BatchConsumer {
  /** How many rows of a range suit it: what it has of a range leaves when this ends. */
  long rangeRows();

  /**
   * The next batches are of morsels from {@code first} on. Called in the order of these numbers, by
   * one worker at a time: it must be quick, and may not wait.
   *
   * @param first higher than that of any range before, of whatever worker
   */
  void begin(long first);

  /**
   * All rows of the range have come; may wait until those of ranges before it have left.
   *
   * @return how many there were
   */
  long end();
}
