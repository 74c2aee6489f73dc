package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.spark.ComparisonFigures.Side;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonFiguresTest {
  private static Side of(double millis) {
    return new Side(millis, 0, 0, TaskShares.NONE);
  }

  @Test
  void theColdRunCountsIfThereIsNoOther() {
    assertEquals(90, ComparisonFigures.median(List.of(of(90))).millis());
    assertEquals(30, ComparisonFigures.median(List.of(of(90), of(30))).millis());
    assertEquals(30, ComparisonFigures.median(List.of(of(90), of(40), of(20), of(30))).millis());
  }

  @Test
  void statementsThatDidNotRunAndThatAreWrongAreCounted() {
    ComparisonFigures table = new ComparisonFigures();
    table.add("Q1", of(40), of(10), true, List.of(), "");
    table.add("Q2", of(40), of(10), false, List.of("Generate: operator"), "");
    table.add("Q2", of(20), of(10), true, List.of("Generate: operator"), "");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    table.print(new PrintStream(bytes, true, StandardCharsets.UTF_8), 3);
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("Q1 | 1 | 40 | 10 | 0.25 |"), text);
    assertTrue(text.contains("Q2 | 2 | 20 | 10 | 0.50 |"), text);
    assertTrue(text.contains("Generate: operator WRONG"), text);
    assertTrue(text.contains("total | 3 | 60 | 20 | 0.33 |"), text);
    assertTrue(text.contains("1 of 3 right; 1 did not run"), text);
    assertTrue(text.contains("1 | Generate: operator"), text);
  }
}
