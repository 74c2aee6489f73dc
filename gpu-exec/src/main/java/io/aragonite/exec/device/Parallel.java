package io.aragonite.exec.device;

import java.util.function.ObjIntConsumer;

/** Runs tasks on a query's workers. */
public interface Parallel {
  /** How many workers there are. */
  int workers();

  /**
   * Runs {@code task} for 0 to {@code tasks - 1} on up to {@link #workers} threads and returns when
   * all have ended. The first error is thrown; the rest is not started. Each task finds its
   * worker's scratch memory reset.
   */
  void forEach(int tasks, ObjIntConsumer<ExecContext> task);

  /** One worker: tasks run in the caller's context, which keeps its scratch memory. */
  static Parallel alone(ExecContext context) {
    return new Parallel() {
      @Override
      public int workers() {
        return 1;
      }

      @Override
      public void forEach(int tasks, ObjIntConsumer<ExecContext> task) {
        for (int i = 0; i < tasks; i++) {
          task.accept(context, i);
        }
      }
    };
  }
}
