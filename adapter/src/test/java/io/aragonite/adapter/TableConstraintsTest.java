package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Constraints and defaults of a connection's tables. */
class TableConstraintsTest extends OwnTablesFixture {
  @Test
  void defaults() throws Exception {
    update(
        "create table t (id int not null, n int default 40 + 2, s varchar(5) default 'a,b' not"
            + " null, d date default current_date, flag boolean default not false, e varchar"
            + " default case when 1 = 1 then 'x' else null end null, l int array default"
            + " array[1, 2], z decimal(5, 2) default -1.5, o int)");
    assertEquals(1, update("insert into t (id) values (1)"));
    assertEquals(2, update("insert into t (id, s) select i, 'q' from (values (2), (3)) v(i)"));
    assertEquals(
        2,
        update("insert into t (o, id, n) values (default, 4, default), (7, 5, null /* none */)"));
    assertEquals(
        List.of(
            "1|42|a,b|true|true|x|[1, 2]|-1.50|null",
            "2|42|q|true|true|x|[1, 2]|-1.50|null",
            "3|42|q|true|true|x|[1, 2]|-1.50|null",
            "4|42|a,b|true|true|x|[1, 2]|-1.50|null",
            "5|null|a,b|true|true|x|[1, 2]|-1.50|7"),
        rows(
            "select id, n, s, d between current_date - 1 and current_date, flag, e, l, z, o from t"
                + " order by id"));
    assertEquals(2, update("update t set n = default, o = default, s = 'z' where id > 3"));
    assertEquals(
        List.of("4|42|z|null", "5|42|z|null"),
        rows("select id, n, s, o from t where id > 3 order by id"));
    error(ErrorCode.NULL_NOT_ALLOWED, "insert into t default values", "\"id\"");
    update("create table u (a int default 1, b varchar default 'x' || 'y')");
    assertEquals(1, update("insert into u default values"));
    assertEquals(1, update("insert into u (b) default values"));
    assertEquals(1, update("insert into u (b) values (default)"));
    assertEquals(List.of("1|xy", "1|xy", "1|xy"), rows("select * from u"));
    try (PreparedStatement insert =
        connection.prepareStatement("insert into u values (?, default)")) {
      assertEquals(1, insert.getParameterMetaData().getParameterCount());
      insert.setInt(1, 9);
      assertEquals(1, insert.executeUpdate());
    }
    assertEquals(List.of("9|xy"), rows("select * from u where a = 9"));
  }

  @Test
  void badDefaults() throws Exception {
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int default (select 1))", "\"a\"");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int default ?)", "\"a\"");
    error(ErrorCode.UNKNOWN_COLUMN, "create table t (a int, b int default a)", "'a'");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int default sum(1))");
    error(ErrorCode.SYNTAX, "create table t (a int default)", "expression");
    error(ErrorCode.SYNTAX, "create table t (a int default 1 default 2)", "one default");
    error(ErrorCode.TEXT_TOO_LONG, "create table t (a varchar(2) default 'abc')", "'abc'", "\"a\"");
    update("create table t (a varchar(2) default 'ab')");
    assertEquals(List.of(), rows("select * from t"));
  }

  @Test
  void checks() throws Exception {
    update(
        "create table t (a int check (a > 0), b int, constraint ordered check (a < b or t.b ="
            + " -1), s varchar check (s in ('x', 'y)')))");
    assertEquals(2, update("insert into t values (1, 2, 'x'), (null, null, null)"));
    SQLException error =
        error(
            ErrorCode.CHECK_VIOLATED,
            "insert into t values (5, 6, 'y)'), (7, 7, 'x')",
            "\"t\"",
            "\"ordered\"",
            "(7, 7, 'x')",
            "a < b");
    assertInstanceOf(SQLIntegrityConstraintViolationException.class, error);
    error(ErrorCode.CHECK_VIOLATED, "insert into t (a) select a - 1 from t", "\"t_check1\"");
    error(ErrorCode.CHECK_VIOLATED, "update t set s = 'z' where a = 1", "\"t_check3\"", "'z'");
    error(ErrorCode.CHECK_VIOLATED, "update t set a = b where a = 1", "(2, 2, 'x')");
    assertEquals(List.of("1|2|x", "null|null|null"), rows("select * from t order by a nulls last"));
    assertEquals(2, update("update t set b = 9, s = 'y)'"));
    assertEquals(List.of("1|9|y)", "null|9|y)"), rows("select * from t order by a nulls last"));
    try (PreparedStatement insert = connection.prepareStatement("insert into t values (?, ?, ?)")) {
      insert.setInt(1, 3);
      insert.setInt(2, 2);
      insert.setString(3, "x");
      assertError(ErrorCode.CHECK_VIOLATED, insert::executeUpdate, "(3, 2, 'x')");
      insert.setInt(2, -1);
      assertEquals(1, insert.executeUpdate());
    }
    update("insert into t select i, i + 1, 'x' from generate_series(1, 100000) s(i)");
    error(
        ErrorCode.CHECK_VIOLATED,
        "insert into t select i, 99000, 'x' from generate_series(1, 100000) s(i)",
        ", 99000, 'x')");
    assertEquals(List.of("100003"), rows("select count(*) from t"));
  }

  @Test
  void badChecks() {
    error(ErrorCode.UNKNOWN_COLUMN, "create table t (a int check (b > 0))", "'b'");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int check (a + 1))");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int check (a > (select 1)))", "queries");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int check (sum(a) > 1))");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int check (a > ?))", "parameters");
    error(ErrorCode.SYNTAX, "create table t (a int check a > 1)", "'('");
    error(ErrorCode.SYNTAX, "create table t (a int check ())", "condition");
    error(
        ErrorCode.INVALID_STATEMENT,
        "create table t (a int constraint c check (a > 1), constraint C unique (a))",
        "two constraints");
  }

  @Test
  void keys() throws Exception {
    update("create table t (id int primary key, a varchar, b date, unique (a, b))");
    assertEquals(
        3,
        update("insert into t values (1, 'x', date '2024-01-01'), (2, 'x', null), (3, 'x', null)"));
    SQLException error =
        error(
            ErrorCode.DUPLICATE_KEY,
            "insert into t values (4, 'y', null), (2, 'z', null)",
            "\"t\"",
            "(id) = (2)",
            "primary key \"t_pk\"");
    assertInstanceOf(SQLIntegrityConstraintViolationException.class, error);
    error(
        ErrorCode.DUPLICATE_KEY,
        "insert into t select id + 10, a, b from t",
        "(a, b) = ('x', 2024-01-01)",
        "UNIQUE constraint \"t_a_b_key\"");
    error(ErrorCode.DUPLICATE_KEY, "insert into t values (7, 'q', null), (7, 'r', null)", "(7)");
    error(ErrorCode.NULL_NOT_ALLOWED, "insert into t (a) values ('n')", "\"id\"");
    assertEquals(List.of("1|x", "2|x", "3|x"), rows("select id, a from t order by id"));
    assertEquals(1, update("insert into t values (4, 'y', null)"));
    assertEquals(4, update("update t set id = id + 1"));
    error(ErrorCode.DUPLICATE_KEY, "update t set id = 3 where id = 2", "(3)");
    error(ErrorCode.DUPLICATE_KEY, "update t set id = 100", "(100)");
    assertEquals(4, update("update t set a = 'w'"));
    assertEquals(1, update("delete from t where id = 4"));
    assertEquals(1, update("insert into t values (4, 'y', null)"));
    error(ErrorCode.DUPLICATE_KEY, "insert into t values (4, 'y', null)", "(4)");
    assertEquals(List.of("2|w", "3|w", "4|y", "5|w"), rows("select id, a from t order by id"));
    update("truncate table t");
    assertEquals(1, update("insert into t values (4, 'y', null)"));
    update("create or replace table t (id int)");
    assertEquals(2, update("insert into t values (4), (4)"));
  }

  @Test
  void keysOfAllTypes() throws Exception {
    for (String type :
        List.of(
            "boolean true false",
            "tinyint 1 2",
            "smallint 1 2",
            "bigint 9000000000 9000000001",
            "real 1.5 2.5",
            "double 0.0 1e300",
            "decimal(5,2) 1.5 1.51",
            "decimal(30,4) 12345678901234567890.1 12345678901234567890.2",
            "date date'2024-01-01' date'2024-01-02'",
            "time time'01:02:03' time'01:02:04'",
            "timestamp(6) timestamp'2024-01-01_00:00:00.000001'"
                + " timestamp'2024-01-01_00:00:00.000002'",
            "timestamptz timestamptz'2024-01-01_00:00:00Z' timestamptz'2024-01-01_00:00:01Z'",
            "varchar 'abcdefgh' 'abcdefghi'",
            "varchar '' '0'",
            "varbinary x'00' x'0000'")) {
      String[] parts = type.split(" ");
      String first = parts[1].replace('_', ' ');
      String second = parts[2].replace('_', ' ');
      update("create or replace table t (k %s unique)".formatted(parts[0]));
      assertEquals(1, update("insert into t select " + first), type);
      error(ErrorCode.DUPLICATE_KEY, "insert into t select " + first, "\"t_k_key\"");
      assertEquals(1, update("insert into t select " + second), type);
      assertEquals(2, update("insert into t values (null), (null)"), type);
      assertEquals(List.of("4|2"), rows("select count(*), count(distinct k) from t"), type);
    }
    update("create or replace table t (k double unique)");
    update("insert into t select 0.0");
    error(ErrorCode.DUPLICATE_KEY, "insert into t select cast(-0.0 as double)");
    error(ErrorCode.DUPLICATE_KEY, "insert into t select -cast(0 as double)");
  }

  @Test
  void badKeys() {
    error(ErrorCode.UNKNOWN_COLUMN, "create table t (a int, primary key (b))", "\"b\"");
    error(
        ErrorCode.INVALID_STATEMENT,
        "create table t (a int primary key, b int primary key)",
        "two");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int, unique (a, A))", "twice");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int array primary key)", "\"a\"");
    error(ErrorCode.SYNTAX, "create table t (a int, primary key)", "'('");
    error(ErrorCode.INVALID_STATEMENT, "create table t (a int references u)", "REFERENCES");
    error(
        ErrorCode.INVALID_STATEMENT,
        "create table t (a int, foreign key (a) references u (b))",
        "FOREIGN KEY");
  }

  @Test
  void rowsThatAreThereAreLeftOut() throws Exception {
    update("create table t (id int primary key, s varchar unique, l int array)");
    assertEquals(2, update("insert into t values (1, 'a', array[1]), (2, null, null)"));
    assertEquals(
        2,
        update(
            "insert or ignore into t values (1, 'z', null), (3, 'a', null), (4, 'd', array[4, 5]),"
                + " (4, 'e', null), (5, 'e', null)"));
    assertEquals(0, update("insert into t select * from t on conflict do nothing"));
    assertEquals(
        1, update("insert into t (id, s) values (5, 'q'), (6, 'f') on conflict do nothing"));
    error(
        ErrorCode.INVALID_STATEMENT,
        "insert into t (id, s) values (7, 'a') on conflict (id) do nothing",
        "(id) is not the only key");
    update("create table one (id int primary key, s varchar)");
    assertEquals(
        1, update("insert into one values (1, 'a'), (1, 'b') on conflict (ID) do nothing"));
    error(
        ErrorCode.INVALID_STATEMENT,
        "insert into one values (1, 'a') on conflict (s) do nothing",
        "(s) is not the only key");
    update("create table d (l int array, b int default 5, c int default 7)");
    assertEquals(1, update("insert into d values ([1, 2], default, default)"));
    assertEquals(List.of("[1, 2]|5|7"), rows("select * from d"));
    update("create table p (l int array, day date, price decimal(9, 2))");
    try (PreparedStatement insert =
        connection.prepareStatement("insert into p values ([1, 2], ?, ?)")) {
      assertEquals("DATE", insert.getParameterMetaData().getParameterTypeName(1));
      assertEquals("DECIMAL", insert.getParameterMetaData().getParameterTypeName(2));
    }
    assertEquals(
        List.of("1|a|[1]", "2|null|null", "4|d|[4, 5]", "5|e|null", "6|f|null"),
        rows("select * from t order by id"));
    error(
        ErrorCode.INVALID_STATEMENT,
        "insert into t (id) values (1) on conflict do update set s = 'x'",
        "several keys");
    error(ErrorCode.NULL_NOT_ALLOWED, "insert or ignore into t values (null, 'u', null)");
    assertEquals(
        99_994,
        update(
            "insert or ignore into t (id) select i from generate_series(1, 100000) s(i) where i <>"
                + " 3"));
    assertEquals(List.of("99999|99999"), rows("select count(*), count(distinct id) from t"));
  }

  @Test
  void manyRows() throws Exception {
    update("create table t (id bigint primary key, s varchar unique)");
    String series = " from generate_series(%d, %d) g(i)";
    assertEquals(
        200_000, update("insert into t select i, 's' || i" + series.formatted(1, 200_000)));
    error(
        ErrorCode.DUPLICATE_KEY,
        "insert into t select i, 't' || i" + series.formatted(200_000, 300_000),
        "(200000)");
    error(
        ErrorCode.DUPLICATE_KEY,
        "insert into t select i, 's' || (i - 100001)" + series.formatted(300_000, 400_000),
        "('s199999')");
    assertEquals(
        100_000, update("insert into t select i, null" + series.formatted(200_001, 300_000)));
    assertEquals(150_000, update("delete from t where id % 2 = 0"));
    assertEquals(150_000, update("insert into t select id + 1, s || 'x' from t"));
    assertEquals(List.of("300000|300000"), rows("select count(*), count(distinct id) from t"));
  }

  @Test
  void columnsComeAndGo() throws Exception {
    update(
        "create table t (gone int, id int, s varchar(3) default 'd', l int array, primary key (id),"
            + " check (s <> 'q'))");
    update("insert into t values (0, 1, 'a', array[1, 2]), (0, 2, null, null)");
    update("alter table t add column n decimal(5, 2) default 1.5 not null");
    update("alter table t add column if not exists N int");
    update("alter table t add m varchar(2)");
    update("alter table t drop column gone");
    update("alter table t drop if exists gone");
    update("alter table t rename column l to items");
    update("alter table t rename id to key_");
    assertEquals(
        List.of("1|a|[1, 2]|1.50|null", "2|null|null|1.50|null"),
        rows("select * from t order by key_"));
    assertEquals(1, update("insert into t (key_, m) values (3, 'mm')"));
    assertEquals(List.of("3|d|null|1.50|mm"), rows("select * from t where key_ = 3"));
    error(ErrorCode.DUPLICATE_KEY, "insert into t (key_) values (2)", "(key_) = (2)");
    error(ErrorCode.TEXT_TOO_LONG, "insert into t (key_, m) values (4, 'mmm')");
    error(ErrorCode.CHECK_VIOLATED, "insert into t (key_, s) values (4, 'q')", "(4, 'q'");
    error(ErrorCode.NULL_NOT_ALLOWED, "alter table t add column x int not null", "\"x\"");
    error(ErrorCode.TEXT_TOO_LONG, "alter table t add column x varchar(2) default 'abc'", "abc");
    error(ErrorCode.INVALID_STATEMENT, "alter table t add column x int unique", "NOT NULL");
    error(ErrorCode.INVALID_STATEMENT, "alter table t add column M int", "\"m\"");
    error(ErrorCode.INVALID_STATEMENT, "alter table t drop column key_", "\"t_pk\"");
    error(ErrorCode.INVALID_STATEMENT, "alter table t drop column s", "CHECK");
    error(ErrorCode.INVALID_STATEMENT, "alter table t rename column s to z", "CHECK");
    error(ErrorCode.INVALID_STATEMENT, "alter table t rename m to n", "\"n\"");
    error(ErrorCode.UNKNOWN_COLUMN, "alter table t drop column gone", "\"gone\"");
    error(ErrorCode.UNKNOWN_COLUMN, "alter table t rename gone to x", "\"gone\"");
    error(ErrorCode.SYNTAX, "alter table t twist column s", "RENAME");
    error(ErrorCode.SYNTAX, "alter table t add column x", "type");
    update("alter table t rename key_ to KEY_");
    assertEquals(List.of("3|3"), rows("select count(*), max(key_) from t"));
    update("create table one (i int)");
    error(ErrorCode.INVALID_STATEMENT, "alter table one drop column i", "DROP TABLE");
  }

  @Test
  void keysTakeOfTheMemory() throws Exception {
    try (Connection small = TestConnections.open("memory=16MB;threads=2;spill=" + folder);
        Statement statement = small.createStatement()) {
      statement.executeUpdate("create table t (id bigint primary key)");
      statement.executeUpdate("insert into t values (-1)");
      assertError(
          ErrorCode.MEMORY_EXCEEDED,
          () ->
              statement.executeUpdate(
                  "insert into t select i from generate_series(1, 2000000) g(i)"));
      assertEquals(List.of("1"), query(small, "select count(*) from t"));
      assertEquals(1, statement.executeUpdate("insert into t values (1)"));
    }
  }

  @Test
  void noKeyIsThereTwiceWhenStatementsRunAtOnce() throws Exception {
    update("create table t (id int primary key)");
    AtomicInteger done = new AtomicInteger();
    List<String> unexpected = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int key = 0; key < 20; key++) {
                  try {
                    done.addAndGet(update("insert into t values (" + key + ")"));
                  } catch (SQLException e) {
                    if (e.getErrorCode() != ErrorCode.DUPLICATE_KEY.number()
                        && e.getErrorCode() != ErrorCode.WRITE_CONFLICT.number()) {
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
    assertEquals(20, done.get());
    assertEquals(List.of("20|20"), rows("select count(*), count(distinct id) from t"));
  }

  @Test
  void metadataTellsOfKeys() throws Exception {
    update("create table t (a int, b int, c varchar constraint named unique, primary key (b, a))");
    update("create table u as select 1 as x");
    var metaData = connection.getMetaData();
    List<String> keys = new ArrayList<>();
    try (ResultSet rows = metaData.getPrimaryKeys(null, "temp", null)) {
      while (rows.next()) {
        keys.add(
            "%s %s %d %s"
                .formatted(
                    rows.getString("TABLE_NAME"),
                    rows.getString("COLUMN_NAME"),
                    rows.getInt("KEY_SEQ"),
                    rows.getString("PK_NAME")));
      }
    }
    assertEquals(List.of("t a 2 t_pk", "t b 1 t_pk"), keys);
    keys.clear();
    try (ResultSet rows = metaData.getIndexInfo(null, null, "T", true, false)) {
      while (rows.next()) {
        keys.add(
            "%s %s %d %s"
                .formatted(
                    rows.getString("INDEX_NAME"),
                    rows.getString("COLUMN_NAME"),
                    rows.getInt("ORDINAL_POSITION"),
                    rows.getBoolean("NON_UNIQUE")));
      }
    }
    assertEquals(List.of("named c 1 false", "t_pk b 1 false", "t_pk a 2 false"), keys);
    try (ResultSet rows = metaData.getColumns(null, "temp", "t", "b")) {
      assertTrue(rows.next());
      assertEquals("NO", rows.getString("IS_NULLABLE"));
    }
  }
}
