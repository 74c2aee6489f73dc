package io.aragonite.rules.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.settings.PlanningSettings;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What counts as time of planning. */
class PlanningWorkTest {
  private static final int MILLIS = 80;

  @Test
  void waitingIsNoWork() throws InterruptedException {
    PlanningBudget budget = new PlanningBudget(new PlanningSettings(MILLIS, 1000));
    for (int i = 0; i < 10; i++) {
      TimeUnit.MILLISECONDS.sleep(MILLIS / 4); // as a thread does that gets no processor
      assertTrue(budget.allows("an order of joins"));
    }
    assertEquals(List.of(), budget.leftOut());
  }

  @Test
  void workSpendsTheBudget() {
    PlanningBudget budget = new PlanningBudget(new PlanningSettings(MILLIS, 1000));
    long begin = System.nanoTime();
    while (budget.allows("an order of joins")) {
      long passed = System.nanoTime() - begin;
      assertTrue(passed < TimeUnit.MINUTES.toNanos(2), "worked for " + passed + " ns");
    }
    assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(MILLIS));
    assertFalse(budget.allows("another step"));
    assertEquals(List.of("an order of joins", "another step"), budget.leftOut());
  }

  @Test
  void noTimeIsSpentAtOnce() {
    PlanningBudget budget = new PlanningBudget(new PlanningSettings(0, 1000));
    assertFalse(budget.allows("an order of joins"));
  }

  @Test
  void firingsSpendItToo() {
    PlanningBudget budget = new PlanningBudget(new PlanningSettings(60_000, 1));
    budget.fired();
    assertTrue(budget.allows("an order of joins"));
    budget.fired();
    assertFalse(budget.allows("an order of joins"));
  }

  @Test
  void anEndlessOneAllowsAll() {
    assertTrue(new PlanningBudget(PlanningSettings.ENDLESS).allows("an order of joins"));
  }
}
