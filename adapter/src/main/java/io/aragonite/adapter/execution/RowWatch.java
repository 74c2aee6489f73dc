package io.aragonite.adapter.execution;

import org.apache.calcite.linq4j.AbstractEnumerable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;

/**
 * Sees whether rows have come to their end. Avatica's cursors are one row ahead of what they hand
 * out, so that the end is known while the last row is read, and none is read of an empty result.
 */
final class RowWatch<T> extends AbstractEnumerable<T> {
  private final Enumerable<T> rows;
  private final Execution execution;
  private volatile boolean ended;

  RowWatch(Enumerable<T> rows, Execution execution) {
    this.rows = rows;
    this.execution = execution;
  }

  boolean ended() {
    return ended;
  }

  @Override
  public Enumerator<T> enumerator() {
    Enumerator<T> watched = rows.enumerator();
    return new Enumerator<>() {
      @Override
      public T current() {
        return watched.current();
      }

      @Override
      public boolean moveNext() {
        boolean more = watched.moveNext();
        ended = !more;
        execution.delivered(more);
        return more;
      }

      @Override
      public void reset() {
        watched.reset();
      }

      @Override
      public void close() {
        watched.close();
      }
    };
  }
}
