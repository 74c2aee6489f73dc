package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.statement.ConnectionMetrics;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans that were made before all was known of their tables. */
class RefinedPlansTest {
  private static final String SQL =
      "select count(*), sum(n) from (select h, count(*) as n from t group by h)";

  @TempDir private Path folder;

  @Test
  void aSecondRunDoesNotWaitForAPlanAndMoreRunsGetABetterOne() throws Exception {
    try (DuckDb duck = new DuckDb()) {
      // The rows that a plan looks at are alike, and all others differ.
      duck.execute(
          "copy (select case when i % 122880 < 10000 then 0 else i end as h"
              + " from range(1200000) r(i)) to '"
              + folder.resolve("t.parquet")
              + "' (format parquet)");
    }
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:directory=" + folder + ";device=cpu");
        Statement statement = connection.createStatement()) {
      AragoniteConnection own = connection.unwrap(AragoniteConnection.class);
      run(statement);
      run(statement);
      ConnectionMetrics metrics = own.metrics();
      assertEquals(1, metrics.plannedStatements());
      assertEquals(1, metrics.cachedPlans());
      for (int i = 0; i < 50 && own.metrics().plannedStatements() == 1; i++) {
        Thread.sleep(1200); // statistics are made once no query has been there for a while
        run(statement);
      }
      assertEquals(2, own.metrics().plannedStatements());
      run(statement);
      run(statement);
      assertEquals(2, own.metrics().plannedStatements());
    }
  }

  private static void run(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery(SQL)) {
      assertTrue(rows.next());
      assertEquals(1_100_001, rows.getLong(1));
      assertEquals(1_200_000, rows.getLong(2));
    }
  }
}
