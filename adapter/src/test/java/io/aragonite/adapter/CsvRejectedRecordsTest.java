package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Records of delimited files that cannot be read: errors, or left out by ignore_errors. */
class CsvRejectedRecordsTest extends FolderConnection {
  @Test
  void recordsThatCannotBeReadAreLeftOut() throws Exception {
    file(
        "t.csv",
        """
        a,b,c
        1,x,2020-01-01
        2,y
        3,z,2020-01-02,4
        foo,w,2020-01-03
        "5"x,v,2020-01-04
        6,"u",

        7,t,2020-13-01
        8,"a ""q\""\",2020-01-05
        """);
    String read = "read_csv('~/t.csv', types = {'a': 'INT', 'c': 'DATE'}%s)";
    String lenient = read.formatted(", ignore_errors = true");
    List<String> expected = List.of("1|x|2020-01-01", "6|u|null", "8|a \"q\"|2020-01-05");
    assertEquals(expected, rows("select * from " + lenient));
    assertEquals(List.of("3|8"), rows("select count(*), max(a) from " + lenient));
    assertEquals(
        List.of("a \"q\""), rows("select b from " + lenient + " where c = date '2020-01-05'"));
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql("select * from " + lenient))) {
      result.next();
      String warning = String.valueOf(statement.getWarnings().getMessage());
      assertTrue(warning.contains("6 records") && warning.contains("line 3"), warning);
    }
    assertError(
        ErrorCode.CSV_FIELD_COUNT,
        () -> rows("select * from " + read.formatted("")),
        "line 3",
        "ignore_errors => true");
  }

  @Test
  void allOrNoneMayBeLeftOut() throws Exception {
    file("none.csv", "a,b\n1,2\n3,4\n");
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                sql("select sum(a) from read_csv('~/none.csv', ignore_errors => true)"))) {
      assertTrue(result.next());
      assertEquals(4, result.getLong(1));
      assertNull(statement.getWarnings());
    }
    file("all.csv", "a,b\n1\n2,3,4\n");
    assertEquals(
        List.of("0|null"),
        rows("select count(*), max(b) from read_csv('~/all.csv', ignore_errors => true)"));
    file("open.csv", "a,b\n1,2\n3,\"4\n");
    assertError(
        ErrorCode.FILE_BROKEN, () -> rows("select * from '~/open.csv'"), "line 3", "quoted field");
    String sum = "select count(*), sum(a) from read_csv('~/open.csv', ignore_errors => true)";
    assertEquals(List.of("1|1"), rows(sum));
    // a stray quote ends with its line, whatever quotes there are further down
    file("open.csv", "a,b\n1,2\n3,\"4,\"x\n5,6\n7,\"8\"\n9,\"1\n0\"\n11,\"x\"\"\n13,y\n15,\"z");
    assertEquals(List.of("5|35"), rows(sum));
    file("d.csv", "a,b\n1,x\n,y\n2,zzz\n");
    file(
        "d.csv.json",
        "{\"ignoreErrors\": true, \"columns\": [{\"name\": \"a\", \"type\": \"BIGINT\","
            + " \"nullable\": false}, {\"name\": \"b\", \"type\": \"VARCHAR(2)\"}]}");
    assertEquals(List.of("1|x"), rows("select * from '~/d.csv'"));
  }

  /** A null's word over numbers is no name, and no number is one. */
  @Test
  void wordsForNullAreNoHeader() throws Exception {
    file("t.tsv", "0\t\tNA\n1\tx\t0.25\n2\txx\tNA\n");
    assertEquals(
        List.of("0|null|null", "1|x|0.25", "2|xx|null"),
        rows("select column1, column2, column3 from '~/t.tsv'"));
    file("h.tsv", "id\tname\tNA\n1\tx\t0.25\n2\txx\tNA\n");
    assertEquals(List.of("1|x|0.25", "2|xx|null"), rows("select id, name, \"NA\" from '~/h.tsv'"));
  }

  /** DuckDB leaves the same records out of several parts of a file, compressed or not. */
  @Test
  void randomRecordsAreThoseOfDuckDb() throws Exception {
    long seed = Long.getLong("aragonite.seed", System.nanoTime());
    System.out.println("CsvRejectedRecordsTest seed " + seed);
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder("i,d,t,day\n");
    int count = 90_001;
    for (int i = 0; i < count; i++) {
      String[] fields = {
        String.valueOf(random.nextInt()),
        random.nextInt(7) == 0 ? "" : random.nextInt(1000) + "." + random.nextInt(100),
        random.nextInt(5) == 0 ? "\"a,\n\"\"b\"\"\"" : "text of some length " + i,
        "2024-0" + (1 + random.nextInt(9)) + "-1" + random.nextInt(10)
      };
      switch (random.nextInt(60)) {
        case 0 -> fields[0] = "x" + i;
        case 1 -> fields[1] = "1.5.5";
        case 2 -> fields[3] = "2024-02-31";
        case 3 -> fields[3] = "2024-02-01,more";
        case 4 -> fields = new String[] {"1", "2"};
        default -> {}
      }
      text.append(String.join(",", fields)).append('\n');
    }
    file("r.csv", text.toString());
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(folder.resolve("z.csv.gz")))) {
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }
    String query =
        "select count(*), sum(i), sum(d), min(t), max(t), min(day), count(distinct day), count(d)"
            + " from read_csv('~/%s', header = true, ignore_errors = true, %s)";
    List<String> theirs;
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:")) {
      theirs =
          query(
              duckdb,
              sql(
                  query.formatted(
                      "r.csv",
                      "auto_detect = false, quote = '\"', escape = '\"', columns = {'i': 'INT',"
                          + " 'd': 'DECIMAL(9, 2)', 't': 'VARCHAR', 'day': 'DATE'}")));
    }
    for (String name : List.of("r.csv", "z.csv.gz")) {
      assertEquals(
          theirs,
          rows(
              query.formatted(
                  name,
                  "types = {'i': 'INT', 'd': 'DECIMAL(9, 2)', 't': 'VARCHAR', 'day': 'DATE'}")),
          name);
    }
  }

  @Test
  void copyLeavesThemOutToo() throws Exception {
    Files.writeString(folder.resolve("t.tsv"), "a\tb\n1\tx\n2\tz\t3\nq\ty\n4\tw\n");
    for (String options : List.of("ignore_errors", "ignore_errors true")) {
      update("create table c (a integer, b varchar)");
      update("copy c from '~/t.tsv' (format csv, header true, delim '\\t', %s)".formatted(options));
      assertEquals(List.of("1|x", "4|w"), rows("select a, b from c"), options);
      update("drop table c");
    }
    update("create table c (a integer, b varchar)");
    assertError(
        ErrorCode.CSV_FIELD_COUNT,
        () -> update("copy c from '~/t.tsv' (format csv, header true, delim '\\t')"),
        "line 3");
    assertError(
        ErrorCode.INVALID_ARGUMENT,
        () -> update("copy c from '~/t.parquet' (ignore_errors true)"),
        "ignore_errors");
    assertEquals(
        List.of("1|x", "4|w"),
        rows(
            "select a, b from read_csv('~/t.tsv', delim => '\\t', ignore_errors => true, types =>"
                + " {'a': 'INTEGER'})"));
  }
}
