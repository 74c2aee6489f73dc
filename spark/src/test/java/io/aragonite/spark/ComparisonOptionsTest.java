package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonOptionsTest {
  @Test
  void allButTheBenchmarkMayBeLeftOut() {
    assertEquals(
        new ComparisonOptions("tpch", 0.1, 3, "local[*]", List.of(), 0, false),
        ComparisonOptions.of("tpch"));
  }

  @Test
  void optionsMayBeAnywhere() {
    assertEquals(
        new ComparisonOptions("tpcds", 1, 2, "local[2]", List.of(3, 14), 90, true),
        ComparisonOptions.of(
            "--seconds=90", "tpcds", "1", "2", "--aragonite-only", "local[2]", "3,14"));
  }

  @Test
  void othersAreErrors() {
    assertThrows(
        IllegalArgumentException.class, () -> ComparisonOptions.of("tpch", "--second=9"));
  }
}
