package io.aragonite.bench.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.cold.ColdQuery;
import io.aragonite.bench.cold.ColdWorkload;
import io.aragonite.bench.timing.ProcessorClock;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Draws orders of joins, which give the answer of the chosen one. */
class OrderBenchTest {
  @Test
  void ordersAreDifferentAndGiveTheAnswerOfTheChosenOne() throws Exception {
    String url = "jdbc:aragonite:device=cpu;tpch=0.01;threads=2";
    try (Connection chosen = DriverManager.getConnection(url);
        Connection random = DriverManager.getConnection(url + ";multiway=off")) {
      OrderBench bench = new OrderBench(chosen, random, 4, 2, 1, ProcessorClock::nanos);
      OrderBench.OrderResult result = bench.compare(query(8), 1).orElseThrow();
      assertEquals(7, result.joins());
      assertEquals(4, result.orders());
      assertEquals(0, result.stopped());
      assertTrue(result.slowestMillis() > 0, result::line);
      assertTrue(result.worstOverBest() >= 1 && result.worstOverBest() <= 20, result::line);
      assertTrue(result.chosenOverBest() >= 1, result::line);
      assertEquals(Optional.empty(), bench.compare(query(3), 1)); // two joins
    }
  }

  private static ColdQuery query(int number) {
    return ColdWorkload.TPCH.queries(0.01).stream()
        .filter(query -> query.number() == number)
        .findFirst()
        .orElseThrow();
  }
}
