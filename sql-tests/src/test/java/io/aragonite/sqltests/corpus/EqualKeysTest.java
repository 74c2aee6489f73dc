package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One key for all rows of both sides: 16 million pairs, which would take ten times the memory that
 * there is. They stream, by every algorithm, on the CPU and on a device with memory of its own.
 */
class EqualKeysTest {
  private static final String DEVICE = "aragonite.test.device";
  private static final int ROWS = 2500;

  @TempDir private Path directory = Path.of("");

  @Test
  void pairsStreamInLittleMemory() throws IOException, SQLException {
    StringBuilder text = new StringBuilder("id,k\n");
    for (int i = 0; i < ROWS; i++) {
      text.append(i).append(",7\n");
    }
    Files.writeString(directory.resolve("sevens.csv"), text);
    String given = System.getProperty(DEVICE, "");
    // A GPU's copies go by page-locked blocks of 128 MB.
    int memory = given.equals("cuda") ? 300 : 26;
    for (String device : given.isEmpty() ? List.of("", "discrete") : List.of(given)) {
      if (!device.isEmpty()) {
        System.setProperty(DEVICE, device);
      }
      try {
        for (String join : List.of("nphj", "phj", "phj_um", "smj", "smj_um", "hsmj")) {
          // Engines are shared by equal properties: this memory no other test asks for.
          try (Connection connection =
              DriverManager.getConnection(
                  "jdbc:aragonite:directory=%s;threads=2;fallback=off;memory=%dMB;join=%s"
                      .formatted(directory, memory++, join))) {
            check(connection);
          }
        }
      } finally {
        if (given.isEmpty()) {
          System.clearProperty(DEVICE);
        }
      }
    }
  }

  private static void check(Connection connection) throws SQLException {
    String join = " from sevens a join sevens b on a.k = b.k";
    try (Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("select count(*), sum(a.id + 0.0)" + join)) {
        assertTrue(rows.next());
        assertEquals((long) ROWS * ROWS, rows.getLong(1));
        assertEquals((long) ROWS * (ROWS - 1) / 2 * ROWS, rows.getBigDecimal(2).longValueExact());
      }
      // A part of the pairs is taken, the rest is never made.
      try (ResultSet rows = statement.executeQuery("select a.id, b.id" + join)) {
        for (int i = 0; i < 100_000; i++) {
          assertTrue(rows.next());
        }
      }
      try (ResultSet rows = statement.executeQuery("select count(*) from sevens")) {
        assertTrue(rows.next());
        assertEquals(ROWS, rows.getInt(1));
      }
    }
  }
}
