package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.concurrent.atomic.AtomicLong;

/** A budget of which one allocation fails when a test says so. */
public final class FailingBudget extends MemoryBudget {
  private final AtomicLong left = new AtomicLong();

  /**
   * @param name as of {@link MemoryBudget}
   * @param limit bytes
   */
  public FailingBudget(String name, long limit) {
    super(name, limit);
  }

  /**
   * Makes the {@code number}-th block from now on fail, as if memory were short and nobody gave
   * way.
   *
   * @param number from 1; 0: none
   */
  public void failAllocation(long number) {
    left.set(number);
  }

  /** Whether the block that is to fail has not been asked for yet. */
  public boolean failsLater() {
    return left.get() > 0;
  }

  @Override
  public void admit(long bytes) {
    if (left.get() > 0 && left.decrementAndGet() == 0) {
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED, "A test has this allocation fail; raise memory=");
    }
  }
}
