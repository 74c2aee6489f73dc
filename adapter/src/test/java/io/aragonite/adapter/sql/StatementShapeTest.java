package io.aragonite.adapter.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.adapter.sql.StatementShape.ShapeLiteral;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementShapeTest {
  private static List<Object> literals(String sql) {
    StatementShape shape = StatementShape.of(sql);
    return shape == null ? List.of() : shape.literals().stream().map(ShapeLiteral::value).toList();
  }

  private static String text(String sql, int... replaced) {
    StatementShape shape = StatementShape.of(sql);
    assertNotNull(shape, sql);
    long bits = Arrays.stream(replaced).mapToLong(i -> 1L << i).reduce(0, (a, b) -> a | b);
    return shape.text(bits).replace('\u0001', '#').replace('\u0002', '$').replace('\u0003', '@');
  }

  @Test
  void findsLiteralsThatStandByThemselves() {
    assertEquals(
        List.of(1L, 20L, "x", LocalDate.of(2020, 2, 29), 7L),
        literals("select 1 from t where a = 20 and s='x' and d > Date  '2020-02-29' or b=-7"));
    assertEquals(List.of("it's", "-- no", "/*"), literals("select 'it''s', '-- no', '/*'"));
    assertEquals(List.of("ü€😀", 1L), literals("with t as (select 'ü€😀') select 1"));
    assertEquals(List.of(123456789012345678L), literals("select 123456789012345678"));
  }

  @Test
  void leavesWhatIsPartOfSomethingElse() {
    assertEquals(
        List.of(5L),
        literals(
            "select 1.5, .5, 2., 1e5, 0x1F, 1_000, a1, t.\"2\", \"3\", `4`, '', 'blank ', N'n',"
                + " U&'u', _utf8'c', e'f', 1234567890123456789, /* 6 */ 5 -- 7\n"));
    assertEquals(List.of(3L), literals("select date '2020-02-30', date '1000-01-01', 3"));
    assertEquals(List.of("2020-01-01"), literals("select date /* */ '2020-01-01'"));
    assertEquals(List.of(1L), literals("select 'lone \ud800', 1"));
  }

  @Test
  void isTheSameForOtherValuesAlone() {
    String sql = "select 1 from t where a = 20 and s='x' -- 3";
    assertEquals("select # from t where a = # and s=$ -- 3", text(sql, 0, 1, 2));
    assertEquals("select 1 from t where a = # and s='x' -- 3", text(sql, 1));
    assertEquals(sql, text(sql));
    assertEquals("select @", text("select date '2020-01-01'", 0).replace("date ", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "   ",
        "select a from t",
        "select a from t where a = ? and b = 5",
        "insert into t values (1)",
        "explain plan for select 1",
        "values (1, 2)",
        "select 1, a\u0002 from t",
        "select 1, 'a\u0001b'"
      })
  void noneOfOthers(String sql) {
    assertNull(StatementShape.of(sql));
  }

  @Test
  void noneOfManyLiteralsOrLongTexts() {
    String many = IntStream.range(0, 64).mapToObj(String::valueOf).collect(Collectors.joining(","));
    assertEquals(64, literals("select " + many).size());
    assertNull(StatementShape.of("select 0, " + many));
    assertNull(StatementShape.of("select 1 " + " ".repeat(10_000)));
  }

  /** A tail that is cut anywhere, quotes that are not closed included, is no error. */
  @Test
  void endsWithTheText() {
    String sql = "select 'a', 12, \"b\", /* c */ `d`, date '2020-01-01' -- e";
    for (int i = 0; i <= sql.length(); i++) {
      StatementShape shape = StatementShape.of(sql.substring(0, i));
      if (shape != null) {
        assertEquals(sql.substring(0, i), shape.text(0));
      }
    }
  }
}
