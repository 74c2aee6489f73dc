package io.aragonite.dataset;

import java.nio.file.Path;

/** Hears how the making of data goes on. Called by one thread at a time. */
public interface ProgressListener {
  /** Hears nothing. */
  ProgressListener NONE = new ProgressListener() {};

  /** Another process or thread makes the same data: its end is awaited. */
  default void waiting(Path directory) {}

  /** Data was not there (or broken) and is made now. {@code rows} is about that of all tables. */
  default void started(Dataset dataset, Path directory, long rows) {}

  /** {@code rowsDone} rows of all tables together are written; {@code table} is at work. */
  default void progress(String table, long rowsDone) {}

  /** All is there. Times are nanoseconds, sizes bytes on disk. */
  default void finished(Path directory, long nanos, long bytes) {}

  /** The making ended early, by an error or an interrupt; nothing is left of it. */
  default void failed() {}
}
