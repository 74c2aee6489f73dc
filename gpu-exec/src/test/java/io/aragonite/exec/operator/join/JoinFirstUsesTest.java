package io.aragonite.exec.operator.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.plan.JoinAlgorithm;
import org.junit.jupiter.api.Test;

final class JoinFirstUsesTest {
  private final JoinFirstUses uses = new JoinFirstUses();

  @Test
  void littleIsNotWorthTheFirstUse() {
    assertFalse(uses.pays(JoinAlgorithm.PARTITIONED_HASH, 3e6));
  }

  @Test
  void muchIs() {
    assertTrue(uses.pays(JoinAlgorithm.PARTITIONED_HASH, JoinFirstUses.NANOS));
  }

  @Test
  void littleIsOnceItHasAddedUp() {
    int joins = 0;
    while (!uses.pays(JoinAlgorithm.SORT_MERGE, JoinFirstUses.NANOS / 8)) {
      joins++;
    }
    assertEquals(7, joins);
    assertFalse(uses.pays(JoinAlgorithm.PARTITIONED_HASH, JoinFirstUses.NANOS / 8));
  }

  @Test
  void whatHasRunCostsNothing() {
    uses.ran(JoinAlgorithm.PARTITIONED_HASH);
    assertTrue(uses.pays(JoinAlgorithm.PARTITIONED_HASH, 1));
    assertFalse(uses.pays(JoinAlgorithm.SORT_MERGE, 1));
  }

  @Test
  void oneTableIsNeverNew() {
    assertTrue(uses.pays(JoinAlgorithm.NON_PARTITIONED_HASH, 1));
  }
}
