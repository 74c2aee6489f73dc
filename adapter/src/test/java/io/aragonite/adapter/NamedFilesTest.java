package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that statements name by their paths, from JDBC. */
class NamedFilesTest {
  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    Path path = folder.resolve(name);
    Files.createDirectories(Objects.requireNonNull(path.getParent()));
    return Files.writeString(path, text);
  }

  private Connection open() throws SQLException {
    return TestConnections.open("memory=256MB;threads=2");
  }

  private List<String> rows(String sql) throws SQLException {
    try (Connection connection = open()) {
      return query(connection, sql.replace("$", folder.toString()));
    }
  }

  private void error(ErrorCode code, String sql, String... words) throws SQLException {
    try (Connection connection = open()) {
      assertError(code, () -> query(connection, sql.replace("$", folder.toString())), words);
    }
  }

  @Test
  void aFileIsATable() throws Exception {
    file("pets.csv", "id,name\n1,Rex\n2,Tom\n");
    file("owners.csv", "pet,owner\n1,Ann\n");
    assertEquals(
        List.of("Rex|Ann"),
        rows("select p.name, o.owner from '$/pets.csv' p, '$/owners.csv' as o where p.id = o.pet"));
    assertEquals(
        List.of("Rex|Ann", "Tom|null"),
        rows(
            "select name, owner from '$/pets.csv' left join '$/owners.csv' on id = pet order by"
                + " id"));
    assertEquals(
        List.of("2"), rows("select count(*) from (select * from '$/pets.csv' where name <> 'x')"));
  }

  @Test
  void aFileThatIsNamedTwiceIsReadTwice() throws Exception {
    file("pets.csv", "id,name\n1,Rex\n2,Tom\n");
    assertEquals(
        List.of("6|9"),
        rows("select count(*), sum(id) from read_csv(['$/pets.csv', '$/pet*.csv', '$/pets.csv'])"));
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("copy (select 7 as x) to '%s/x.parquet'".formatted(folder));
    }
    assertEquals(
        List.of("7", "7"), rows("select x from read_parquet(['$/x.parquet', '$/*.parquet'])"));
    assertEquals(
        List.of("14"), rows("select sum(x) from parquet_scan(['$/x.parquet', '$/x.parquet'])"));
  }

  @Test
  void allColumnsMayBeTexts() throws Exception {
    file("pets.csv", "id,born\n01,2024-01-01\n2,2024-01-02\n");
    assertEquals(
        List.of("01|2024-01-01|x"),
        rows(
            "select id, born, 'x' from read_csv('$/pets.csv', all_varchar = true, auto_detect ="
                + " true) where id = '01'"));
  }

  @Test
  void fromBeginsAQuery() throws Exception {
    file("pets.csv", "id,name\n1,Rex\n2,Tom\n");
    assertEquals(List.of("1|Rex", "2|Tom"), rows("from '$/pets.csv' order by id"));
    assertEquals(List.of("Tom"), rows("from '$/pets.csv' select name where id = 2"));
    assertEquals(
        List.of("4"),
        rows("select count(*) from (from '$/pets.csv' union all from read_csv('$/pets.csv'))"));
    assertEquals(
        List.of("a|1970|bc"),
        rows(
            "select trim(both 'x' from 'xax'), extract(year from date '1970-01-01'),"
                + " substring('abc' from 2)"));
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      statement.execute("create table p as from '" + folder.resolve("pets.csv") + "'");
      statement.execute("insert into p from '" + folder.resolve("pets.csv") + "' limit 1");
      assertEquals(List.of("3"), query(connection, "select count(*) from p"));
    }
  }

  /** Also of values that an earlier query has loaded, and of parts that are read each time. */
  @Test
  void timesThatAreCutAreTold() throws Exception {
    file("cut.csv", "id,at\n1,00:00:00.1234567\n2,00:00:00.123000\n");
    file("whole/a.csv", "id,at\n1,00:00:00.123456\n");
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement writing = duckdb.createStatement()) {
      writing.execute(
          "copy (select i as id, case when i %% 3 = 0 then null else cast('00:00:00.000000001' as time_ns) end as at from range(9) t(i)) to '%s' (format parquet)"
              .formatted(folder.resolve("time.parquet")));
    }
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      for (String file : new String[] {"cut.csv", "time.parquet"}) {
        String sql = "select * from '" + folder.resolve(file) + "' where id > 0";
        for (int run = 0; run < 2; run++) {
          run(statement, sql);
          SQLWarning told = Objects.requireNonNull(statement.getWarnings(), file);
          assertTrue(told.getMessage().contains("\"at\"") && told.getMessage().contains(file));
          assertEquals("01000", told.getSQLState());
          assertNull(told.getNextWarning());
          statement.clearWarnings();
          assertNull(statement.getWarnings());
        }
        run(statement, "select id from '" + folder.resolve(file) + "'");
        assertNull(statement.getWarnings(), "the column is not read");
      }
      run(statement, "select * from '" + folder.resolve("whole/a.csv") + "'");
      assertNull(statement.getWarnings());
    }
  }

  /** In every format, through COPY, and in what is read of a file by its bounds. */
  @Test
  void timesOfFilesAreWhole() throws Exception {
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement writing = duckdb.createStatement()) {
      writing.execute(
          "copy (select i as id, case when i %% 5 <> 0 then time '23:00:00' + to_microseconds(i * 1001) end as at from range(20000) t(i)) to '%s' (format parquet, row_group_size 4000)"
              .formatted(folder.resolve("duck.parquet")));
    }
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      for (String end : List.of("parquet", "arrow", "csv", "json")) {
        statement.execute(
            "copy '$/duck.parquet' to '$/ours.%s'".replace("$", folder.toString()).formatted(end));
      }
    }
    for (String file :
        List.of("duck.parquet", "ours.parquet", "ours.arrow", "ours.csv", "ours.json")) {
      String from = " from '$/" + file + "'";
      assertEquals(
          List.of("16000|23:00:00.001001|23:00:20.018999"),
          rows("select count(distinct at), min(at), max(at)" + from),
          file);
      assertEquals(
          List.of("17|23:00:00.017017|17017"),
          rows(
              "select id, at, extract(microsecond from at)"
                  + from
                  + " where at = time '23:00:00.017017'"),
          file);
    }
    assertEquals(
        List.of("16000"),
        rows("select count(*) from '$/duck.parquet' a join '$/ours.csv' b on a.at = b.at"));
  }

  @Test
  void uuidsAreTextsInCanonicalForm() throws Exception {
    String uuid = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD38%04d";
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement writing = duckdb.createStatement()) {
      writing.execute(
          "copy (select i as id, ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd38' || lpad(i::varchar, 4, '0'))::uuid as u from range(9000) t(i)) to '%s' (format parquet, row_group_size 3000)"
              .formatted(folder.resolve("u.parquet")));
    }
    String from = "'" + folder.resolve("u.parquet") + "'";
    try (Connection connection = open();
        PreparedStatement one =
            connection.prepareStatement("select id, u from " + from + " where u = ?")) {
      UUID wanted = UUID.fromString(uuid.formatted(4711));
      one.setObject(1, wanted);
      try (ResultSet row = one.executeQuery()) {
        assertTrue(row.next());
        assertEquals(4711, row.getInt(1));
        assertEquals(wanted, row.getObject(2, UUID.class));
        assertEquals(wanted.toString(), row.getString(2));
      }
      assertEquals(
          List.of("4711"),
          query(
              connection,
              "select id from " + from + " where u = uuid '" + uuid.formatted(4711) + "'"));
      assertEquals(
          List.of("9000|9000"),
          query(
              connection,
              "select count(*), count(distinct a.u) from "
                  + from
                  + " a join "
                  + from
                  + " b on a.u = b.u"));
    }
    try (Connection connection = open()) {
      String plan =
          String.join(
              "\n",
              query(
                  connection,
                  "explain analyze select id from "
                      + from
                      + " where u = '"
                      + UUID.fromString(uuid.formatted(4711))
                      + "'"));
      assertTrue(plan.contains("parts skipped"), plan);
    }
  }

  /** Files of several units, and filters by their statistics. */
  @Test
  void timestampsOfFilesAreWhole() throws Exception {
    file("t.csv", "id,at\n1,2024-01-01 00:00:00.000001\n2,1969-12-31 23:59:59.999999\n3,\n");
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement writing = duckdb.createStatement()) {
      for (String type : new String[] {"timestamp", "timestamp_ns", "timestamp_ms"}) {
        writing.execute(
            "copy (select i as id, case when i %% 5 <> 0 then (timestamp '1969-12-31 23:59:00' + to_microseconds(i * 1001))::%s end as at from range(100000) t(i)) to '%s' (format parquet, row_group_size 10000)"
                .formatted(type, folder.resolve(type + ".parquet")));
      }
    }
    assertEquals(
        List.of("2|1969-12-31 23:59:59.999999"),
        rows("select * from '$/t.csv' where at < timestamp '1970-01-01 00:00:00'"));
    String near =
        "at > timestamp '1969-12-31 23:59:10.011008' and at < timestamp '1969-12-31 23:59:10.015'";
    assertEquals(
        List.of(
            "10002|1969-12-31 23:59:10.012002",
            "10003|1969-12-31 23:59:10.013003",
            "10004|1969-12-31 23:59:10.014004"),
        rows("select id, at from '$/timestamp.parquet' where " + near + " order by id"));
    assertEquals(
        rows("select id, at from '$/timestamp.parquet' where " + near + " order by id"),
        rows("select id, at from '$/timestamp_ns.parquet' where " + near + " order by id"));
    assertEquals(
        List.of(
            "10002|1969-12-31 23:59:10.012",
            "10003|1969-12-31 23:59:10.013",
            "10004|1969-12-31 23:59:10.014"),
        rows("select id, at from '$/timestamp_ms.parquet' where " + near + " order by id"));
    assertEquals(
        List.of("80000|80000"),
        rows(
            "select count(*), count(distinct a.at) from '$/timestamp.parquet' a join"
                + " '$/timestamp_ns.parquet' b on a.at = b.at"));
    assertEquals(
        List.of("1969-12-31 23:59:00.001|1969-12-31 23:59:00.001001"),
        rows(
            "select min(m.at), min(n.at) from '$/timestamp_ms.parquet' m, '$/timestamp_ns.parquet'"
                + " n where m.id = 1 and n.id = 1"));
    assertEquals(
        List.of("240000|1969-12-31 23:59:00.001"),
        rows("select count(at), min(at) from '$/timestamp*.parquet'"));
  }

  private static void run(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        rows.getObject(1);
      }
    }
  }

  @Test
  void textsElsewhereStayTexts() throws Exception {
    file("t.csv", "id,name\n1,Rex\n");
    assertEquals(
        List.of("b|ex|true|x"),
        rows(
            "select trim('a' from 'aba'), substring(name from 2), name is distinct from 'x', 'x'"
                + " from '$/t.csv' group by name having name <> 'y' order by 1, 'z'"));
  }

  @Test
  void comparisonsInFromNameNoFiles() throws Exception {
    file("t.csv", "id,name\n1,Rex\n2,x\n");
    assertEquals(
        List.of("1|2"),
        rows(
            "select a.id, b.id from '$/t.csv' a join '$/t.csv' b on a.name is distinct from 'x' and"
                + " b.name is not distinct from 'x', (values ('y', 'z')) as v(y, z)"));
  }

  @Test
  void globsReadInOrderOfPaths() throws Exception {
    file("b/2.csv", "id,v\n3,c\n");
    file("a/1.csv", "id,v\n1,a\n2,b\n");
    file("a/_ignored.csv", "other\n1\n");
    file("a/notes.txt", "nothing");
    assertEquals(List.of("1|a", "2|b", "3|c"), rows("select * from '$/*/*.csv'"));
    assertEquals(List.of("1|a", "2|b", "3|c"), rows("select * from '$/**/*.csv'"));
    assertEquals(List.of("1|a", "2|b", "3|c"), rows("select * from '$'"));
    assertEquals(List.of("3|c"), rows("select * from '$/[b-z]/?.csv'"));
    assertEquals(
        List.of("3|c", "1|a", "2|b"),
        rows("select * from read_csv(['$/b/2.csv', '$/a/1.csv'], header = true)"));
  }

  @Test
  void partsMayDiffer() throws Exception {
    file("1.csv", "id,price,code\n1,1.5,7\n");
    file("2.csv", "CODE,id,extra\nx7,3000000000,2020-01-02\n");
    file("3.csv", "id,price\n2,2.25\n");
    assertEquals(
        List.of("1|1.50|7|null", "3000000000|null|x7|2020-01-02", "2|2.25|null|null"),
        rows("select * from '$/*.csv'"));
    file("4.csv", "id,extra\n1,true\n");
    error(ErrorCode.FILE_BROKEN, "select * from '$/*.csv'", "extra", "2.csv", "4.csv");
  }

  /** A file without rows, or without values of a column, says nothing of types. */
  @Test
  void columnsWithoutValuesAreOfTheTypeOfOthers() throws Exception {
    file("1.csv", "id,price,day,name\n");
    file("2.csv", "id,price,day,name\n1,2.5,2020-01-02,a\n");
    file("3.csv", "id,price,day,name\n2,,,\n3,,,b\n");
    assertEquals(
        List.of("1|3.0|2020-01-03|1", "2|null|null|null", "3|null|null|1"),
        rows(
            "select id, price + 0.5, day + interval 1 day, char_length(name) from '$/*.csv' order"
                + " by id"));
    assertEquals(
        List.of("6|2.5"),
        rows("select sum(id), sum(price) from read_csv('$/*.csv', header = true)"));
    file("only/1.csv", "id,v\n");
    file("only/2.csv", "id,v\n");
    assertEquals(List.of("0"), rows("select count(*) from '$/only/*.csv'"));
    // Texts win, in whichever file they are.
    file("4.csv", "id,price,day,name\n4,dear,,\n");
    assertEquals(
        List.of("dear", "2.5"),
        rows("select price from '$/*.csv' where price is not null order by id desc"));
  }

  /** No number becomes another one without a word. */
  @Test
  void partsLoseNoDigits() throws Exception {
    file("a/1.csv", "x\n1.5\n2.25\n");
    file("a/2.csv", "x\n9007199254740992\n\n-9223372036854775808\n");
    assertEquals(
        List.of("1.5", "2.25", "9.007199254740992E15", "null", "-9.223372036854776E18"),
        rows("select x from '$/a/*.csv'"));
    file("a/3.csv", "x\n9007199254740993\n");
    error(
        ErrorCode.NUMERIC_OVERFLOW,
        "select x from '$/a/*.csv'",
        "9007199254740993",
        "BIGINT",
        "DOUBLE");
  }

  @Test
  void foldersAreColumns() throws Exception {
    for (int year = 2020; year < 2024; year++) {
      file("year=" + year + "/kind=a/x.csv", "id\n" + year + "0\n");
      file("year=" + year + "/kind=b%20c/x.csv", "id\n" + year + "1\n");
    }
    assertEquals(
        List.of("20220|2022|a", "20221|2022|b c"),
        rows("select * from '$/**/*.csv' where \"year\" = 2022 order by id"));
    assertEquals(List.of("4"), rows("select count(*) from '$' where \"year\" in (2020, 2021)"));
    assertEquals(List.of("8086"), rows("select sum(\"year\") from '$' where kind = 'a'"));
    String plan =
        String.join(
            "\n",
            rows("explain plan for select id from '$' where \"year\" >= 2023 and kind <> 'a'"));
    assertTrue(plan.contains("files {7} of 8"), plan);
    // Files that the filter leaves out are not read.
    file("year=2020/kind=a/x.csv", "id\nnot a number\n1\n");
    assertEquals(
        List.of("20221"), rows("select id from '$' where \"year\" = 2022 and kind <> 'a'"));
  }

  @Test
  void partitionsOfOneKind() throws Exception {
    file("d=2020-01-01/x.csv", "id\n1\n");
    file("d=__HIVE_DEFAULT_PARTITION__/x.csv", "id\n2\n");
    assertEquals(List.of("1|2020-01-01", "2|null"), rows("select * from '$/*/*.csv' order by id"));
    assertEquals(List.of("2"), rows("select id from '$/*/*.csv' where d is null"));
    assertEquals(List.of("1"), rows("select id from '$/*/*.csv' where d < date '2021-01-01'"));
    assertEquals(
        List.of("1"),
        rows("select count(*) from read_csv('$/d=2020*/*.csv', hive_partitioning = false)"));
    file("x.csv", "id\n3\n");
    error(ErrorCode.FILE_UNREADABLE, "select * from '$'", "hive_partitioning", "x.csv");
  }

  @Test
  void partitionsAreBigintWhere64BitsAreEnough() throws Exception {
    file("big/n=9223372036854775807/x.csv", "id\n1\n");
    file("big/n=-9223372036854775808/x.csv", "id\n2\n");
    assertEquals(
        List.of("2|-9223372036854775807", "1|-9223372036854775808"),
        rows(
            "select id, case when id = 1 then -1 - n else n + 1 end from '$/big/*/*.csv' order by 2"
                + " desc"));
    file("large/n=9223372036854775808/x.csv", "id\n1\n");
    assertEquals(List.of("9223372036854775808!"), rows("select n || '!' from '$/large/*/*.csv'"));
  }

  @Test
  void pathsOfFilesAreAColumn() throws Exception {
    file("k=1/x.csv", "id\n1\n");
    file("k=2/y.csv", "id\nnot a number\n1\n");
    assertEquals(
        List.of("1|1|%s/k=1/x.csv".formatted(folder)),
        rows("select * from read_csv('$/k=1', filename => true)"));
    assertEquals(
        List.of(folder + "/k=1/x.csv|1"),
        rows(
            "select filename, count(*) from read_csv('$/*/*.csv', filename = true, union_by_name ="
                + " true) where filename like '%x.csv' group by filename"));
    assertEquals(
        List.of("1"),
        rows("select * from read_csv('$/k=1/x.csv', filename = false, hive_partitioning = false)"));
    error(
        ErrorCode.INVALID_ARGUMENT,
        "select * from read_csv('$', filename => 'x')",
        "true or false");
    error(
        ErrorCode.INVALID_ARGUMENT,
        "select * from read_csv('$', union_by_name => false)",
        "by their names");
    file("in/z.csv", "id\n7\n");
    try (Connection inside =
        TestConnections.open("fileAccess=directory;directory=" + folder.resolve("in"))) {
      assertEquals(
          List.of("7|z.csv"), query(inside, "select * from read_csv('z.csv', filename => true)"));
    }
  }

  @Test
  void optionsOfDelimitedFiles() throws Exception {
    file("odd.txt", "made by hand\nid|name|n\n1|'a|b'|-\n2|c|7\n");
    assertEquals(
        List.of("1|a|b|null", "2|c|7"),
        rows(
            "select * from read_csv('$/odd.txt', delim => '|', quote => '''', skip => 1,"
                + " nullstr => '-', types => {'n': 'BIGINT'})"));
    assertEquals(
        List.of("made by hand"),
        rows("select * from read_csv('$/odd.txt', delim = ';', header = false) limit 1"));
    error(ErrorCode.INVALID_ARGUMENT, "select * from read_csv('$/odd.txt', delimm = ';')", "delim");
    error(ErrorCode.INVALID_ARGUMENT, "select * from read_csv('$/odd.txt', delim = ';;')");
    error(ErrorCode.INVALID_ARGUMENT, "select * from read_csv('$/odd.txt', types = {'n': 'X'})");
    error(ErrorCode.INVALID_ARGUMENT, "select * from read_csv('$/odd.txt' delim = ';')");
    error(ErrorCode.INVALID_ARGUMENT, "select * from read_parquet('$/x', skip = 1)", "skip");
    error(ErrorCode.FILE_UNSUPPORTED, "select * from '$/odd.txt'", "read_csv");
  }

  @Test
  void filesThatAreNotThere() throws Exception {
    error(ErrorCode.FILE_UNREADABLE, "select * from '$/none.csv'", "none.csv");
    error(ErrorCode.FILE_UNREADABLE, "select * from '$/*.parquet'", "*.parquet");
    file("orders.csv", "id\n1\n");
    error(
        ErrorCode.FILE_UNREADABLE,
        "select * from '$/order.csv'",
        "did you mean '%s'?".formatted(folder.resolve("orders.csv")));
    file("broken.parquet", "nothing of the kind");
    error(ErrorCode.FILE_BROKEN, "select * from '$/broken.parquet'", "PAR1");
  }

  @Test
  void aFileThatChangesIsReadAnew() throws Exception {
    Path path = file("t.csv", "id\n1\n");
    try (Connection connection = open();
        PreparedStatement statement =
            connection.prepareStatement("select sum(id) from '" + folder + "/*.csv'")) {
      assertEquals("1", only(statement));
      file("u.csv", "id\n5\n");
      assertEquals("6", only(statement));
      Files.delete(path);
      assertEquals("5", only(statement));
      Path other = file("other", "id\n7\n");
      Path there = folder.resolve("u.csv");
      Files.setLastModifiedTime(other, Files.getLastModifiedTime(there));
      String directory = "directory=" + folder;
      try (Connection before = TestConnections.open(directory)) {
        assertEquals(List.of("5"), query(before, "select id from u"));
        Files.move(other, there, StandardCopyOption.REPLACE_EXISTING);
        assertEquals("7", only(statement), "of the same size and time");
        try (Connection behind = TestConnections.open(directory)) {
          assertEquals(List.of("7"), query(behind, "select id from u"));
        }
      }
    }
  }

  private static String only(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      assertTrue(rows.next());
      return rows.getString(1);
    }
  }

  @Test
  void connectionsMayBeLimited() throws Exception {
    file("in/t.csv", "id\n1\n");
    file("out.csv", "id\n2\n");
    Files.createSymbolicLink(folder.resolve("in/link.csv"), folder.resolve("out.csv"));
    String in = folder.resolve("in").toString();
    try (Connection connection = TestConnections.open("fileAccess=directory;directory=" + in)) {
      assertEquals(List.of("1"), query(connection, "select * from 't.csv'"));
      assertEquals(List.of("1"), query(connection, "select * from '" + in + "/t.csv'"));
      for (String path : List.of("../out.csv", folder + "/out.csv", "/etc/*", "link.csv")) {
        assertError(
            ErrorCode.FILE_OUTSIDE_DIRECTORY,
            () -> query(connection, "select * from '" + path + "'"));
      }
      SQLException missing =
          assertThrows(SQLException.class, () -> query(connection, "select * from 'nope.csv'"));
      assertTrue(missing.getMessage().contains("'nope.csv'"), missing::getMessage);
      assertFalse(missing.getMessage().contains(folder.toString()), missing::getMessage);
      String here = Path.of("").toAbsolutePath().toString();
      assertFalse(missing.getMessage().contains(here), missing::getMessage);
    }
    try (Connection connection = TestConnections.open("fileAccess=none;directory=" + in)) {
      assertError(
          ErrorCode.FILE_NOT_ALLOWED,
          () -> query(connection, "select * from 't.csv'"),
          "fileAccess");
    }
  }

  /** The first column was read of the old file, the second is of the new one. */
  @Test
  void columnsOfTwoStatesAreNeverMixed() throws Exception {
    Path file = folder.resolve("state.csv");
    String select = "select sum(a)%s from '" + file + "'";
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:")) {
      Files.writeString(file, "a,b\n" + "1,1\n".repeat(1000));
      assertEquals(List.of("1000"), query(connection, select.formatted("")));
      Files.writeString(file, "a,b\n" + "2,2\n".repeat(1000));
      List<String> both;
      try {
        both = query(connection, select.formatted(" + 10000 * sum(b)"));
      } catch (SQLException e) {
        assertEquals(ErrorCode.FILE_BROKEN.number(), e.getErrorCode());
        return;
      }
      assertEquals(List.of("20002000"), both);
    }
  }
}
