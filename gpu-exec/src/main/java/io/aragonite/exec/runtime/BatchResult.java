package io.aragonite.exec.runtime;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A running query and its rows. Batches are in host memory, without indirection. Memory of the
 * query is held until it is closed; closing early cancels. {@link #cancel} may come from any
 * thread, the rest from one at a time.
 *
 * <p>Of the results that an {@link io.aragonite.exec.engine.Engine} hands out everything may come
 * from any thread at any time: who closes one waits until its readers have left, and what comes
 * later is refused with INVALID_CALL. Whoever cannot know that nobody else closes it looks into
 * rows by {@link #read}.
 */
public interface BatchResult extends AutoCloseable {
  /** Shapes of the columns; asking for them starts the query, as {@link #next} does. */
  List<ColumnShape> shapes();

  /**
   * The next rows, or null after the last; valid until the next call.
   *
   * @throws AragoniteException whatever ended the query, CANCELLED and TIMED_OUT included
   */
  @Nullable ColumnBatch next();

  /**
   * Runs {@code reader}, which looks into the memory of rows: it is not freed meanwhile.
   *
   * @param batch what {@link #next} returned last
   * @throws AragoniteException INVALID_CALL if the result is closed or has moved on
   */
  default void read(ColumnBatch batch, Runnable reader) {
    reader.run();
  }

  /**
   * Whether nothing works for the query before {@link #next} is called again; not before it has
   * begun. Of several devices the first one's work counts. From any thread.
   */
  boolean resting();

  /** The objects behind HANDLE columns. */
  HostObjects hostObjects();

  void cancel();

  /** Figures by plan node; complete once {@link #next} has returned null. */
  QueryMetrics metrics();

  @Override
  void close();
}
