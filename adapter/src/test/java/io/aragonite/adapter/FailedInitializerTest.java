package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.junit.jupiter.api.Test;

/**
 * A class whose initializer fails is gone for the process; the statements that need it say so,
 * others go on.
 */
class FailedInitializerTest {
  /** A function of somebody's. */
  public static final class Uninitialized {
    private static final int VALUE = value();

    private Uninitialized() {}

    private static int value() {
      throw new IllegalStateException("no value to begin with");
    }

    public static int plus(int x) {
      return x + VALUE;
    }
  }

  @Test
  void eachStatementHasAnErrorOfTheCatalogue() throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:device=cpu;memory=234MB");
        Statement statement = connection.createStatement()) {
      connection
          .unwrap(CalciteConnection.class)
          .getRootSchema()
          .add("PLUS_VALUE", ScalarFunctionImpl.create(Uninitialized.class, "plus"));
      for (int i = 0; i < 3; i++) {
        SQLException error =
            assertThrows(
                SQLException.class,
                () -> {
                  try (ResultSet rows =
                      statement.executeQuery(
                          "select plus_value(x) from (values (1), (2)) as t (x)")) {
                    rows.next();
                  }
                });
        assertEquals(ErrorCode.INTERNAL.number(), error.getErrorCode(), error.getMessage());
        assertTrue(error.getMessage().contains("no value to begin with"), error.getMessage());
        try (ResultSet rows =
            statement.executeQuery("select sum(x) from (values (1), (2)) as t (x)")) {
          assertTrue(rows.next());
          assertEquals(3, rows.getInt(1));
        }
      }
    }
  }
}
