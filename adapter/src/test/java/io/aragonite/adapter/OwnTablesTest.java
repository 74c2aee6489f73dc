package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tables and views that a connection makes, from JDBC. */
class OwnTablesTest extends OwnTablesFixture {
  @Test
  void aTableOfColumns() throws Exception {
    assertEquals(
        0,
        update(
            "create table t (id int not null, name varchar(5), price decimal(12, 2), born date,"
                + " seen timestamp(3), at_ time, ok boolean, big bigint, r real, d double,"
                + " wide decimal(38, 4), tiny tinyint)"));
    assertEquals(List.of(), rows("select * from t"));
    assertEquals(
        2,
        update(
            "insert into t values (1, 'ä''b', 1.50, date '2020-02-29',"
                + " timestamp '2020-01-01 10:11:12.345', time '01:02:03', true, 9000000000, 1.5,"
                + " 2.25, 12345678901234567890123456789012.1234, 7),"
                + " (2, null, null, null, null, null, null, null, null, null, null, null)"));
    assertEquals(
        List.of(
            "1|ä'b|1.50|2020-02-29|2020-01-01 10:11:12.345|01:02:03|true|9000000000|1.5|2.25"
                + "|12345678901234567890123456789012.1234|7",
            "2" + "|null".repeat(11)),
        rows("select * from t order by id"));
    assertEquals(1, update("insert into t (NAME, id) select 'x', 3"));
    assertEquals(
        List.of("x|null"), rows("select name, price from temp.T where id = 3 and name = 'x'"));
    assertEquals(List.of("6|3"), rows("select sum(id), count(*) from t"));
  }

  @Test
  void rowsOfTextsAndNumbers() throws Exception {
    update("create table t (s varchar, n bigint, d date)");
    assertEquals(
        4,
        update(
            "insert into t values (1, '2', '2024-01-01'), ('hello', 3, default),"
                + " ('x', -4, date '2024-01-02'), (2.5, '  77 ', null)"));
    assertEquals(
        List.of("1|2|2024-01-01", "2.5|77|null", "hello|3|null", "x|-4|2024-01-02"),
        rows("select * from t order by s"));
    error(ErrorCode.INVALID_CAST, "insert into t values ('a', 1, null), ('b', 'c', null)");
    assertEquals(List.of("4"), rows("select count(*) from t"));
  }

  @Test
  void theConnectionsTablesAreShown() throws Exception {
    update("create table shown (i int)");
    assertEquals(List.of("shown"), rows("show tables"));
    assertEquals(List.of("temp"), rows("select current_schema"));
  }

  @Test
  void functionsOfTheHost() throws Exception {
    assertEquals(
        List.of("2024-01-31 00:00:00|2024-02-01 10:20:00|2024-03-05 06:07:08"),
        rows(
            "select strptime('20240131', '%Y%m%d'), strptime('1/2/2024 10:20', '%d/%m/%Y %H:%M'),"
                + " strptime('5 March 2024 06:07:08', '%d %B %Y %H:%M:%S')"));
    error(
        ErrorCode.INVALID_DATETIME, "create table t as select strptime('2023-02-29', '%Y-%m-%d')");
    error(ErrorCode.INVALID_STATEMENT, "create table t as select strptime('1', '%U')", "%Y");
    assertEquals(
        List.of("true|[1, 2]|[1, 2, 3]|[2, 1]|[0, 1]|3|[a, b]"),
        rows(
            "select list_contains([1, 2], 1), list_append([1], 2), list_sort([3, 1, 2]),"
                + " list_reverse([1, 2]), list_prepend(0, [1]), list_max([1, 3]),"
                + " string_split('a,b', ',')"));
    assertEquals(
        List.of("x|hello\nxorld|hello\nworld|616263|101|a+b"),
        rows(
            "select regexp_replace('a\nb', 'a.b', 'x', 's'),"
                + " regexp_replace('hello\nworld', '^w', 'x', 'm'),"
                + " regexp_replace('hello\nworld', 'o.w', 'x', 'n'), hex('abc'), bin(5),"
                + " url_encode('a b')"));
  }

  @Test
  void momentsOfNumbersAndTexts() throws Exception {
    assertEquals(
        List.of("2024-02-29 23:59:58.123456|null|12:01:02.5|2024-01-31 10:20:00"),
        rows(
            "select make_timestamp(2024, 2, 29, 23, 59, 58.123456),"
                + " make_timestamp(2024, null, 1, 1, 1, 1), make_time(12, 1, 2.5),"
                + " '2024-01-31 10:20'::timestamp"));
    error(
        ErrorCode.INVALID_DATETIME,
        "create table t as select make_timestamp(2023, 2, 29, 0, 0, 0) as m");
    error(
        ErrorCode.INVALID_DATETIME,
        "create table t as select make_timestamp(2023, 2, 28, 0, 60, 0) as m");
  }

  @Test
  void powersAndWholeUnits() throws Exception {
    assertEquals(
        List.of("8|4|0.5|18|64|64|true"),
        rows(
            "select cast(2 ** 3 as int), cast(-2 ** 2 as int), 2 ** -1, cast(2 * 3 ** 2 as int),"
                + " cast((1 + 1) ** 3 ** 2 as int), cast(4 ** 3 as int),"
                + " cast(null as integer[]) is null"));
    assertEquals(
        List.of("28|882|-1"),
        rows(
            "select date_sub('month', date '2020-01-15', date '2022-06-14'),"
                + " date_sub('day', date '2020-01-15', date '2022-06-15'),"
                + " date_sub('year', date '2019-02-03', date '2017-02-04')"));
  }

  @Test
  void yearsOfFiveDigits() throws Exception {
    assertEquals(List.of("287168-08-24 16:00:00"), rows("select to_timestamp(9e12)"));
    try (PreparedStatement statement = connection.prepareStatement("select ?")) {
      statement.setObject(1, "2024-1-1 1:2:3.5", java.sql.Types.TIMESTAMP);
      try (ResultSet row = statement.executeQuery()) {
        assertTrue(row.next());
        assertEquals("2024-01-01 01:02:03.5", row.getString(1));
      }
    }
  }

  @Test
  void aTableOfAQuery() throws Exception {
    assertEquals(
        3,
        update("create table t as select * from (values (1, 'a'), (2, 'b'), (3, null)) v(i, s)"));
    assertEquals(List.of("1|a", "2|b", "3|null"), rows("select * from t order by i"));
    error(ErrorCode.DUPLICATE_TABLE, "create table T as select 1 as x", "t", "OR REPLACE");
    assertEquals(0, update("create table if not exists t as select 1 as x"));
    assertEquals(1, update("create or replace table t as select max(i) as m from t"));
    assertEquals(List.of("3"), rows("select m from t"));
    assertEquals(1, update("create temp table n (a, b) as select null as x, 1"));
    assertEquals(1, update("insert into n values ('text', 2)"));
    assertEquals(List.of("null|1", "text|2"), rows("select a, b from n order by b"));
    assertEquals(0, update("create table empty_ as select * from n where b > 5"));
    assertEquals(List.of("0"), rows("select count(a) from empty_"));
  }

  @Test
  void aStatementReadsTheTableThatItFills() throws Exception {
    update("create table t (i int)");
    update("insert into t values (1), (2), (3)");
    for (int rows = 3; rows < 200_000; rows *= 2) {
      assertEquals(rows, update("insert into t select i + " + rows + " from t"));
    }
    assertEquals(List.of("393216|393216"), rows("select count(*), count(distinct i) from t"));
    update("create or replace table t as select i, i * 2 as j from t where i <= 2");
    assertEquals(List.of("1|2", "2|4"), rows("select * from t order by i"));
  }

  @Test
  void manySmallInserts() throws Exception {
    update("create table t (i int, s varchar)");
    try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?)")) {
      for (int i = 0; i < 300; i++) {
        insert.setInt(1, i);
        insert.setString(2, i % 3 == 0 ? null : "s" + i);
        assertEquals(1, insert.executeUpdate());
      }
    }
    assertEquals(
        List.of("300|44850|200|s1"), rows("select count(*), sum(i), count(s), min(s) from t"));
    try (Stream<Path> files = Files.walk(folder)) {
      assertTrue(files.filter(Files::isRegularFile).count() < 5);
    }
  }

  @Test
  void aFailedInsertLeavesTheTable() throws Exception {
    update("create table t (i int not null, s varchar(3))");
    update("insert into t values (1, 'abc')");
    error(ErrorCode.NULL_NOT_ALLOWED, "insert into t values (2, 'x'), (null, 'y')", "\"i\"");
    error(ErrorCode.TEXT_TOO_LONG, "insert into t values (2, 'abcd')", "abcd", "VARCHAR(3)");
    error(ErrorCode.DIVISION_BY_ZERO, "insert into t select 1 / (i - 1), s from t");
    error(ErrorCode.NUMERIC_OVERFLOW, "insert into t values (3000000000, 'x')");
    error(ErrorCode.INVALID_CAST, "insert into t values ('x', 'x')");
    error(ErrorCode.INVALID_STATEMENT, "insert into t values (1)", "2 columns", "1");
    error(ErrorCode.INVALID_STATEMENT, "insert into t (i, I) values (1, 2)");
    error(ErrorCode.UNKNOWN_COLUMN, "insert into t (j) values (1)", "\"j\"", "i, s");
    error(ErrorCode.UNKNOWN_COLUMN, "insert into t select k, s from t", "'k'", "column 22");
    error(ErrorCode.UNKNOWN_TABLE, "insert into tt values (1)", "did you mean 't'?");
    assertEquals(List.of("1|abc"), rows("select * from t"));
    assertEquals(1, update("insert into t values (2, 'äöü')"));
  }

  @Test
  void views() throws Exception {
    update("create table t as select * from (values (1, 'a'), (2, 'b')) v(Id, Name)");
    update("create view v as select name, id * 10 as ten from t where id > 1");
    assertEquals(List.of("b|20"), rows("select * from v"));
    update("insert into t values (3, 'c')");
    assertEquals(List.of("b|20", "c|30"), rows("select * from V order by ten"));
    error(ErrorCode.DUPLICATE_TABLE, "create view v as select 1", "OR REPLACE VIEW");
    update("create or replace view v (x) as select count(*) from t");
    assertEquals(List.of("3"), rows("select x from v"));
    update("create view w as select x + 1 as y from v");
    assertEquals(List.of("4"), rows("select y from w"));
    update("create or replace view v as select y as x from w");
    assertError(ErrorCode.INVALID_STATEMENT, () -> rows("select * from v"), "reads itself");
    error(ErrorCode.INVALID_STATEMENT, "drop table v", "DROP VIEW");
    error(ErrorCode.READ_ONLY, "insert into v values (1)", "view");
    update("drop view v");
    assertError(ErrorCode.UNKNOWN_TABLE, () -> rows("select * from v"));
    update("drop view if exists v");
    Path file = Files.writeString(folder.resolve("f.csv"), "a\n7\n");
    String pivot = " as select * from (pivot t on name %s using sum(id))";
    error(
        ErrorCode.INVALID_STATEMENT, "create view p" + pivot.formatted(""), "\"p\"", "ON name IN");
    assertError(
        ErrorCode.INVALID_STATEMENT,
        () -> connection.prepareStatement("create view p (x)" + pivot.formatted("")),
        "ON name IN");
    update("create view p (x, y)" + pivot.formatted("in ('a', 'c')"));
    assertEquals(List.of("1|3"), rows("select * from p"));
    update("create view f as select a from '" + file + "'");
    assertEquals(List.of("7"), rows("select a from f"));
    Files.delete(file);
  }

  @Test
  void dropping() throws Exception {
    update("create table t as select 1 as i");
    try (Statement reader = connection.createStatement();
        ResultSet open = reader.executeQuery("select i from t")) {
      update("drop table t");
      assertTrue(open.next());
      assertEquals(1, open.getInt(1));
    }
    error(ErrorCode.UNKNOWN_TABLE, "drop table t");
    update("drop table if exists t");
    update("create table t as select 2 as i");
    assertEquals(List.of("2"), rows("select * from t"));
  }

  @Test
  void jdbcKnowsWhatChanges() throws Exception {
    try (Statement statement = connection.createStatement()) {
      assertFalse(statement.execute("create table t as select 1 as i, 'x' as s"));
      assertEquals(1, statement.getUpdateCount());
      assertFalse(statement.execute("insert into t values (2, 'y'), (3, 'z');"));
      assertEquals(2, statement.getUpdateCount());
      assertTrue(statement.execute("select * from t"));
      assertEquals(-1, statement.getUpdateCount());
      statement.addBatch("insert into t values (4, 'a')");
      statement.addBatch("insert into t select i + 10, s from t");
      assertEquals(List.of(1, 4), box(statement.executeBatch()));
    }
    try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?)")) {
      for (int i = 100; i < 103; i++) {
        insert.setInt(1, i);
        insert.setString(2, "p" + i);
        insert.addBatch();
      }
      assertEquals(List.of(1, 1, 1), box(insert.executeBatch()));
      assertEquals(0, insert.executeBatch().length);
    }
    assertEquals(List.of("100|p100", "101|p101", "102|p102"), rows("select * from t where i > 99"));
    update("create view v as select i from t");
    List<String> tables = new ArrayList<>();
    try (ResultSet found = connection.getMetaData().getTables(null, "temp", "%", null)) {
      while (found.next()) {
        tables.add(found.getString("TABLE_NAME") + " " + found.getString("TABLE_TYPE"));
      }
    }
    assertEquals(List.of("t TABLE", "v VIEW"), tables);
    try (PreparedStatement later = connection.prepareStatement("create table u as select 1 as x")) {
      assertError(ErrorCode.UNKNOWN_TABLE, () -> rows("select * from u"));
      assertEquals(1, later.executeUpdate());
      assertEquals(List.of("1"), rows("select * from u"));
    }
  }

  private static List<Integer> box(int[] counts) {
    List<Integer> list = new ArrayList<>();
    for (int count : counts) {
      list.add(count);
    }
    return list;
  }

  @Test
  void deletedRowsAreGone() throws Exception {
    update("create table t (i int, s varchar)");
    update("insert into t values (1, 'a'), (2, 'b'), (3, null), (4, 'd'), (null, 'e')");
    assertEquals(0, update("delete from t where i > 4 and s = 'x'"));
    assertEquals(1, update("DELETE FROM temp.t WHERE s = 'a'"));
    assertEquals(
        2, update("delete from t as x where x.i in (select i from t where i > 3) or x.i is null"));
    assertEquals(List.of("2|b", "3|null"), rows("select * from t order by i"));
    assertEquals(2, update("delete from t -- all of them"));
    assertEquals(List.of(), rows("select * from t"));
    update("insert into t values (1, 'a'), (2, 'b')");
    assertEquals(2, update("truncate table t"));
    assertEquals(0, update("delete from t where i = 1"));
    update("insert into t values (5, 'e')");
    assertEquals(List.of("5|e"), rows("select * from t"));
  }

  @Test
  void updatedRowsHaveTheNewValues() throws Exception {
    update("create table t (i int not null, s varchar(3), d decimal(5, 2), l int array)");
    update(
        "insert into t values (1, 'a', 1.5, array[1]), (2, null, null, null), (3, 'c', 3, array[3,"
            + " 4])");
    assertEquals(1, update("update t set s = 'new' where s is null"));
    assertEquals(
        2,
        update(
            "update t x set i = x.i * 10, d = 7 / x.i, l = array[x.i] where x.i in (select i from t"
                + " where i > 1)"));
    assertEquals(
        List.of("1|a|1.50|[1]", "20|new|3.00|[2]", "30|c|2.00|[3]"),
        rows("select * from t order by i"));
    assertEquals(0, update("update t set i = 1 / 0 where false"));
    assertEquals(2, update("update t set i = i / (i - 1) where i <> 1")); // not for the row of 1
    assertEquals(3, update("update t set i = (select count(*) from t), s = '7'"));
    assertEquals(List.of("3|7"), rows("select distinct i, s from t"));
    error(ErrorCode.NULL_NOT_ALLOWED, "update t set i = null where i = 3", "\"i\"");
    error(ErrorCode.TEXT_TOO_LONG, "update t set s = 'abcd'", "VARCHAR(3)");
    error(ErrorCode.INVALID_CAST, "update t set i = 'x'");
    error(ErrorCode.NUMERIC_OVERFLOW, "update t set d = 1000");
    assertEquals(List.of("3|7"), rows("select distinct i, s from t"));
  }

  @Test
  void parametersOfUpdatesAreInTheirOrder() throws Exception {
    update("create table t (a int, b varchar)");
    update("insert into t values (1, 'x'), (2, 'y'), (3, 'z')");
    try (PreparedStatement statement =
        connection.prepareStatement("update t set b = ?, a = a + ? where a > ?")) {
      assertEquals(3, statement.getParameterMetaData().getParameterCount());
      statement.setString(1, "p");
      statement.setInt(2, 100);
      statement.setInt(3, 1);
      assertEquals(2, statement.executeUpdate());
    }
    try (PreparedStatement statement = connection.prepareStatement("delete from t where a = ?")) {
      for (int value : new int[] {102, 103, 104}) {
        statement.setInt(1, value);
        assertEquals(value == 104 ? 0 : 1, statement.executeUpdate());
      }
    }
    assertEquals(List.of("1|x"), rows("select * from t"));
  }

  @Test
  void updatesLeaveOtherRowsAsTheyWere() throws Exception {
    update(
        "create table t (id int, s row(x int, y varchar), l timestamp(6) array, aragonite_0 int)");
    update(
        "insert into t select 1, row(1, 'a'), array[timestamp '2024-01-01 00:00:00.123'], 5 union"
            + " all select 2, row(2, 'b'), array[timestamp '2024-01-01 00:00:00.654'], 6");
    assertEquals(1, update("update t set s = row(9, 'q'), l = null, aragonite_0 = 7 where id = 1"));
    assertEquals(
        List.of("1|{'x': 9, 'y': q}|null|7", "2|{'x': 2, 'y': b}|[2024-01-01 00:00:00.654]|6"),
        rows("select * from t order by id"));
    assertEquals(
        2, update("update t set id = case when aragonite_0 is distinct from 7 then 3 end"));
    assertEquals(List.of("3|6", "null|7"), rows("select id, aragonite_0 from t order by 2"));
  }

  @Test
  void noStatementReadsWhatWasThereBefore() throws Exception {
    for (int round = 0; round < 30; round++) {
      update("create or replace table t (id int)");
      update("insert into t values (1)");
      String count = "select count(*), sum(id) from t where id > 0";
      Thread inserting =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  update("insert into t values (2)");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      var _ = rows(count);
      inserting.join();
      assertEquals(List.of("2|3"), rows(count), "round " + round);
    }
  }

  @Test
  void updatesAtOnceLoseNothing() throws Exception {
    update("create table t (id int, v int)");
    update("insert into t values (1, 0)");
    AtomicInteger done = new AtomicInteger();
    AtomicInteger inserted = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    List<String> unexpected = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 3; i++) {
      int number = i;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int round = 0; round < 15; round++) {
                  try {
                    if (number == 0) {
                      inserted.addAndGet(update("insert into t values (2, 0)"));
                    } else {
                      done.addAndGet(update("update t set v = v + 1 where id = 1"));
                    }
                  } catch (SQLException e) {
                    if (e.getErrorCode() != ErrorCode.WRITE_CONFLICT.number()) {
                      unexpected.add(e.getMessage());
                    }
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), unexpected);
    assertEquals(
        List.of("1|" + done.get(), inserted.get() + "|0"),
        rows("select count(*), sum(v) from t group by id order by id"));
  }

  @Test
  void badUpdates() throws Exception {
    update("create table t (a int, b varchar)");
    update("create view v as select * from t");
    error(ErrorCode.READ_ONLY, "delete from v", "view");
    error(ErrorCode.READ_ONLY, "update files.t set a = 1", "temp");
    error(ErrorCode.UNKNOWN_TABLE, "delete from tt", "did you mean 't'?");
    error(ErrorCode.UNKNOWN_COLUMN, "update t set c = 1", "\"c\"", "a, b");
    error(ErrorCode.INVALID_STATEMENT, "update t set a = 1, A = 2", "twice");
    error(ErrorCode.UNKNOWN_COLUMN, "delete from t where nosuch = 1", "'nosuch' in any table.");
    error(ErrorCode.INVALID_CALL, "delete from t where a = 1 returning a", "executeQuery");
    error(ErrorCode.SYNTAX, "update t set a =", "expression");
    error(ErrorCode.SYNTAX, "update t set a", "'='");
    error(ErrorCode.SYNTAX, "delete t", "'FROM'");
    error(ErrorCode.SYNTAX, "delete from t where a = = 1");
    error(ErrorCode.SYNTAX, "delete from t where a = 1) or (b = 'x'", "')'");
    error(ErrorCode.SYNTAX, "delete from t where (a = 1", "parenthesis");
    error(ErrorCode.SYNTAX, "delete from t where a = 1 limit 1", "'limit'");
    error(ErrorCode.SYNTAX, "update t set a = 1 limit 1", "'limit'");
    update("insert into t select i, 'x' from generate_series(1, 1001) as s(i)");
    update("create view chosen as select a from t where random() < 0.5");
    update("update t set b = 'y' where a in (select a from chosen)");
    assertEquals(
        List.of("1001|1001|x|y"),
        rows("select count(*), count(distinct a), min(b), max(b) from t"));
    assertError(ErrorCode.INVALID_CALL, () -> rows("delete from t"), "executeUpdate");
  }

  @Test
  void badStatements() throws Exception {
    error(ErrorCode.SYNTAX, "create table t", "'('", "column 15");
    error(ErrorCode.SYNTAX, "create table t (a)", "type");
    error(ErrorCode.SYNTAX, "create table t (a int) x", "'x'");
    error(ErrorCode.SYNTAX, "create table t as", "query");
    error(ErrorCode.SYNTAX, "create table t as selec 1");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int references u)", "REFERENCES");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int, A int)", "two columns");
    error(ErrorCode.COLUMN_TYPE_UNSUPPORTED, "create table t as select multiset[1] as a", "\"a\"");
    error(ErrorCode.READ_ONLY, "insert into files.t values (1)", "temp");
    update("create table d (a int)");
    error(
        ErrorCode.SYNTAX,
        "merge into d using d e on false when not matched then insert values (1) returning a",
        "returning");
    assertError(ErrorCode.INVALID_CALL, () -> rows("create table e (a int)"), "executeUpdate");
    assertError(ErrorCode.UNKNOWN_TABLE, () -> rows("select * from e"));
    error(ErrorCode.READ_ONLY, "create index i on d (a)", "CREATE");
  }

  @Test
  void whatOutgrowsTheDisk() throws Exception {
    try (Connection small =
            TestConnections.open("memory=64MB;threads=2;spillLimit=1MB;spill=" + folder);
        Statement statement = small.createStatement()) {
      statement.executeUpdate("create table t as select * from (values (1), (2)) v(i)");
      assertError(
          ErrorCode.DISK_FAILED,
          () -> {
            for (int i = 0; i < 30; i++) {
              statement.executeUpdate("insert into t select i + 1 from t");
            }
          },
          "spillLimit");
      assertTrue(query(small, "select count(*) from t").getFirst().length() > 4);
      // What was written in vain takes no room any more.
      statement.executeUpdate("drop table t");
      String most = "create table u as select a.i from (values (1), (2)) a(i)";
      assertEquals(2, statement.executeUpdate(most));
      assertError(
          ErrorCode.DISK_FAILED,
          () -> {
            for (int i = 0; i < 30; i++) {
              statement.executeUpdate("insert into u select i + 1 from u");
            }
          },
          "spillLimit");
      assertTrue(query(small, "select count(*) from u").getFirst().length() > 4);
    }
  }
}
