package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Struct;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists, structs and maps of Parquet files, from JDBC; DuckDB writes the files. */
class NestedColumnsTest {
  private static final String ROWS =
      """
      select * from (values
        (1, [1, 2, null], {'a': 7, 'b': 'x', 'in': {'d': date '2024-02-29'}}, map {'k': 1.5, 'l': null},
         [{'n': 'p', 'v': [1, 2]}, {'n': null, 'v': []}, null]),
        (2, [], {'a': null, 'b': 'y', 'in': null}, map {}, []),
        (3, null, null, null, null),
        (4, [4], {'a': -1, 'b': null, 'in': {'d': null}}, map {'m': 2.5}, [{'n': 'q', 'v': null}]))
      as t (id, l, s, m, ls)
      """;

  @TempDir private Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("memory=256MB;threads=2");
    write(ROWS, "t.parquet", "");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void write(String query, String name, String options) throws SQLException {
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(
          "copy (%s) to '%s' (format parquet%s)".formatted(query, folder.resolve(name), options));
    }
  }

  private String sql(String text) {
    return text.replace("$", folder.toString());
  }

  private List<String> rows(String sql) throws SQLException {
    return query(connection, sql(sql));
  }

  @Test
  void valuesPassThrough() throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql("select * from '$/t.parquet' order by id"))) {
      assertTrue(rows.next());
      assertEquals(
          java.util.Arrays.asList(1, 2, null),
          java.util.Arrays.asList((Object[]) rows.getArray("l").getArray()));
      Struct struct = (Struct) rows.getObject("s");
      System.err.println(java.util.Arrays.toString(struct.getAttributes()));
      System.err.println(rows.getObject("m") + " " + rows.getObject("ls"));
      Map<?, ?> map = (Map<?, ?>) rows.getObject("m");
      assertEquals(2, map.size());
      assertTrue(rows.next());
      assertTrue(rows.next());
      assertEquals(null, rows.getObject("s"));
    }
  }

  @Test
  void tryThings() throws Exception {
    for (String sql :
        new String[] {
          "select id, l, s, m, ls from '$/t.parquet'",
          "select id from '$/t.parquet'",
          "select id, l[1], cardinality(l) from '$/t.parquet'",
          "select t.id, t.s.a, t.s.b from '$/t.parquet' t",
          "select id, t.s.a + 1 from '$/t.parquet' t where t.s.b = 'x'",
          "select id, t.s.\"in\".d from '$/t.parquet' t",
          "select id, m['k'] from '$/t.parquet'",
          "select id, s.a from '$/t.parquet' t",
          "select t.id, e from '$/t.parquet' t, unnest(t.l) as u(e)",
          "select t.id, e, o from '$/t.parquet' t cross join unnest(t.l) with ordinality as u(e, o)",
          "select t.id, e from '$/t.parquet' t left join unnest(t.l) as u(e) on true",
          "select t.id, u.* from '$/t.parquet' t, unnest(t.ls) as u",
          "select t.id, u.n from '$/t.parquet' t, unnest(t.ls) as u(n, v)",
          "select t.id, k, v from '$/t.parquet' t, unnest(t.m) as u(k, v)",
          "select t.id, w from '$/t.parquet' t, unnest(t.ls) as u(n, v), unnest(u.v) as x(w)",
          "select id, ls[1].n from '$/t.parquet' t",
          "select t.s.b, count(*) from '$/t.parquet' t group by t.s.b order by 1",
          "select a.id, b.s.a from '$/t.parquet' a join '$/t.parquet' b on a.id = b.s.a + 5",
          "select count(*) from '$/t.parquet' where l is null",
          "select * from (select id, l from '$/t.parquet' order by id limit 2) where l is not null",
          "select sum(e) from '$/t.parquet' t, unnest(t.l) as u(e)",
          "select map['a', date '2024-01-01'], row(date '2024-01-01', 1), array[row(date '2024-01-01')]",
          "select id, v from '$/t.parquet' t, unnest(t.ls) as u(n, v) where u.n = 'p'",
          "explain plan for select t.id, e from '$/t.parquet' t, unnest(t.l) as u(e)",
          "explain plan for select id, t.s.a from '$/t.parquet' t where t.s.a > 1",
        }) {
      try {
        System.err.println("## " + sql + "\n" + String.join("\n", rows(sql)));
      } catch (SQLException e) {
        System.err.println("## " + sql + "\n  !! " + e.getMessage());
      }
    }
  }
}
