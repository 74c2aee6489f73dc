package io.aragonite.adapter.execution;

/** Is told of the runs of a connection's statements, and may have them wait or refuse them. */
public interface RunObserver {
  /** Does nothing. */
  RunObserver NONE =
      new RunObserver() {
        @Override
        public void begin(Execution run, String sql) {}

        @Override
        public void notPrepared(String sql, Throwable error) {}
      };

  /**
   * A run begins, on the thread that asks for it; {@link Execution#onEnd} tells of its end.
   *
   * @throws io.aragonite.exec.error.AragoniteException if it is not to run, or was cancelled or ran
   *     out of time while it waited
   */
  void begin(Execution run, String sql);

  /** A statement could not be prepared, so that it never runs. */
  void notPrepared(String sql, Throwable error);
}
