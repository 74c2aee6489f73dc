package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.junit.jupiter.api.Test;

/** Functions that a program adds to schemas of a connection. */
class SchemaFunctionsTest {
  /** What functions do. */
  public static final class Sums {
    private Sums() {}

    public static int plusTen(int x) {
      return x + 10;
    }

    public static int plusTwenty(int x) {
      return x + 20;
    }
  }

  @Test
  void functionsAreFoundInTheirSchemas() throws SQLException {
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;memory=64MB")) {
      SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
      assertThrows(SQLException.class, () -> value(connection, "select plus_ten(x)"));
      root.add("PLUS_TEN", ScalarFunctionImpl.create(Sums.class, "plusTen"));
      SchemaPlus own = root.add("own", new AbstractSchema());
      own.add("plusTwenty", ScalarFunctionImpl.create(Sums.class, "plusTwenty"));
      assertEquals(11, value(connection, "select plus_ten(x)"));
      assertEquals(11, value(connection, "select Plus_Ten(x)"));
      assertThrows(SQLException.class, () -> value(connection, "select plustwenty(x)"));
      connection.setSchema("own");
      assertEquals(31, value(connection, "select plus_ten(PLUSTWENTY(x))"));
    }
  }

  private static int value(Connection connection, String select) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(select + " from (values (1)) as t(x)")) {
      assertTrue(rows.next());
      return rows.getInt(1);
    }
  }
}
