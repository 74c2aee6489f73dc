package io.aragonite.exec.spill.file;

import io.aragonite.exec.memory.MemoryBudget;
import org.jspecify.annotations.Nullable;

/** A query whose rows may leave memory, as those see it that share memory with it. */
public interface SpillingQuery {
  /** Of its device's memory. */
  MemoryBudget budget();

  /** In the order in which queries began. */
  long number();

  /** Whether its rows are being read, so that it cannot begin again. */
  boolean emits();

  /**
   * What it is a part of: while one part waits, nobody reads the rows of the others, and these end
   * after it only. Null: it is whole.
   */
  default @Nullable Object statement() {
    return null;
  }

  /** Bytes in memory that {@link #evict} can give up, about. */
  long spillable();

  /**
   * Gives up memory, at the wish of any thread.
   *
   * @return bytes given up; 0 if there are none, or if they are in use
   */
  long evict(long wanted);

  /**
   * Whether other queries have ended since this was last asked, or since it began.
   *
   * @param count of the queries that have ended
   */
  boolean sawEnd(long count);

  /** Whether it may ask again for memory that there should have been. */
  boolean mayTryAgain();
}
