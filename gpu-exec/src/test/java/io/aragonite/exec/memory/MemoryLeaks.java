package io.aragonite.exec.memory;

import java.util.Collection;
import java.util.stream.Collectors;

/** What tests ask when all is closed. */
public final class MemoryLeaks {
  private MemoryLeaks() {}

  /**
   * Nothing of a budget may be reserved any more.
   *
   * @throws AssertionError naming where the accounts that still hold memory were opened (with
   *     {@code aragonite.memory.debug})
   */
  @SuppressWarnings("ReferenceEquality") // budgets are identities
  public static void assertReleased(MemoryBudget budget) {
    // What caches hold is no leak if they give it up.
    budget.reclaim(Long.MAX_VALUE);
    if (budget.used() == 0) {
      return;
    }
    throw new AssertionError(
        "%,d bytes of a memory budget were not released%s"
            .formatted(
                budget.used(),
                accounts(
                    MemoryDebug.open().stream()
                        .filter(memory -> memory.budget() == budget)
                        .toList())));
  }

  /**
   * No account may be open (with {@code aragonite.memory.debug}).
   *
   * @throws AssertionError naming where those that are were opened
   */
  public static void assertClosed() {
    if (!MemoryDebug.open().isEmpty()) {
      throw new AssertionError("Accounts of memory are open:" + accounts(MemoryDebug.open()));
    }
  }

  private static String accounts(Collection<NativeQueryMemory> open) {
    return open.stream()
        .map(memory -> "\n  an account of " + memory.used() + " bytes from " + memory.origin())
        .collect(Collectors.joining());
  }
}
