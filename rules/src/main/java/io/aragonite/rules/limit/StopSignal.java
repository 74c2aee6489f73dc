package io.aragonite.rules.limit;

/**
 * Whether the statement that a thread is planning has to stop: who prepares a statement {@link
 * #call binds} what looks at its time limit and at cancellation, and all that may take long {@link
 * #check asks}, however deep it is in code that knows no statement. Threads that help take {@link
 * #current} with them.
 */
public final class StopSignal {
  private static final Runnable NEVER = () -> {};

  private static final ScopedValue<Runnable> CHECK = ScopedValue.newInstance();

  private StopSignal() {}

  /**
   * Runs {@code action} with a check.
   *
   * @param check throws if the statement has to stop; it is asked often and has to be quick
   */
  public static <T> T call(Runnable check, ScopedValue.CallableOp<T, Throwable> action)
      throws Throwable {
    return ScopedValue.where(CHECK, check).call(action);
  }

  /** Throws what the check throws if the statement of this thread has to stop. */
  public static void check() {
    if (CHECK.isBound()) {
      CHECK.get().run();
    }
  }

  /** The check of this thread, for others that work for the same statement. */
  public static Runnable current() {
    return CHECK.isBound() ? CHECK.get() : NEVER;
  }
}
