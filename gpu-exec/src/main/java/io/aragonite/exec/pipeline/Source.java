package io.aragonite.exec.pipeline;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a pipeline begins. Work comes in morsels that any worker can run. */
public interface Source {
  List<ColumnShape> shapes();

  /**
   * Number of morsels; known once the source is opened (after the pipelines it depends on ended).
   */
  int morsels();

  /**
   * Pushes the rows of a morsel, in batches of the device's size, resetting the worker's scratch
   * memory between them and polling the cancel flag. Stops early when the consumer is done.
   */
  void run(ExecContext context, int morsel, BatchConsumer consumer);

  /** How many rows it has in all; -1 if that is not known. */
  default long rows() {
    return -1;
  }

  /** Whether the order of morsels, and of rows in them, means something (the source is a sort). */
  default boolean ordered() {
    return false;
  }

  /**
   * Whether rows come in the order of morsels, and in a morsel in that in which they are pushed, so
   * that a result should have them in it (a table's rows as they lie).
   */
  default boolean keepsOrder() {
    return false;
  }

  /**
   * Makes morsels small, of about a batch, where that costs little: what has to wait for the rows
   * of earlier morsels is less then. Called before {@link #morsels}, if at all.
   *
   * @return whether they are
   */
  default boolean cutFine() {
    return false;
  }

  /** Whether a morsel can have many more rows than a batch; see {@link StreamOperator#expands}. */
  default boolean expands() {
    return false;
  }

  /** Whether {@link #nextRound} is to be asked; then {@link #morsels} are 0 at first. */
  default boolean hasRounds() {
    return false;
  }

  /**
   * Makes the next round of work ready, whose morsels {@link #morsels} are then: called when all
   * those before have run, while no worker is at work.
   *
   * @param context of the coordinating thread, with all workers to help it
   * @return false: there is no more
   */
  default boolean nextRound(ExecContext context) {
    return false;
  }

  /**
   * Called once when the pipeline has ended well and its sink too: rows that nobody will ask for
   * again may be freed. (What is still held when the query ends is freed then.)
   */
  default void close() {}

  /**
   * The same rows with some of the columns, in place of this source, which is not run then.
   *
   * @param columns their numbers, none twice
   * @return null if it cannot leave columns out
   */
  default @Nullable Source select(List<Integer> columns) {
    return null;
  }
}
