package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class PlanningWarmUpTest {
  /** A statement that failed would leave the rest cold, and nobody would see it. */
  @Test
  void everyStatementIsPlannedAndRuns() throws Exception {
    assertTrue(PlanningWarmUp.run(Long.MAX_VALUE) >= 36);
    assertEquals(0, PlanningWarmUp.run(-1));
  }
}
