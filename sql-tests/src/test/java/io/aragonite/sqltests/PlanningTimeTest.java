package io.aragonite.sqltests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.adapter.AragoniteConnection;
import io.aragonite.tpch.TpchQuery;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Each TPC-H query is planned in at most 0.1 s once the planner is warm. What is measured is the
 * processor time of the thread that prepares, which other processes hardly change; as a program the
 * test prints wall times too.
 */
class PlanningTimeTest {
  private static final double LIMIT_MILLIS = 100;
  private static final int WARM_UP = 8;
  private static final int RUNS = 5;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Milliseconds, medians. */
  private record Time(TpchQuery query, double cpu, double wall) {}

  @Test
  void everyQueryOfTpch() throws SQLException {
    List<Time> times = measure("jdbc:aragonite:tpch=0.01;device=cpu", WARM_UP, RUNS);
    for (Time time : times) {
      System.out.printf(Locale.ROOT, "planned %s in %.1f ms%n", time.query, time.cpu);
    }
    assertEquals(
        List.of(), times.stream().filter(time -> time.cpu > LIMIT_MILLIS).toList(), "too slow");
  }

  private static List<Time> measure(String url, int warmUp, int runs) throws SQLException {
    List<TpchQuery> queries = TpchQuery.all();
    double[][] cpu = new double[queries.size()][runs];
    double[][] wall = new double[queries.size()][runs];
    try (Connection connection = DriverManager.getConnection(url)) {
      for (int run = -warmUp; run < runs; run++) {
        for (int q = 0; q < queries.size(); q++) {
          // another text each time: the connection keeps plans by text
          String sql = queries.get(q).sql(0.01) + "\n-- " + run;
          long wallStart = System.nanoTime();
          long cpuStart = THREADS.getCurrentThreadCpuTime();
          PreparedStatement statement = connection.prepareStatement(sql);
          if (run >= 0) {
            cpu[q][run] = (THREADS.getCurrentThreadCpuTime() - cpuStart) / 1e6;
            wall[q][run] = (System.nanoTime() - wallStart) / 1e6;
          }
          statement.close();
        }
      }
      assertEquals(
          (long) queries.size() * (warmUp + runs),
          connection.unwrap(AragoniteConnection.class).metrics().plannedStatements(),
          "each text is planned");
    }
    List<Time> times = new ArrayList<>();
    for (int q = 0; q < queries.size(); q++) {
      times.add(new Time(queries.get(q), median(cpu[q]), median(wall[q])));
    }
    return times;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** Prints medians; the argument is the URL. */
  public static void main(String[] args) throws SQLException {
    for (Time time : measure(args[0], 20, 15)) {
      System.out.printf(
          Locale.ROOT, "%4s %6.1f ms cpu %6.1f ms%n", time.query, time.cpu, time.wall);
    }
  }
}
