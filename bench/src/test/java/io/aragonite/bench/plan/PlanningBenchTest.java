package io.aragonite.bench.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.plan.PlanningQueries.NamedQuery;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Times of planning, with the phases, of queries from a folder. */
class PlanningBenchTest {
  @Test
  void everyPhaseIsTimed(@TempDir Path folder) throws Exception {
    for (String name : new String[] {"q10", "q9", "q1b", "q1a"}) {
      Files.writeString(
          folder.resolve(name + ".sql"),
          "select n_name, count(*) from nation, region where n_regionkey = r_regionkey"
              + " group by n_name");
    }
    Files.writeString(folder.resolve("readme.txt"), "no query");
    List<NamedQuery> queries = PlanningQueries.of(folder);
    assertEquals(
        List.of("q1a", "q1b", "q9", "q10"), queries.stream().map(NamedQuery::name).toList());
    StringWriter text = new StringWriter();
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;tpch=0.01")) {
      new PlanningBench(connection, new PrintWriter(text)).run(queries, 2);
    }
    List<String> lines = text.toString().lines().toList();
    assertEquals(8, lines.size(), text::toString);
    String[] figures = lines.get(1).strip().split(" +");
    assertEquals("q1a", figures[0]);
    // Name, first and warm with processor times, firings, eight phases; no subqueries take none.
    assertEquals(14, figures.length, text::toString);
    for (int i = 1; i < figures.length; i++) {
      assertTrue(i == 9 || Double.parseDouble(figures[i]) > 0, text::toString);
    }
    assertTrue(lines.getLast().contains("1 of 1 over") || lines.getLast().contains("0 of 1 over"));
  }
}
