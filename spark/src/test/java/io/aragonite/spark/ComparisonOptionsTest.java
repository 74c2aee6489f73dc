package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonOptionsTest {
  @Test
  void allButTheBenchmarkMayBeLeftOut() {
    assertEquals(
        new ComparisonOptions("tpch", 0.1, 3, "local[*]", List.of(), 0, false, List.of()),
        ComparisonOptions.of("tpch"));
  }

  @Test
  void helpNamesAllOptions() {
    assertTrue(ComparisonOptions.isHelp("tpch", "--help"));
    assertFalse(ComparisonOptions.isHelp("tpch", "1"));
    for (String option : List.of("--seconds=", "--aragonite-only", "--executors=")) {
      assertTrue(ComparisonOptions.USAGE.contains(option), option);
    }
  }

  @Test
  void optionsMayBeAnywhere() {
    assertEquals(
        new ComparisonOptions("tpcds", 1, 2, "local[2]", List.of(3, 14), 90, true, List.of()),
        ComparisonOptions.of(
            "--seconds=90", "tpcds", "1", "2", "--aragonite-only", "local[2]", "3,14"));
  }

  @Test
  void executorsAreThoseOfAClusterOfThisMachine() {
    ComparisonOptions options =
        ComparisonOptions.of("tpch", "--executors=1,3", "1", "2", "local-cluster[1,8,9000]");
    assertEquals(List.of(1, 3), options.executors());
    assertEquals(8, options.cores());
    assertEquals("local-cluster[3,8,9000]", options.on(3, 7).master());
    assertEquals(7, options.on(3, 7).seconds());
    assertEquals(4, ComparisonOptions.of("tpch", "--executors=1,2").cores());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tpch --second=9 | --second=9",
        "tpch one | the scale has to be a number, not one",
        "tpch 1 two | two is no whole number",
        "tpch 1 -2 | -2 is no whole number",
        "tpch 1 2 local[2] 1,x | x is no whole number",
        "tpch 1 2 local[2] 1 2 | and no more: [2]",
        "tpch 1 2 spork://x | local-cluster[<executors>,<cores>,<MiB>] or a place like spark://host:7077, not spork://x",
        "tpch 1 2 local-cluster[2,1] | not local-cluster[2,1]",
        "tpch --executors=0,1 | numbers from 1 on",
        "tpch --seconds=x | --seconds=x: x is no whole number",
        "tpch --executors=1,2 1 3 local[4] | needs a master of local-cluster[1,<cores",
      })
  void whatCannotBeUnderstoodIsNamed(String args, String message) {
    String told =
        assertThrows(
                IllegalArgumentException.class, () -> ComparisonOptions.of(args.split(" ", -1)))
            .getMessage();
    assertTrue(told.contains(message), told);
  }
}
