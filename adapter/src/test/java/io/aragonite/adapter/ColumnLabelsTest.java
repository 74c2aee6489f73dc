package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The names of columns that a statement gives none. */
class ColumnLabelsTest {
  private static final String T = " from (values (1, 2, 'x')) t(a, b, s)";

  private static List<String> labels(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu");
        Statement statement = connection.createStatement()) {
      ResultSetMetaData columns;
      try (ResultSet rows = statement.executeQuery(sql)) {
        columns = rows.getMetaData();
        List<String> labels = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
          labels.add(columns.getColumnLabel(i));
        }
        return labels;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "count(*)",
        "max(a)+1",
        "(min(a) + 2) * 3",
        "((max(a) + 1))",
        "- max(a)",
        "max(a)::varchar",
        "max(a) is not distinct from 3",
        "case when max(a) = 1 then 'it''s' else 'b' end",
        "1",
        "null",
        "current_date",
        "count(*) FILTER (where a > 1)",
        "listagg(s, ',') within group (order by s desc)",
        "sum(max(a)) over (order by max(b) rows between 1 preceding and current row)",
        "(select max(c) from (values (3)) u(c))",
        "exists (select 1)",
        "max(a) in (select 1 except select 3)",
        "max(a) = any (select 1)",
        "array(select 1)",
        "[max(a), 2][1]",
        "{'a': max(b)}",
        "map {date '2024-01-31': max(a)}",
        "[map {true: {day: max(a)}}]",
        "{d '2024-01-31'}",
        "[x for x in [1,2]]",
        "overlay(max(s) placing 'y' from 1)",
        "extract(year from date '2020-01-01')",
        "multiset[1] multiset union multiset[2]",
        "interval '1' day",
        "n'é' || N'x'",
        "'{}' ->> 'a' || max(s)",
      })
  void textThatIsWritten(String expression) throws SQLException {
    assertEquals(List.of(expression, "x"), labels("select " + expression + ", 1 as x" + T));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      textBlock =
          """
          select a + /* one */ 1 -- two%n , b         ! a + 1;b
          select distinct a + 1, (b)                  ! a + 1;b
          select all a + 1                            ! a + 1
          select distinct on (a) b + 1                ! b + 1
          select distinct a is distinct from b        ! a is distinct from b
          select t.a, * exclude (a)                   ! a;b;s
          select columns('a|b') + 1                   ! a;b
          select unnest([1, 2]), a + 1                ! unnest;a + 1
          select a + 1, a + 1, A + 1                  ! a + 1;a + 1_1;A + 1_2
          select 1, 2 as "1", a, max(b) over () as c  ! 1_1;1;a;c
          select #1, #1 + 1                           ! a;#1 + 1
          """)
  void columns(String select, String labels) throws SQLException {
    assertEquals(List.of(labels.split(";")), labels(select.replace("%n", "\n") + T));
  }

  @Test
  void fromFirst() throws SQLException {
    assertEquals(List.of("a + 1"), labels("from (values (1)) t(a) select a + 1"));
    assertEquals(List.of("-a", "a"), labels("from (values (1)) t(a) select -a, a limit 1"));
  }

  @Test
  void subqueriesAndUnions() throws SQLException {
    assertEquals(
        List.of("count(*)"), labels("select \"count(*)\" from (select count(*)" + T + ")"));
    assertEquals(List.of("0", "0_1"), labels("select * from (select 0, 0) t"));
    assertEquals(List.of("count(*)"), labels("with c as (select 0, 0) select count(*) from c"));
    assertEquals(List.of("1"), labels("with c as (select 1 union all select 2) select * from c"));
    assertEquals(List.of("a + 1"), labels("select a + 1" + T + " union (select 2) order by 1"));
  }

  @Test
  void longTextsAreCut() throws SQLException {
    String sum = "a" + " + a".repeat(100);
    assertEquals(List.of(sum.substring(0, 125) + "..."), labels("select " + sum + T));
  }

  @Test
  void namesThatAreGivenStay() throws SQLException {
    assertEquals(
        List.of("n", "a", "a\"b"), labels("select count(*) n, max(a) as a, 1 as \"a\"\"b\"" + T));
  }
}
