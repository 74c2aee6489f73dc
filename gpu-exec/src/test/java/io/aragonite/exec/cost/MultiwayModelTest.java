package io.aragonite.exec.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Prices of multi-predicate joins at their limits. */
class MultiwayModelTest {
  /** A price that is no number would win or lose by chance. */
  @Test
  void whatIsNotWalkedCostsInfinitelyMuchHoweverLittleThereIs() {
    double never = Double.POSITIVE_INFINITY;
    MultiwayModel model = new MultiwayModel(1, 1, never, never, 1, 1, 1);
    for (double bindings : new double[] {0, 1, 1e9}) {
      assertEquals(never, model.walk(bindings, bindings, 3, 1), 0.0);
      assertTrue(Double.isFinite(MultiwayModel.CPU.walk(bindings, bindings, 3, 1)));
    }
  }
}
