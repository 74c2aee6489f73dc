package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.testing.TestSample;
import io.aragonite.tpch.TpchRunner;
import io.aragonite.tpch.TpchRunner.Options;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * TPC-H with each join algorithm forced in turn, on the CPU and on the devices of the tests, of
 * which a build runs some ({@link TestSample}); with {@code aragonite.test.device=cuda} on a GPU,
 * at scale {@code aragonite.test.tpch}.
 */
class ForcedJoinTpchTest {
  private static final String DEVICE = "aragonite.test.device";
  private static final List<String> ALGORITHMS =
      List.of("nphj", "phj", "phj_um", "smj", "smj_um", "hsmj");
  private static final List<String> KERNELS = List.of("phj_um", "smj");

  @Test
  void allAnswersAreRight() throws SQLException {
    String given = System.getProperty(DEVICE, "");
    double scale = Double.parseDouble(System.getProperty("aragonite.test.tpch", "0.01"));
    int memory = 1_030;
    TestSample sample = new TestSample(ForcedJoinTpchTest.class);
    for (String device : given.isEmpty() ? List.of("", "discrete", "ptx") : List.of(given)) {
      if (!device.isEmpty()) {
        System.setProperty(DEVICE, device);
      }
      try {
        List<String> all = given.isEmpty() ? sample.some(algorithms(device), 0.3) : ALGORITHMS;
        for (String algorithm : all) {
          // Engines are shared by equal properties: this memory no other test asks for.
          String url =
              "jdbc:aragonite:tpch=%s;threads=2;memory=%dMB;fallback=off;join=%s%s"
                  .formatted(
                      scale,
                      (scale < 1 ? 0 : 8_000) + memory++,
                      algorithm,
                      device.equals("cuda") ? ";device=cuda" : "");
          run(url, scale, device + " " + algorithm);
        }
      } finally {
        if (given.isEmpty()) {
          System.clearProperty(DEVICE);
        }
      }
    }
  }

  /**
   * Those of a build: one is made for devices with memory of their own, of which one is enough;
   * kernels are of expressions, which most joins use in the same way.
   */
  private static List<String> algorithms(String device) {
    return ALGORITHMS.stream()
        .filter(algorithm -> !algorithm.equals("hsmj") || device.equals("discrete"))
        .filter(algorithm -> !device.equals("ptx") || KERNELS.contains(algorithm))
        .toList();
  }

  private static void run(String url, double scale, String what) throws SQLException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (Connection connection = DriverManager.getConnection(url);
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      int status = TpchRunner.of(connection, Options.standard(scale), out).run().exitStatus();
      assertEquals(0, status, () -> what + "\n" + text.toString(StandardCharsets.UTF_8));
      String wanted =
          switch (url.replaceAll(".*join=(\\w+).*", "$1")) {
            case "nphj" -> " *HashJoin \\[.*?\\], \\w+ side built.*";
            case "phj" -> " *PartitionedHashJoin \\[.*?\\], \\w+ side built.*";
            case "phj_um" -> " *PartitionedHashJoin \\[.*?\\], payload in place, .*";
            case "smj_um" -> " *SortMergeJoin \\[.*?\\], payload in place, .*";
            default -> " *SortMergeJoin \\[.*?\\], \\w+ side built.*";
          };
      List<String> joins = joins(connection);
      if (url.contains("join=hsmj")) {
        // A join above a join has no table on one of its sides.
        assertTrue(
            joins.size() == 2 && joins.getLast().contains("HostSortMergeJoin ["), what + joins);
        return;
      }
      assertTrue(
          joins.size() == 2 && joins.stream().allMatch(j -> j.matches(wanted)), what + joins);
    }
  }

  /** The lines of the joins of a plan. */
  private static List<String> joins(Connection connection) throws SQLException {
    String sql =
        "explain plan for select count(*) from lineitem join orders on l_orderkey = o_orderkey"
            + " join customer on o_custkey = c_custkey";
    List<String> joins = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        rows.getString(1).lines().filter(l -> l.contains("Join [")).forEach(joins::add);
      }
    }
    return joins;
  }
}
