package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MetaDataTest {
  private static Connection connection;
  private static DatabaseMetaData metaData;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.tpch();
    metaData = connection.getMetaData();
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static List<String> column(ResultSet rows, String... names) throws SQLException {
    List<String> values = new ArrayList<>();
    try (rows) {
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (String name : names) {
          row.add(rows.getString(name));
        }
        values.add(String.join("|", row));
      }
    }
    return values;
  }

  @Test
  void product() throws SQLException {
    assertEquals("Aragonite", metaData.getDatabaseProductName());
    assertFalse(metaData.getDatabaseProductVersion().isEmpty());
    assertEquals("Aragonite JDBC driver", metaData.getDriverName());
    assertTrue(metaData.getURL().startsWith("jdbc:aragonite:"));
    assertSame(connection, metaData.getConnection());
  }

  @Test
  void identifiers() throws SQLException {
    assertEquals("\"", metaData.getIdentifierQuoteString());
    assertFalse(metaData.storesUpperCaseIdentifiers());
    assertFalse(metaData.supportsTransactions());
  }

  @Test
  void tables() throws SQLException {
    assertEquals(
        List.of(
            "customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"),
        column(metaData.getTables(null, "tpch", "%", new String[] {"TABLE"}), "TABLE_NAME"));
    assertTrue(column(metaData.getSchemas(), "TABLE_SCHEM").contains("tpch"));
    assertTrue(column(metaData.getTableTypes(), "TABLE_TYPE").contains("TABLE"));
  }

  @Test
  void columns() throws SQLException {
    assertEquals(
        List.of(
            "l_orderkey|BIGINT|19|NO",
            "l_quantity|DECIMAL|15|NO",
            "l_shipdate|DATE|10|NO",
            "l_comment|VARCHAR|44|NO"),
        column(
                metaData.getColumns(null, "tpch", "lineitem", "%"),
                "COLUMN_NAME",
                "TYPE_NAME",
                "COLUMN_SIZE",
                "IS_NULLABLE")
            .stream()
            .filter(row -> row.matches("l_(orderkey|quantity|shipdate|comment)\\|.*"))
            .toList());
    try (ResultSet rows = metaData.getColumns(null, null, "lineitem", "l_quantity")) {
      assertTrue(rows.next());
      assertEquals(Types.DECIMAL, rows.getInt("DATA_TYPE"));
      assertEquals(2, rows.getInt("DECIMAL_DIGITS"));
      assertEquals(5, rows.getInt("ORDINAL_POSITION"));
    }
  }

  @Test
  void primaryKeys() throws SQLException {
    assertEquals(
        List.of("l_linenumber|2", "l_orderkey|1"),
        column(metaData.getPrimaryKeys(null, "tpch", "lineitem"), "COLUMN_NAME", "KEY_SEQ"));
    assertEquals(
        List.of("n_nationkey|1"),
        column(metaData.getPrimaryKeys(null, null, "NATION"), "COLUMN_NAME", "KEY_SEQ"));
  }

  @Test
  void foreignKeys() throws SQLException {
    assertEquals(
        List.of("region|r_regionkey|nation|n_regionkey|1"),
        column(
            metaData.getImportedKeys(null, "tpch", "nation"),
            "PKTABLE_NAME",
            "PKCOLUMN_NAME",
            "FKTABLE_NAME",
            "FKCOLUMN_NAME",
            "KEY_SEQ"));
    assertEquals(
        List.of("customer", "supplier"),
        column(metaData.getExportedKeys(null, "tpch", "nation"), "FKTABLE_NAME"));
    assertEquals(
        List.of("n_regionkey"),
        column(
            metaData.getCrossReference(null, null, "region", null, null, "nation"),
            "FKCOLUMN_NAME"));
  }

  @Test
  void typeInfo() throws SQLException {
    List<String> types = column(metaData.getTypeInfo(), "TYPE_NAME", "PRECISION");
    assertTrue(types.contains("DECIMAL|38"), types.toString());
  }
}
