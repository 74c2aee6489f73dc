package io.aragonite.bench.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.tpch.TpchQuery;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;

/** Counts the rows of every relation until a plan is made from counted ones alone. */
class PlanBenchTest {
  @Test
  void plansAreMadeFromCountedRows() throws Exception {
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;tpch=0.01;threads=2")) {
      PlanBench bench = new PlanBench(connection);
      for (int number : new int[] {3, 5}) {
        String sql =
            TpchQuery.all().stream()
                .filter(query -> query.number() == number)
                .findFirst()
                .orElseThrow()
                .sql();
        PlanBench.PlanResult result = bench.compare("Q" + number, sql, 1);
        assertTrue(result.known(), result::toString);
        assertTrue(result.rounds() > 1, result::toString);
        assertEquals("Q" + number, result.name());
      }
    }
  }
}
