package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelProtoDataType;
import org.apache.calcite.schema.impl.ViewTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries that differ in literals share a plan, and nobody sees it but by how long they take. */
class SharedPlansTest extends OwnTablesFixture {
  private static final String TABLE =
      """
      create table t as select cast(i - 50 as tinyint) as a, cast(i * 100 as smallint) as b,
        cast(i as integer) as c, cast(i * 10000000000 as bigint) as e,
        case when i % 7 = 0 then null else 's' || (i % 10) end as s,
        date '2020-01-01' + i as d, cast(i as decimal(9, 2)) as n, cast(i as double) as f,
        cast('k' || (i % 3) as char(4)) as k
        from generate_series(0, 99) as g(i)\
      """;

  @BeforeEach
  void make() throws SQLException {
    update(TABLE);
    update("insert into t (a, s) values (null, 'it''s'), (null, 'ü€😀'), (null, 's1  ')");
  }

  private long shared() throws SQLException {
    return connection.unwrap(AragoniteConnection.class).metrics().sharedPlans();
  }

  private long planned() throws SQLException {
    return connection.unwrap(AragoniteConnection.class).metrics().plannedStatements();
  }

  /** Rows, and what JDBC knows of their columns; or the error. */
  private static String all(Connection asked, String sql) throws SQLException {
    try (Statement statement = asked.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      StringBuilder text = new StringBuilder();
      ResultSetMetaData columns = rows.getMetaData();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        text.append(
            "%s %s %s(%d, %d) %d %s%n"
                .formatted(
                    columns.getColumnName(i),
                    columns.getColumnLabel(i),
                    columns.getColumnTypeName(i),
                    columns.getPrecision(i),
                    columns.getScale(i),
                    columns.isNullable(i),
                    columns.getTableName(i)));
      }
      return text + String.join("\n", TestConnections.rows(rows).stream().sorted().toList());
    } catch (SQLException e) {
      return e.getErrorCode() + " " + e.getMessage();
    }
  }

  private Connection withoutSharing() throws SQLException {
    Connection other = TestConnections.open("memory=256MB;threads=2;autoParameterize=off");
    try (Statement statement = other.createStatement()) {
      statement.executeUpdate(TABLE);
      statement.executeUpdate(
          "insert into t (a, s) values (null, 'it''s'), (null, 'ü€😀'), (null, 's1  ')");
    }
    return other;
  }

  /**
   * Each statement with several values in turn, beside a connection that shares no plans.
   *
   * @param wanted how many run by the plan of another one
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "select c, s from t where a = %s; 1 2 3 -4 -50; 1",
        "select c, s from t where a = %s; 1 2 3 4 127; 3",
        "select c from t where a = -%s; 1 2 3 4 5; 3",
        "select c from t where a = - %s; 1 2 3 4 5; 3",
        "select c from t where b <> %s and 1 = 1; 0 100 200 32767 300; 3",
        "select c from t where %s >= c; 0 1 2 3 4; 3",
        "select count(*) from t where c < %s; 5 0 1000 2147483647 50; 3",
        "select count(*), min(c) as m from t where e > %s; 5000000000 70000000000 6000000000"
            + " 9000000000 80000000000; 3",
        "select count(*) from t where e > %s; 1 2 70000000000 80000000000 90000000000; 2",
        "select c, %s + c as x from t where c = 5; 1 2 3 4 5; 0",
        "select c from t where s = '%s' order by c; s1 s2 it''s ü€😀 nothing; 3",
        "select c from t where s in ('%s', 's3') order by c; s1 s2 it''s ü€😀 s3; 3",
        "select c from t where s > '%s' order by c; s1 s2 it''s ü€😀 z; 3",
        "select c from t where s not in ('%s'); s1 s2 it''s ü€😀 s3; 3",
        "select c from t where d = date '%s'; 2020-01-01 2020-02-01 2020-01-05 2021-01-01"
            + " 2020-03-03; 3",
        "select c from t where d between date '2020-01-05' and date '%s'; 2020-01-01 2020-02-01"
            + " 2020-01-07 2021-01-01 2020-03-03; 3",
        "select c from t where c not between %s and 90; 1 2 3 4 5; 3",
        "select c from t where c in (1, %s, 3); 1 2 3 4 5; 3",
        "select s, count(*) as n from t where c > %s group by s; 1 2 3 4 500; 3",
        "select c from t where c > %s order by c limit 3; 1 2 3 4 500; 3",
        "select c from t where c > 3 order by c limit %s; 1 2 3 4 0; 0",
        "select x.c, y.b from t x, t y where x.c = y.c and y.b = %s; 100 200 300 400 1; 3",
        "select x.c, y.b from t x left join t y on x.c = y.c and y.b = 100 where x.c < %s; 1 2 3 4"
            + " 5; 3",
        "select c from t where c in (select c from t where b > %s); 100 200 300 400 32000; 3",
        "select c from t x where exists (select 1 from t y where y.c = x.c and y.c > %s); 95 96 97"
            + " 98 99; 3",
        "select (select max(c) from t where c < %s) as m from t where c = 1; 5 6 7 8 0; 3",
        "select sum(c) over (order by c) as r from t where c <= %s; 1 2 3 4 0; 3",
        "with u as (select c, s from t where c > %s) select count(*) from u, u as v where u.c ="
            + " v.c; 10 20 30 40 500; 3",
        "select c from t where c = %s union all select c from t where c = 7; 1 2 3 4 5; 3",
        "select * from (select c + 1 as y from t) where y = %s; 1 2 3 4 5; 3",
        "select c from t where not (c = %s or s = 's1'); 1 2 3 4 5; 3",
        "select c from t where c = %s /* 1 */ -- 2; 1 2 3 4 5; 3",
        "select c, 'a' as \"?1\" from t where c = %s; 1 2 3 4 5; 3",
        "select c from t where k = '%s'; k0 k1 k2 k3 k; 0",
        "select * from generate_series(1, 3) as g(i) where i = %s; 1 2 3 4 5; 3"
      })
  void answersAreThoseOfThePlainStatement(String sql, String values, int wanted)
      throws SQLException {
    long before = shared();
    try (Connection plain = withoutSharing()) {
      for (String value : values.split(" ")) {
        String one = sql.replace("%s", value);
        assertEquals(all(plain, one), all(connection, one), one);
      }
      assertEquals(0, plain.unwrap(AragoniteConnection.class).metrics().sharedPlans());
    }
    assertEquals(wanted, shared() - before, sql);
  }

  /** What is not sure to mean the same is planned as it is written. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "select c from t where c + 1 = %s; 1 2 3 4",
        "select c from t where a = %s; 300 400 500 600",
        "select c from t where b = %s; 100000 200000 3000000 -100000",
        "select c from t where c = %s; 3000000000 4000000000 5000000000 6000000000",
        "select c from t where n = %s; 1 2 3 4",
        "select c from t where f < %s; 1 2 3 4",
        "select c from t where c = %s; 1.5 2.5 3.0 4.0",
        "select c from t where s like '%s'; s1 s2 s3 s4",
        "select c from t where d = '%s'; 2020-01-01 2020-02-01 2020-01-05 2020-03-03",
        "select c from t where c = '%s'; 1 2 3 4",
        "select c from t where s = %s; 1 2 3 4",
        "select c from t where (c, a) = (%s, 1); 1 2 3 4",
        "select c from t where c = %s; null NULL null NULL",
        "select c from t where c = cast(%s as integer); 1 2 3 4",
        "select c from t where c is distinct from %s; 1 2 3 4",
        "select count(*) from t group by s having count(*) > %s; 1 2 3 4",
        "select count(*) from t x join t y on x.c = y.c and x.c > %s; 1 2 3 4",
        "select case when c = %s then 1 else 0 end as x from t; 1 2 3 4",
        "select c from t where c in (%s, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,"
            + " 18, 19, 20, 21); 1 2 3 4",
        "select c from t order by %s; 1 1 1 1",
        "select c from t where d > current_date and c = %s; 1 2 3 4",
        "select %s; 1 2 3 4",
        "select nothing from t where c = %s; 1 2 3 4",
        "select c from nowhere where c = %s; 1 2 3 4",
        "select c from t where c = %s and; 1 2 3 4",
        "select c from t where c = %s and s > 5 and boolean = 1; 1 2 3 4",
        "select 1 / (c - c) as x from t where c = %s; 1 2 3 4"
      })
  void whatMayMeanSomethingElseIsPlannedAlone(String sql, String values) throws SQLException {
    long before = shared();
    try (Connection plain = withoutSharing()) {
      for (String value : values.split(" ")) {
        String one = sql.replace("%s", value);
        assertEquals(all(plain, one), all(connection, one), one);
      }
    }
    assertEquals(sql.contains("1 / (c - c)") ? 2 : 0, shared() - before, sql);
  }

  /** A value that the column cannot have is not of the plan that others use. */
  @Test
  void valuesOutsideTheColumnsRangeAreApart() throws SQLException {
    for (String value : List.of("1", "2", "300", "-129", "128", "3")) {
      List<String> wanted = value.length() > 1 ? List.of() : List.of("5" + value);
      assertEquals(wanted, rows("select c from t where a = " + value), value);
    }
    assertEquals(1, shared());
  }

  @Test
  void explainShowsWhatIsWritten() throws SQLException {
    for (int i = 1; i < 5; i++) {
      String sql = "select c from t where c = 4" + i;
      assertEquals(List.of("4" + i), rows(sql));
      for (String explain : List.of("explain plan for ", "explain analyze ")) {
        String plan = String.join("\n", rows(explain + sql));
        assertTrue(plan.contains("4" + i), plan);
        assertFalse(plan.contains("?"), plan);
      }
    }
    assertEquals(2, shared());
  }

  @Test
  void changedTablesAreSeen() throws SQLException {
    for (int i = 0; i < 5; i++) {
      assertEquals(List.of(String.valueOf(i)), rows("select c from t where c = " + i));
    }
    assertEquals(3, shared());
    update("insert into t (c) values (1), (1000)");
    assertEquals(List.of("1", "1"), rows("select c from t where c = 1"));
    assertEquals(List.of("1000"), rows("select c from t where c = 1000"));
    update("drop table t");
    TestConnections.assertError(
        ErrorCode.UNKNOWN_TABLE, () -> rows("select c from t where c = 2"), "t");
    update("create table t as select cast(5 as tinyint) as c");
    for (String value : List.of("5", "6", "500", "5")) {
      List<String> wanted = value.equals("5") ? List.of("5") : List.of();
      assertEquals(wanted, rows("select c from t where c = " + value));
    }
    update("create or replace table t as select 'x' as c");
    for (String value : List.of("'x'", "'y'", "'z'", "'x'")) {
      List<String> wanted = value.equals("'x'") ? List.of("x") : List.of();
      assertEquals(wanted, rows("select c from t where c = " + value));
    }
  }

  @Test
  void theSchemaInUseCounts() throws SQLException {
    update("create schema one");
    update("create schema two");
    update("create table one.u as select 1 as i, 'one' as s");
    update("create table two.u as select 1 as i, 'two' as s");
    for (int i = 0; i < 3; i++) {
      for (String schema : List.of("one", "two")) {
        connection.setSchema(schema);
        assertEquals(i == 1 ? List.of(schema) : List.of(), rows("select s from u where i = " + i));
      }
    }
    assertTrue(shared() > 0);
  }

  /** Where parts of files are left out by values, or orders of joins matter, each has its plan. */
  @Test
  void largeTablesHavePlansOfTheirOwn() throws SQLException {
    update("create table large as select i from generate_series(1, 100001) as g(i)");
    for (int i = 1; i < 5; i++) {
      assertEquals(List.of(String.valueOf(i)), rows("select i from large where i = " + i));
    }
    assertEquals(0, shared());
  }

  @Test
  void statementsThatChangeTablesUseTheirOwnValues() throws SQLException {
    update("create table u (i int)");
    for (int i = 0; i < 5; i++) {
      update("insert into u select c from t where c = " + i);
      assertEquals(1, update("update u set i = i + 100 where i = " + i));
      assertEquals(
          List.of(String.valueOf(100 + i)), rows("select i from u where i = " + (100 + i)));
    }
    assertEquals(2, update("delete from u where i in (101, 103)"));
    assertEquals(1, update("delete from u where i in (102, 105)"));
    assertEquals(List.of("100", "104"), rows("select i from u order by i"));
    update("create view v as select c from t where c > 95");
    assertEquals(List.of("97"), rows("select c from v where c = 97"));
    assertEquals(List.of("98"), rows("select c from v where c = 98"));
    assertEquals(List.of(), rows("select c from v where c = 9"));
  }

  @Test
  void preparedStatementsWithoutParameters() throws SQLException {
    List<PreparedStatement> open = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      PreparedStatement one = connection.prepareStatement("select c from t where c = " + i);
      assertEquals(0, one.getParameterMetaData().getParameterCount());
      assertEquals("c", one.getMetaData().getColumnName(1));
      open.add(one);
    }
    assertTrue(shared() > 0);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 5; i++) {
        try (ResultSet rows = open.get(i).executeQuery()) {
          assertEquals(List.of(String.valueOf(i)), TestConnections.rows(rows));
        }
      }
      update("insert into t (c) values (1000)");
    }
    for (PreparedStatement one : open) {
      one.close();
    }
  }

  @Test
  void resultsThatAreOpenKeepTheirValues() throws SQLException {
    List<ResultSet> open = new ArrayList<>();
    List<Statement> statements = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Statement statement = connection.createStatement();
      statements.add(statement);
      open.add(statement.executeQuery("select c from t where c >= " + i * 10 + " order by c"));
    }
    for (int i = 4; i >= 0; i--) {
      assertEquals(String.valueOf(i * 10), TestConnections.rows(open.get(i)).getFirst());
      statements.get(i).close();
    }
    assertEquals(3, shared());
  }

  @Test
  void manyThreadsOfOneConnection() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
      List<Future<Void>> all = new ArrayList<>();
      for (int thread = 0; thread < 6; thread++) {
        int first = thread;
        all.add(
            threads.submit(() -> {
              for (int i = first; i < 100; i++) {
                String sql = i % 2 == 0 ? "select c from t where c = " : "select b from t where c=";
                String wanted = String.valueOf(i % 2 == 0 ? i : 100 * i);
                assertEquals(List.of(wanted), query(connection, sql + i));
              }
              return null;
            }));
      }
      for (Future<Void> one : all) {
        one.get();
      }
    }
    assertTrue(shared() > 400, () -> "too few statements share a plan");
  }

  @Test
  void rowsAtMost() throws SQLException {
    for (int most = 0; most < 3; most++) {
      for (int i = 50; i < 55; i++) {
        try (Statement statement = connection.createStatement()) {
          statement.setMaxRows(most);
          ResultSet rows = statement.executeQuery("select c from t where c > " + i);
          assertEquals(most == 0 ? 99 - i : most, TestConnections.rows(rows).size());
        }
      }
    }
  }

  /** The error that planning with a literal gives is that of each run. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "select c from t\n where c = %s and nothing = 1",
        "select c from t where c = %s group by s",
        "select c, from_x from t where c = %s",
        "select max(c) from t where max(c) = %s"
      })
  void errorsSayWhereTheyAre(String sql) {
    String first = message(sql.replace("%s", "1"));
    for (String value : List.of("2", "3", "4")) {
      assertEquals(first, message(sql.replace("%s", value)));
    }
  }

  private String message(String sql) {
    return String.valueOf(assertThrows(SQLException.class, () -> rows(sql)).getMessage());
  }

  @Test
  void aWrongSettingIsAnError() {
    TestConnections.assertError(
        ErrorCode.INVALID_PROPERTY,
        () -> TestConnections.open("autoParameterize=perhaps"),
        "autoParameterize=perhaps",
        "on or off");
  }

  @Test
  void aPlanIsMadeOnce() throws SQLException {
    long before = planned();
    for (int i = 0; i < 50; i++) {
      assertEquals(List.of(String.valueOf(i)), rows("select c from t where c = " + i));
    }
    assertEquals(2, planned() - before);
    assertEquals(48, shared());
  }

  /** A view that counts how often a query over it is converted. */
  private static final class CountedView extends ViewTable {
    int conversions;

    CountedView(RelProtoDataType rowType) {
      super(Object[].class, rowType, "select a, c from temp.t", List.of(), null);
    }

    @Override
    public RelNode toRel(RelOptTable.ToRelContext context, RelOptTable table) {
      conversions++;
      return super.toRel(context, table);
    }
  }

  /** Those beyond a column's range are planned as they are written, and not tried each time. */
  @Test
  void literalsBeyondAColumnAreConvertedOnce() throws SQLException {
    CountedView view =
        new CountedView(types ->
            types
                .builder()
                .add("a", types.createSqlType(SqlTypeName.TINYINT))
                .nullable(true)
                .add("c", types.createSqlType(SqlTypeName.INTEGER))
                .nullable(true)
                .build());
    connection.unwrap(CalciteConnection.class).getRootSchema().add("counted", view);
    String sql = "select c from counted where a = ";
    rows(sql + 1000);
    int once = view.conversions;
    assertTrue(once > 0);
    rows(sql + 1001);
    for (int i = 1002; i < 1006; i++) {
      view.conversions = 0;
      assertEquals(List.of(), rows(sql + i));
      assertEquals(once, view.conversions);
    }
    assertEquals(List.of("55"), rows(sql + 5));
    view.conversions = 0;
    assertEquals(List.of("56"), rows(sql + 6));
    assertEquals(0, view.conversions);
    assertEquals(1, shared());
  }
}
