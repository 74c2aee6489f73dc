package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** PREPARE, EXECUTE and DEALLOCATE. */
class NamedStatementsTest extends OwnTablesFixture {
  private long planned() throws SQLException {
    return connection.unwrap(AragoniteConnection.class).metrics().plannedStatements();
  }

  private long cached() throws SQLException {
    return connection.unwrap(AragoniteConnection.class).metrics().cachedPlans();
  }

  @Test
  void queries() throws Exception {
    update("create table t as select * from (values (1, 'a'), (2, 'b'), (3, null)) v(i, s)");
    update("prepare p as select s, i from t where i = $2 or s = $1 or i = $2 + 1 order by i");
    assertEquals(List.of("a|1", "b|2", "null|3"), rows("execute p('a', 2)"));
    assertEquals(List.of("b|2"), rows("EXECUTE P ('b', -7);"));
    assertEquals(List.of("b|2", "null|3"), rows("execute p(null, 1 + 1)"));
    update("prepare q (int, varchar) as select ? + 1, ? || 'x'");
    assertEquals(List.of("42|yx"), rows("execute q('41', 'y')"));
    assertEquals(List.of("42|y'x"), rows("execute q(20 * 2 + 1, 'y''')"));
    update("prepare plain as from t select count(*)");
    assertEquals(List.of("3"), rows("execute plain"));
    update("insert into t values (4, '?')");
    assertEquals(List.of("4"), rows("execute plain"));
    update("prepare marks as select i from t where s = '?' or s = '$1' or i = ? order by i");
    assertEquals(List.of("2", "4"), rows("execute marks(2)"));
  }

  @Test
  void aPlanDoesForAllLiterals() throws Exception {
    update("create table t as select i from generate_series(1, 100) s(i)");
    update("prepare p as select count(*) from t where i between ? and ?");
    assertEquals(List.of("11"), rows("execute p(10, 20)"));
    long planned = planned();
    long cached = cached();
    for (int i = 1; i < 20; i++) {
      assertEquals(List.of(String.valueOf(i + 1)), rows("execute p(50, " + (50 + i) + ")"));
    }
    assertEquals(planned, planned());
    assertEquals(cached + 19, cached());
  }

  /** Above a join whose rows are asked for their keys, with what is left to Calcite below it. */
  @Test
  void patternsThatAreNull() throws Exception {
    update("create table t as select i, [i, 1] as l from generate_series(1, 3) s(i)");
    update(
        "prepare p as select distinct 1 from (select i from t cross join unnest(t.l) as u (x)) q"
            + " cross join t where cast(? as varchar) like cast(? as varchar) || '%'");
    assertEquals(List.of(), rows("execute p('xy', null)"));
    assertEquals(List.of("1"), rows("execute p('xy', 'x')"));
    assertEquals(List.of(), rows("execute p(null, 'x')"));
    assertEquals(List.of(), rows("execute p('x', 'xy')"));
  }

  @Test
  void changes() throws Exception {
    update("create table t (i int primary key, s varchar default 'd')");
    update("prepare ins as insert into t values (?, ?)");
    assertEquals(1, update("execute ins(1, 'a')"));
    assertEquals(1, update("execute ins(2, upper('b'))"));
    assertError(ErrorCode.DUPLICATE_KEY, () -> update("execute ins(2, 'b')"), "(2)");
    update("prepare upd as update t set s = $1 where i = $2");
    assertEquals(1, update("execute upd('z', 2)"));
    assertEquals(0, update("execute upd('z', 3)"));
    update("prepare del as delete from t where i = ?");
    assertEquals(1, update("execute del(1)"));
    assertEquals(List.of("2|z"), rows("select * from t"));
    try (PreparedStatement statement = connection.prepareStatement("execute upd('y', 2)")) {
      assertEquals(1, statement.executeUpdate());
      assertEquals(1, statement.executeUpdate());
    }
    update("prepare sel as select s from t where i = ?");
    try (PreparedStatement statement = connection.prepareStatement("execute sel(2)");
        ResultSet first = statement.executeQuery()) {
      assertEquals(List.of("y"), TestConnections.rows(first));
    }
  }

  @Test
  void names() throws Exception {
    update("prepare one as select 1");
    error(ErrorCode.INVALID_STATEMENT, "prepare ONE as select 2", "DEALLOCATE");
    update("prepare two as select 2");
    assertError(ErrorCode.INVALID_STATEMENT, () -> rows("execute onee"), "did you mean 'one'");
    update("deallocate prepare One");
    assertError(ErrorCode.INVALID_STATEMENT, () -> rows("execute one"), "\"one\"");
    error(ErrorCode.INVALID_STATEMENT, "deallocate one");
    update("prepare one as select 3");
    assertEquals(List.of("3"), rows("execute one"));
    try (Connection other = TestConnections.open("threads=1")) {
      assertError(ErrorCode.INVALID_STATEMENT, () -> query(other, "execute one"));
    }
    update("deallocate all");
    assertError(ErrorCode.INVALID_STATEMENT, () -> rows("execute two"));
  }

  @Test
  void badStatements() throws Exception {
    update("prepare p as select ?");
    error(ErrorCode.INVALID_STATEMENT, "execute p", "1 parameters", "0 values");
    error(ErrorCode.INVALID_STATEMENT, "execute p(1, 2)", "2 values");
    error(ErrorCode.INVALID_STATEMENT, "prepare m as select ? + $1", "not both");
    error(ErrorCode.INVALID_STATEMENT, "prepare m (int, int) as select ?", "2 types");
    error(ErrorCode.SYNTAX, "prepare m as", "query");
    error(ErrorCode.SYNTAX, "prepare m as execute p(1)", "'execute'");
    error(ErrorCode.SYNTAX, "prepare m as select * frm t where i = ?");
    error(ErrorCode.UNKNOWN_TABLE, "prepare m as select * from nosuch where i = ?", "nosuch");
    error(ErrorCode.UNKNOWN_COLUMN, "prepare m as select x from (select 1 as y) t where y = ?");
    error(ErrorCode.SYNTAX, "execute p(1", "')'");
    error(ErrorCode.SYNTAX, "execute p()", "expression");
    error(ErrorCode.SYNTAX, "deallocate");
    assertError(ErrorCode.UNKNOWN_COLUMN, () -> rows("execute p(x)"));
    assertError(ErrorCode.DIVISION_BY_ZERO, () -> rows("execute p(1 / 0)"));
    assertEquals(List.of("5"), rows("execute p(5)"));
  }
}
