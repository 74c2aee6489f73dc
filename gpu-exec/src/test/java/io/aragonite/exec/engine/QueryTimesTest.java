package io.aragonite.exec.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class QueryTimesTest {
  private final QueryTimes times = new QueryTimes();

  private void ran(int query, double priced, double... nanos) {
    for (double each : nanos) {
      times.ran(query, priced, each);
    }
  }

  @Test
  void aFirstRunDoesNotCount() {
    ran(1, 100, 9000);
    assertEquals(100, times.nanos(1, 100));
    ran(1, 100, 150);
    assertEquals(150, times.nanos(1, 100));
  }

  @Test
  void aQueryTakesWhatItTook() {
    ran(1, 100, 500, 400, 300);
    assertEquals(300, times.nanos(1, 100));
    ran(1, 100, 340);
    assertEquals(310, times.nanos(1, 100), "a slower run counts for a quarter");
  }

  /** Many short queries took 50 times their price, a few long ones twice. */
  @Test
  void shortQueriesDoNotSpeakForLongOnes() {
    for (int query = 0; query < 20; query++) {
      ran(query, 10, 500, 500);
    }
    assertEquals(8e6, times.nanos(100, 1e6), "no price is taken to be wrong by more than 8 times");
    ran(50, 1e6, 2e6, 2e6);
    assertEquals(2e6, times.nanos(100, 1e6));
    assertEquals(500, times.nanos(3, 10));
  }

  @Test
  void oldRunsAreForgotten() {
    ran(1, 1e6, 4e6, 4e6);
    for (int query = 2; query < 70; query++) {
      ran(query, 10, 5, 5);
    }
    assertEquals(50, times.nanos(100, 100));
    assertEquals(4e6, times.nanos(1, 1e6));
  }

  @Test
  void whatHasNoPriceCorrectsNothing() {
    ran(1, 0, 500, 500);
    assertEquals(100, times.nanos(2, 100));
  }
}
