package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.io.TempDir;

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
    assertEquals(TestConnections.TPCH, metaData.getURL());
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
  void keysAreInTheOrderThatJdbcPromises() throws SQLException {
    assertEquals(
        List.of("orders|1", "part|1", "partsupp|1", "partsupp|2", "supplier|1"),
        column(metaData.getImportedKeys(null, "tpch", "lineitem"), "PKTABLE_NAME", "KEY_SEQ"));
  }

  @Test
  void patterns() throws SQLException {
    assertEquals(List.of("lineitem"), names("tpch", "LINEITEM"));
    assertEquals(List.of("nation", "region"), names("TP%", "%ion"));
    assertEquals(List.of("part"), names("%", "p_r_"));
    assertEquals(List.of(), names(null, "p\\_r_"));
    assertEquals(List.of(), names("nosuch", "%"));
    assertEquals(
        List.of("nation|n_name", "region|r_name"),
        column(metaData.getColumns(null, "tpch", "%ion", "_\\_NAME"), "TABLE_NAME", "COLUMN_NAME"));
  }

  private static List<String> names(String schema, String table) throws SQLException {
    return column(metaData.getTables(null, schema, table, new String[] {"TABLE"}), "TABLE_NAME");
  }

  @Test
  void sizesOfTimes() throws SQLException {
    try (Connection files = TestConnections.open("directory=" + folderOfTimes());
        ResultSet rows = files.getMetaData().getColumns(null, null, "TIMES", null)) {
      assertEquals(
          List.of("d|91|10|0", "t|92|12|3", "ts|93|23|3"),
          column(rows, "COLUMN_NAME", "DATA_TYPE", "COLUMN_SIZE", "DECIMAL_DIGITS"));
    }
  }

  @TempDir private static Path folder;

  private static Path folderOfTimes() throws SQLException {
    try {
      Files.writeString(
          folder.resolve("times.csv"), "d,t,ts\n2020-01-01,01:02:03,2020-01-01 01:02:03.5\n");
    } catch (IOException e) {
      throw new SQLException(e);
    }
    return folder;
  }

  @Test
  void typeInfo() throws SQLException {
    List<String> types =
        column(metaData.getTypeInfo(), "TYPE_NAME", "DATA_TYPE", "PRECISION", "LITERAL_PREFIX");
    assertTrue(types.contains("DECIMAL|3|38|null"), types.toString());
    assertTrue(types.contains("VARCHAR|12|2147483647|'"), types.toString());
    List<Integer> order = types.stream().map(row -> Integer.valueOf(row.split("\\|")[1])).toList();
    assertEquals(order.stream().sorted().toList(), order);
  }

  @Test
  void whatHoldsHere() throws SQLException {
    assertTrue(metaData.nullsAreSortedHigh());
    assertFalse(metaData.nullsAreSortedAtEnd());
    assertEquals(
        List.of("1", "null"),
        TestConnections.query(
            connection, "select x from (values (1), (cast(null as integer))) as t(x) order by x"));
    assertEquals(List.of(), column(metaData.getCatalogs(), "TABLE_CAT"));
    assertFalse(metaData.supportsCatalogsInDataManipulation());
    assertTrue(metaData.supportsSchemasInDataManipulation());
    assertTrue(metaData.supportsBatchUpdates());
    assertFalse(metaData.isReadOnly());
    assertTrue(metaData.supportsResultSetType(ResultSet.TYPE_FORWARD_ONLY));
    assertFalse(metaData.supportsResultSetType(ResultSet.TYPE_SCROLL_INSENSITIVE));
    assertEquals(
        List.of("SYSTEM TABLE", "TABLE", "VIEW"), column(metaData.getTableTypes(), "TABLE_TYPE"));
    List<String> functions = column(metaData.getFunctions(null, null, "%"), "FUNCTION_NAME");
    assertTrue(functions.contains("ABS"), functions.toString());
    assertTrue(functions.stream().noneMatch(name -> name.startsWith("$")), functions.toString());
    assertEquals(List.of(), column(metaData.getIndexInfo(null, "tpch", "nation", true, false)));
  }
}
