package io.aragonite.rules.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements whose plans our program changes most, over tables with nulls and duplicates: all must
 * run on the device, with Calcite's results.
 */
class DifferentialTest {
  private static final Differential DIFFERENTIAL = new Differential();

  private static final String TABLES =
      """
      with t(a, b, c) as (values (1, 'x', 1.50), (2, 'y', null), (2, 'y', 7.25),
            (3, cast(null as varchar(5)), 0.00), (cast(null as integer), 'z', 2.00), (5, 'x', -1.00)),
        u(a, d) as (values (1, 10), (2, 20), (2, 21), (cast(null as integer), 30), (7, 70)),
        v(k, w) as (values (10, 'p'), (20, 'q'), (70, 'r'), (80, 's'))
      """;

  @AfterAll
  static void close() {
    DIFFERENTIAL.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select * from t where a in (select a from u)",
        "select * from t where a not in (select a from u)",
        "select * from t where a not in (select a from u where a is not null)",
        "select * from t where a not in (select a from u where a > 100)",
        "select * from t where exists (select 1 from u where u.a = t.a and u.d > 10)",
        "select * from t where not exists (select 1 from u where u.a = t.a and u.d <> 10 * t.a)",
        "select * from t where not exists (select 1 from u where u.a > t.a)",
        "select * from t where exists (select 1 from u)",
        "select * from t where exists (select 1 from u where d > 1000)",
        "select * from t where a + 1 in (select a from u) and b is not null",
        "select * from t where (a, b) in (select a, 'y' from u)",
        "select * from t where exists (select 1 from u join v on u.d = v.k where u.a = t.a)",
        "select * from t where exists (select a from u where u.a = t.a group by a having count(*) >"
            + " 1)",
        "select * from t where a in (select u.a from u where u.d in (select k from v))",
        "select * from t where exists (select 1 from u where u.a = t.a) or b = 'z'",
        "select t.a, (select max(d) from u where u.a = t.a) from t",
        "select t.a, (select count(*) from u where u.a = t.a) from t",
        "select * from t where c > (select avg(c) from t)",
        "select * from t where c < (select sum(d) from u where u.a = t.a)",
      })
  void subqueriesAreCalcites(String query) {
    assertCalcites(query);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select t.a, u.d, v.w from t, u, v where t.a = u.a and u.d = v.k",
        "select t.a, u.d, v.w from t join u on t.a = u.a left join v on u.d = v.k",
        "select t.a, u.d from t left join u on t.a = u.a and u.d > 20",
        "select t.a, u.d from t right join u on t.a = u.a",
        "select t.a, u.d from t full join u on t.a = u.a and t.b = 'y'",
        "select t.a, u.a from t join u on t.a < u.a",
        "select t.a, u.a from t left join u on t.a > u.a",
        "select t.a, u.a from t join u on t.a is not distinct from u.a",
        "select count(*) from t, u, v",
        "select t.a, u.d from t, u where (t.a = u.a and t.b = 'x') or (t.a = u.a and u.d = 21)",
        "select * from t, u, v where t.a = u.a and u.d = v.k and t.c > u.d - v.k",
      })
  void joinsAreCalcites(String query) {
    assertCalcites(query);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select b, sum(c), count(c), count(*), avg(c), min(a), max(b) from t group by b",
        "select a, count(distinct b), sum(c) filter (where c > 0) from t group by a",
        "select a, b, grouping(a), grouping(b), count(*) from t group by rollup(a, b)",
        "select a, b, count(*) from t group by grouping sets ((a), (b), ())",
        "select t.a, t.b, sum(u.d) from t join u on t.a = u.a group by t.a, t.b having sum(u.d) >"
            + " 10",
        "select sum(c), count(*), max(a) from t where a > 100",
        "select a from t union select a from u",
        "select a from t union all select a from u",
        "select a, row_number() over (order by c) r, sum(c) over (partition by b) s from t",
        "select a, lag(b, 1, 'n') over (order by c nulls last), rank() over (order by b) from t",
        "select case when a > 1 then b else 'no' end, coalesce(a, 0), nullif(a, 2) from t",
        "select a in (1, 2, 9), a not in (1, 2, 9), a between 2 and 4, b like 'x%' from t",
        "select upper(b) || '!', char_length(b), substring(b from 1 for 1), position('x' in b) from"
            + " t",
        "select a / 2, a * 1.5, mod(a, 2), -a, abs(c), floor(c), ceil(c), c + a from t",
        "select cast(a as varchar(5)), cast(c as integer), cast(c as double), cast(b as char(1))"
            + " from t",
        "select date '2024-01-31' + interval '1' month, extract(month from date '2024-05-06') from"
            + " t",
        "select b, listagg(cast(a as varchar(5)), ',') within group (order by a) from t group by b",
        "select * from (select a, c from t order by c desc nulls last fetch first 2 rows only)",
        "select distinct b from t",
      })
  void otherResultsAreCalcites(String query) {
    assertCalcites(query);
  }

  private static void assertCalcites(String query) {
    String sql = TABLES + query;
    assertEquals(DIFFERENTIAL.calcites(sql), DIFFERENTIAL.ours(sql), query);
  }

  /** What Calcite's Enumerable convention fails on. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "select a from t intersect select a from u | [1, 2, null]",
        "select a from t except select a from u | [3, 5]",
        "select lag(a, 1, 0) over (order by c nulls last) from t | [0, 1, 2, 3, 5, null]",
      })
  void resultsAreThese(String query, String expected) {
    assertEquals(expected, DIFFERENTIAL.ours(TABLES + query).toString(), query);
  }
}
