package io.aragonite.sqltests.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.adapter.server.QueryServer;
import io.aragonite.adapter.server.ServerOptions;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The calls that DBeaver (its generic driver) and Metabase make when they connect and when they
 * open a table, with what must come back: in process, and from the server where its protocol has
 * them.
 */
class ToolCallsTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;device=cpu;threads=1";

  /** A question of a tool. */
  private interface Question {
    @Nullable Object ask(Connection connection) throws SQLException;
  }

  /**
   * A call.
   *
   * @param served what Avatica's client answers itself, or cannot ask, where it differs
   */
  private record Call(String name, Question question, String expected, @Nullable String served) {
    Call(String name, Question question, String expected) {
      this(name, question, expected, null);
    }

    Call served(String other) {
      return new Call(name, question, expected, other);
    }
  }

  private interface About {
    @Nullable Object ask(DatabaseMetaData metaData) throws SQLException;
  }

  private static Call metaData(String name, About question, String expected) {
    return new Call(name, connection -> question.ask(connection.getMetaData()), expected);
  }

  /** Columns of metadata's rows. */
  private static String column(ResultSet rows, String... columns) throws SQLException {
    StringJoiner all = new StringJoiner(" ");
    try (rows) {
      while (rows.next()) {
        StringJoiner row = new StringJoiner("|");
        for (String column : columns) {
          row.add(rows.getString(column));
        }
        all.add(row.toString());
      }
    }
    return all.toString();
  }

  private static final List<Call> DBEAVER_CONNECTS =
      List.of(
          metaData("product", d -> d.getDatabaseProductName(), "Aragonite").served("Avatica"),
          metaData("driver", d -> d.getDriverName(), "Aragonite JDBC driver")
              .served("Avatica Remote JDBC Driver"),
          metaData("read only", d -> d.isReadOnly(), "false").served("true"),
          metaData("schema term", d -> d.getSchemaTerm(), "schema"),
          metaData("transactions", d -> d.supportsTransactions(), "false"),
          metaData("savepoints", d -> d.supportsSavepoints(), "false"),
          metaData("isolation", d -> d.getDefaultTransactionIsolation(), "0"),
          metaData("none", d -> d.supportsTransactionIsolationLevel(0), "true"),
          metaData("committed", d -> d.supportsTransactionIsolationLevel(2), "false"),
          metaData("batches", d -> d.supportsBatchUpdates(), "true"),
          metaData("scrolling", d -> d.supportsResultSetType(1004), "false"),
          metaData("forwards", d -> d.supportsResultSetType(1003), "true"),
          metaData("quote", d -> d.getIdentifierQuoteString(), "\""),
          metaData("escape", d -> d.getSearchStringEscape(), "\\"),
          metaData("extra characters", d -> d.getExtraNameCharacters(), ""),
          metaData("upper case", d -> d.storesUpperCaseIdentifiers(), "false").served("true"),
          metaData("lower case", d -> d.storesLowerCaseIdentifiers(), "false"),
          metaData("mixed case", d -> d.storesMixedCaseIdentifiers(), "true").served("false"),
          metaData("keyword", d -> words(d.getSQLKeywords()).contains("QUALIFY"), "true"),
          metaData("numbers", d -> words(d.getNumericFunctions()).contains("ABS"), "true"),
          metaData("texts", d -> words(d.getStringFunctions()).contains("LCASE"), "true"),
          metaData("system", d -> words(d.getSystemFunctions()).contains("IFNULL"), "true"),
          metaData("dates", d -> words(d.getTimeDateFunctions()).contains("YEAR"), "true"),
          metaData("schemas in queries", d -> d.supportsSchemasInDataManipulation(), "true"),
          metaData("catalogs in queries", d -> d.supportsCatalogsInDataManipulation(), "false")
              .served("true"),
          metaData("catalogs", d -> column(d.getCatalogs(), "TABLE_CAT"), ""),
          metaData("schemas", d -> column(d.getSchemas(), "TABLE_SCHEM"), "metadata tpch"),
          metaData(
              "table types",
              d -> column(d.getTableTypes(), "TABLE_TYPE"),
              "SYSTEM TABLE TABLE VIEW"),
          metaData(
              "types",
              d -> column(d.getTypeInfo(), "TYPE_NAME"),
              "TINYINT BIGINT VARBINARY BINARY CHAR DECIMAL INTEGER SMALLINT REAL DOUBLE VARCHAR"
                  + " BOOLEAN DATE TIME TIMESTAMP"),
          new Call("autocommit", c -> c.getAutoCommit(), "true"),
          new Call("schema", c -> c.getSchema(), "tpch"),
          new Call("catalog", c -> c.getCatalog(), "null"),
          new Call("valid", c -> c.isValid(5), "true"),
          new Call("warnings", c -> c.getWarnings(), "null"));

  private static List<String> words(String list) {
    return List.of(list.split(","));
  }

  private static final String[] KEY = {
    "PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "KEY_SEQ"
  };

  private static final List<Call> DBEAVER_OPENS_A_TABLE =
      List.of(
          metaData(
              "tables",
              d -> column(d.getTables(null, "tpch", "%", null), "TABLE_NAME", "TABLE_TYPE"),
              "customer|TABLE lineitem|TABLE nation|TABLE orders|TABLE part|TABLE partsupp|TABLE"
                  + " region|TABLE supplier|TABLE"),
          metaData(
              "columns",
              d ->
                  column(
                      d.getColumns(null, "tpch", "nation", "%"),
                      "COLUMN_NAME",
                      "DATA_TYPE",
                      "TYPE_NAME",
                      "COLUMN_SIZE",
                      "NULLABLE",
                      "ORDINAL_POSITION",
                      "IS_AUTOINCREMENT"),
              "n_nationkey|-5|BIGINT|19|0|1|NO n_name|12|VARCHAR|25|0|2|NO"
                  + " n_regionkey|-5|BIGINT|19|0|3|NO n_comment|12|VARCHAR|152|0|4|NO"),
          metaData(
                  "primary key",
                  d ->
                      column(
                          d.getPrimaryKeys(null, "tpch", "nation"),
                          "COLUMN_NAME",
                          "KEY_SEQ",
                          "PK_NAME"),
                  "n_nationkey|1|nation_pk")
              .served(""),
          metaData(
                  "foreign keys",
                  d -> column(d.getImportedKeys(null, "tpch", "nation"), KEY),
                  "region|r_regionkey|nation|n_regionkey|1")
              .served(""),
          metaData(
                  "references",
                  d -> column(d.getExportedKeys(null, "tpch", "nation"), KEY),
                  "nation|n_nationkey|customer|c_nationkey|1"
                      + " nation|n_nationkey|supplier|s_nationkey|1")
              .served(""),
          metaData(
              "indexes",
              d -> column(d.getIndexInfo(null, "tpch", "nation", false, true), "INDEX_NAME"),
              ""),
          metaData(
              "procedures", d -> column(d.getProcedures(null, "tpch", "%"), "PROCEDURE_NAME"), ""),
          metaData(
              "functions of a schema",
              d -> column(d.getFunctions(null, "tpch", "%"), "FUNCTION_NAME"),
              ""),
          metaData(
              "types of users", d -> column(d.getUDTs(null, "tpch", "%", null), "TYPE_NAME"), ""),
          new Call("rows", ToolCallsTest::dataOfDBeaver, "5 rows, tpch.region.r_name"));

  /** The data tab: at most 200 rows, and what each column is. */
  private static String dataOfDBeaver(Connection connection) throws SQLException {
    try (Statement statement =
        connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
      statement.setMaxRows(200);
      statement.setFetchSize(200);
      statement.setQueryTimeout(20);
      boolean more = statement.execute("SELECT * FROM tpch.region t");
      int count = 0;
      String described = "";
      while (more || statement.getUpdateCount() != -1) {
        try (ResultSet rows = statement.getResultSet()) {
          ResultSetMetaData columns = rows.getMetaData();
          described =
              "%s.%s.%s"
                  .formatted(
                      columns.getSchemaName(2), columns.getTableName(2), columns.getColumnName(2));
          while (rows.next()) {
            for (int i = 1; i <= columns.getColumnCount(); i++) {
              rows.getObject(i);
            }
            count++;
          }
        }
        more = statement.getMoreResults();
      }
      return count + " rows, " + described;
    }
  }

  private static final List<Call> METABASE =
      List.of(
          metaData("schemas", d -> column(d.getSchemas(), "TABLE_SCHEM"), "metadata tpch"),
          metaData(
              "tables",
              d ->
                  column(
                      d.getTables(
                          null,
                          "tpch",
                          "%",
                          new String[] {
                            "TABLE",
                            "PARTITIONED TABLE",
                            "VIEW",
                            "FOREIGN TABLE",
                            "MATERIALIZED VIEW"
                          }),
                      "TABLE_NAME"),
              "customer lineitem nation orders part partsupp region supplier"),
          new Call("privilege", ToolCallsTest::privilegeOfMetabase, "0"),
          metaData(
              "columns",
              d ->
                  column(
                      d.getColumns(null, "tpch", "region", null),
                      "COLUMN_NAME",
                      "TYPE_NAME",
                      "IS_NULLABLE",
                      "COLUMN_DEF",
                      "REMARKS",
                      "IS_GENERATEDCOLUMN"),
              "r_regionkey|BIGINT|NO|null|null|NO r_name|VARCHAR|NO|null|null|NO"
                  + " r_comment|VARCHAR|NO|null|null|NO"),
          metaData(
                  "primary key",
                  d -> column(d.getPrimaryKeys(null, "tpch", "region"), "COLUMN_NAME"),
                  "r_regionkey")
              .served(""),
          metaData(
                  "foreign keys",
                  d -> column(d.getImportedKeys(null, "tpch", "orders"), KEY),
                  "customer|c_custkey|orders|o_custkey|1")
              .served(""),
          metaData(
              "uncommitted",
              d -> d.supportsTransactionIsolationLevel(Connection.TRANSACTION_READ_UNCOMMITTED),
              "false"),
          new Call("query", ToolCallsTest::queryOfMetabase, "1996-01-02 1996-01-02T00:00 172799.49")
              .served("no values by class"),
          new Call("query by getters", ToolCallsTest::queryByGetters, "1996-01-02 172799.49"));

  private static String privilegeOfMetabase(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement(
                "SELECT TRUE AS \"_\" FROM \"tpch\".\"region\" WHERE 1 <> 1 LIMIT 0");
        ResultSet rows = statement.executeQuery()) {
      int count = 0;
      while (rows.next()) {
        count++;
      }
      return String.valueOf(count);
    }
  }

  private static String queryOfMetabase(Connection connection) throws SQLException {
    connection.setReadOnly(true);
    connection.setAutoCommit(true);
    try {
      connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
    } catch (SQLException e) {
      // Metabase goes on as it is.
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT \"tpch\".\"orders\".\"o_orderdate\" AS \"o_orderdate\","
                + " CAST(\"tpch\".\"orders\".\"o_orderdate\" AS timestamp) AS \"moment\","
                + " \"tpch\".\"orders\".\"o_totalprice\" AS \"o_totalprice\" FROM"
                + " \"tpch\".\"orders\" WHERE \"tpch\".\"orders\".\"o_orderkey\" = ? LIMIT 2000",
            ResultSet.TYPE_FORWARD_ONLY,
            ResultSet.CONCUR_READ_ONLY,
            ResultSet.CLOSE_CURSORS_AT_COMMIT)) {
      statement.setFetchDirection(ResultSet.FETCH_FORWARD);
      statement.setFetchSize(500);
      statement.setMaxRows(2000);
      statement.setObject(1, 1L);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return "%s %s %s"
            .formatted(
                rows.getObject(1, LocalDate.class),
                rows.getObject(2, LocalDateTime.class),
                rows.getBigDecimal(3));
      } catch (SQLDataException e) {
        return "no values by class"; // of Avatica's client
      }
    } finally {
      connection.setReadOnly(false);
    }
  }

  private static String queryByGetters(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select o_orderdate, o_totalprice from orders where o_orderkey = 1")) {
      rows.next();
      return rows.getDate(1) + " " + rows.getBigDecimal(2);
    }
  }

  private static String answers(Connection connection, List<Call> calls) {
    StringJoiner answers = new StringJoiner("\n");
    for (Call call : calls) {
      String answer;
      try {
        answer = String.valueOf(call.question.ask(connection));
      } catch (SQLException | RuntimeException e) {
        answer = e.getClass().getSimpleName() + " " + e.getMessage();
      }
      answers.add(call.name + ": " + answer);
    }
    return answers.toString();
  }

  private static String expected(List<Call> calls, boolean served) {
    StringJoiner expected = new StringJoiner("\n");
    for (Call call : calls) {
      expected.add(
          call.name + ": " + (served && call.served != null ? call.served : call.expected));
    }
    return expected.toString();
  }

  private static List<Call> all() {
    List<Call> all = new ArrayList<>(DBEAVER_CONNECTS);
    all.addAll(DBEAVER_OPENS_A_TABLE);
    all.addAll(METABASE);
    return all;
  }

  @Test
  void inProcess() throws SQLException {
    try (Connection connection = DriverManager.getConnection(URL)) {
      assertEquals(expected(all(), false), answers(connection, all()));
    }
  }

  @Test
  void throughTheServer() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local(URL));
        Connection connection = DriverManager.getConnection(server.clientUrl())) {
      assertEquals(expected(all(), true), answers(connection, all()));
    }
  }
}
