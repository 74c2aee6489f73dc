package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** JSON files as tables, and written by COPY, from JDBC; DuckDB reads the same files. */
class JsonFilesTest extends FolderConnection {
  private List<String> duckdb(String sql) throws SQLException {
    try (Connection other = DriverManager.getConnection("jdbc:duckdb:")) {
      return query(other, sql(sql));
    }
  }

  private void error(ErrorCode code, String sql, String... words) {
    assertError(code, () -> query(connection, sql(sql)), words);
  }

  /** Names and types of the columns of a query. */
  private List<String> types(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql(sql))) {
      List<String> types = new ArrayList<>();
      for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
        types.add(
            result.getMetaData().getColumnName(i)
                + " "
                + result.getMetaData().getColumnTypeName(i));
      }
      return types;
    }
  }

  @Test
  void keysAreColumnsOfTheTypesOfTheirValues() throws Exception {
    file(
        "t.jsonl",
        """
        {"i": 1, "d": 1.5, "ok": true, "s": "a\\"\\u00e4\\ud83d\\ude00\\n", "day": "2024-02-29"}
        {"i": -9223372036854775808, "d": 2, "at": "2024-02-29T12:00:00", "n": null, "o": {"x": [1, "}"]}}

        {"day": null, "i": 3, "mixed": 7, "big": 12345678901234567890, "code": "007", "l": []}
          {"mixed": "seven", "extra": {}, "at": "2024-03-01", "i": 4, "i": 5, "d": 1e2}
        """);
    assertEquals(
        List.of(
            "i BIGINT",
            "d DOUBLE",
            "ok BOOLEAN",
            "s VARCHAR",
            "day DATE",
            "at TIMESTAMP",
            "n VARCHAR",
            "o STRUCT",
            "mixed VARCHAR",
            "big DECIMAL",
            "code VARCHAR",
            "l VARCHAR ARRAY",
            "extra VARCHAR"),
        types("select * from '~/t.jsonl'"));
    assertEquals(
        List.of(
            "1|1.5|true|a\"ä😀\n|2024-02-29|null|null|null|null|null|null|null|null",
            "-9223372036854775808|2.0|null|null|null|2024-02-29 12:00:00|null|{'x': [1,"
                + " }]}|null|null|null|null|null",
            "3|null|null|null|null|null|null|null|7|12345678901234567890|007|[]|null",
            "5|100.0|null|null|null|2024-03-01 00:00:00|null|null|seven|null|null|null|{}"),
        rows("select * from '~/t.jsonl'"));
    assertEquals(List.of("}"), rows("select json_value(o, '$.x[1]') from '~/t.jsonl' where i < 0"));
  }

  @Test
  void objectsMayBeInAnArrayOrOfManyLines() throws Exception {
    String objects =
        "{\"a\": 1,\n \"b\": \"x, ]\"}%s{\"a\": 2}%s\n{\"b\": \"[\", \"c\": [[1], {}]}";
    file("array.json", " [" + objects.formatted(",", " ,") + "\n]\n ");
    file("many.json", "\uFEFF" + objects.formatted("", "\n"));
    List<String> expected = List.of("1|x, ]|null", "2|null|null", "null|[|[[1], {}]");
    assertEquals(expected, rows("select * from '~/array.json'"));
    assertEquals(expected, rows("select * from '~/many.json'"));
    assertEquals(
        expected, rows("select * from read_json('~/many.json', format => 'unstructured')"));
    file("empty.json", "[]");
    assertEquals(
        List.of("0"),
        rows("select count(*) from read_json('~/empty.json', columns => {'a': 'INT'})"));
    error(ErrorCode.FILE_BROKEN, "select * from '~/empty.json'", "no object with keys", "columns");
  }

  @Test
  void optionsSayHowFilesAreRead() throws Exception {
    file("t.log", "{\"a\": 1, \"b\": \"2\", \"c\": 3}\n{\"a\": 4, \"b\": \"5\"}\n{\"z\": 1}\n");
    assertEquals(
        List.of("2|1", "5|4", "null|null"),
        rows("select * from read_json('~/t.log', columns => {'b': 'INT', 'a': 'VARCHAR(5)'})"));
    assertEquals(
        List.of("a BIGINT", "b SMALLINT", "c BIGINT", "z BIGINT", "q DATE"),
        types("select * from read_json('~/t.log', types = {'b': 'SMALLINT', 'q': 'DATE'})"));
    assertEquals(
        List.of("a BIGINT", "b VARCHAR", "c BIGINT"),
        types("select * from read_ndjson('~/t.log', sample_size := 2)"));
    assertEquals(
        List.of("4"),
        rows("select count(*) + 1 from read_json_auto('~/t.log', sample_size => -1)"));
    error(
        ErrorCode.INVALID_ARGUMENT,
        "select * from read_json('~/t.log', sampel_size => 1)",
        "did you mean sample_size");
    error(
        ErrorCode.INVALID_ARGUMENT,
        "select * from read_json('~/t.log', sample_size => 0)",
        "sample_size must be");
    error(
        ErrorCode.INVALID_ARGUMENT,
        "select * from read_json('~/t.log', format => 'xml')",
        "newline_delimited");
    error(
        ErrorCode.INVALID_ARGUMENT,
        "select * from read_json('~/t.log', columns => {'a': 'X'})",
        "\"a\"",
        "DECIMAL");
    error(
        ErrorCode.FILE_BROKEN,
        "select * from read_json('~/t.log', format => 'array')",
        "line 1, column 1",
        "array");
  }

  @Test
  void valuesThatDoNotFitNameTheirPlace() throws Exception {
    file("t.jsonl", "{\"a\": 1}\n{\"a\": 2}\n\n {\"b\": 0, \"a\": \"x\"}\n");
    String sampled = "read_json('~/t.jsonl', sample_size => 2";
    error(
        ErrorCode.JSON_VALUE,
        "select a from " + sampled + ")",
        "t.jsonl, line 4, column 16",
        "\"a\"",
        "BIGINT",
        "sample_size => -1");
    assertEquals(
        List.of("1", "2", "null"), rows("select a from " + sampled + ", ignore_errors => true)"));
    error(
        ErrorCode.JSON_VALUE,
        "select a from read_json('~/t.jsonl', types => {'a': 'DATE'})",
        "line 1",
        "declared");
    file("half.jsonl", "{\"a\": \"\\ud83d\"}\n");
    error(ErrorCode.JSON_VALUE, "select a from '~/half.jsonl'", "line 1, column 7", "surrogate");
    file("late.jsonl", "{\"a\": \"x\"}\n".repeat(3) + "{\"a\": \"y\", \"late\": 1}\n");
    for (int query = 0; query < 2; query++) {
      try (Statement statement = connection.createStatement();
          ResultSet result =
              statement.executeQuery(
                  sql("select * from read_json('~/late.jsonl', sample_size => 3)"))) {
        while (result.next()) {
          result.getString(1);
        }
        assertTrue(
            Objects.requireNonNull(statement.getWarnings()).getMessage().contains("\"late\""));
      }
    }
  }

  @Test
  void whatIsNoJsonIsRefusedByItsPlace() throws Exception {
    String good = "{\"a\": 1}\n";
    String[][] broken = {
      {good + "{\"a\": 2\n" + good, "line 2, column 8", "end in its line"},
      {good + "{\"a\": 2} {\"a\": 3}\n", "line 2, column 10", "behind the object"},
      {good + "[1]\n", "line 2, column 1", "an object is wanted"},
      {good + "{\"a\": tru}\n", "line 2", "not JSON"},
      {good + "{\"a\": \"open}\n", "line 2", "not JSON"},
      {good + "{\"a\": 1,}\n", "line 2", "not JSON"},
      {good + "{'a': 1}\n", "line 2", "not JSON"},
      {good + "{\"a\": " + "[".repeat(100_000) + "}\n", "line 2", "nesting depth is beyond 1,000"},
      {good + "{\"a\": " + "1".repeat(5_000) + "e}\n", "line 2", "not JSON"},
      {good + "{\"a\": " + "1".repeat(5_000) + "}\n", "line 2", "more than 1,000 characters"},
      {"[" + good, "array does not end"},
      {"[" + good + "]" + good, "behind the array"},
      {"[" + good + good + "]", "line 2, column 1", "comma"},
      {"[" + good + ",]", "behind the comma"},
      {"[1, 2]", "an object is wanted"},
      {"hello\n", "line 1, column 1", "object or an array"},
      {"\uFFFE", "not JSON"},
      {"", "no object"},
    };
    for (int i = 0; i < broken.length; i++) {
      file("b" + i + ".json", broken[i][0]);
      String[] words = broken[i].clone();
      words[0] = "b" + i + ".json";
      error(ErrorCode.FILE_BROKEN, "select * from '~/b" + i + ".json'", words);
    }
    assertEquals(
        List.of("1", "null", "1"),
        rows("select a from read_json('~/b0.json', ignore_errors => true)"));
    assertEquals(
        List.of("1", "null"), rows("select a from read_json('~/b7.json', ignore_errors => true)"));
  }

  @Test
  void textOfOtherEncodingsIsRefused() throws Exception {
    String text = "{\"a\": 1, \"b\": 2}\n{\"a\": 3, \"b\": 4}\n";
    for (String encoding : new String[] {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"}) {
      Path path = folder.resolve("e/" + encoding + ".json");
      Files.createDirectories(folder.resolve("e"));
      Files.write(path, text.getBytes(encoding));
      error(ErrorCode.FILE_BROKEN, "select * from '" + path + "'", path.toString(), "UTF-8");
      error(
          ErrorCode.FILE_BROKEN,
          "select * from read_json('" + path + "', format => 'newline_delimited')",
          path.toString(),
          "UTF-8");
    }
    // What looks like UTF-16 only behind the sample's first bytes is UTF-8 with control characters.
    byte[] late = (" ".repeat(4) + text).getBytes("UTF-16LE");
    late[1] = late[3] = ' ';
    Files.write(folder.resolve("late.json"), late);
    error(ErrorCode.FILE_BROKEN, "select * from '~/late.json'", "late.json", "line 1, column");
    file("e/ok.csv", "id\n1\n");
    Files.write(folder.resolve("e/x.json"), new byte[] {'{', 0, 0, 0, 'a', 'b', 'c', 'd'});
    try (Connection other = TestConnections.open("directory=" + folder.resolve("e"))) {
      assertEquals(List.of("1"), query(other, "select id from ok"));
      assertError(ErrorCode.FILE_BROKEN, () -> query(other, "select * from x"), "x.json", "UTF-32");
    }
  }

  @Test
  void whatIsBrokenInAnArrayIsAnErrorWithItsPlace() throws Exception {
    file("arr.json", "[{\"a\": 0}, [1 x], {\"a\": 1}]");
    error(
        ErrorCode.FILE_BROKEN,
        "select * from read_json('~/arr.json', ignore_errors => true)",
        "arr.json, line 1, column 15",
        "not JSON");
    file("mixed.json", "[{\"a\": 0}, [1, {\"a\": 7}], 5, {\"a\": 1}]");
    assertEquals(
        List.of("0", "null", "null", "1"),
        rows("select * from read_json('~/mixed.json', ignore_errors => true)"));
  }

  @Test
  void theFirstObjectMayBeLargerThanTheSample() throws Exception {
    file("large.json", "{\n  \"a\": \"" + "x".repeat(5 << 20) + "\",\n  \"b\": 7\n}\n{\"b\": 8}\n");
    assertEquals(
        List.of((5 << 20) + "|7", "null|8"),
        rows("select char_length(a), b from '~/large.json' order by b"));
  }

  @Test
  void numbersBeyondTheirTypesRangeAreRefused() throws Exception {
    file("t.jsonl", "{\"a\": 1.5}\n{\"a\": -1e400}\n{\"a\": Infinity}\n");
    assertEquals(List.of("1.5", "-1e400", "Infinity"), rows("select a from '~/t.jsonl'"));
    error(
        ErrorCode.JSON_VALUE,
        "select a from read_json('~/t.jsonl', sample_size => 1)",
        "line 2, column 7",
        "-1e400",
        "DOUBLE");
    error(
        ErrorCode.JSON_VALUE,
        "select a from read_json('~/t.jsonl', types => {'a': 'REAL'})",
        "line 2");
    assertEquals(
        List.of("1.5", "null", "Infinity"),
        rows("select a from read_json('~/t.jsonl', sample_size => 1, ignore_errors => true)"));
    file("t.csv", "a\n1.5\n1e400\n");
    assertEquals(List.of("1.5", "1e400"), rows("select a from '~/t.csv'"));
    file("t.csv.json", "{\"columns\": [{\"name\": \"a\", \"type\": \"DOUBLE\"}]}");
    error(ErrorCode.CSV_VALUE, "select a from '~/t.csv'", "1e400", "DOUBLE");
  }

  @Test
  void filesOfAGlobAgreeOnTypes() throws Exception {
    file("p/k=1/a.json", "[{\"id\": 1, \"v\": 7, \"e\": null}]");
    file("p/k=2/b.jsonl", "{\"id\": 2.5, \"v\": \"x\", \"ok\": true, \"e\": 3}\n");
    assertEquals(
        List.of("id DOUBLE", "v VARCHAR", "e BIGINT", "ok BOOLEAN", "k BIGINT"),
        types("select * from '~/p/*/*.json*'"));
    assertEquals(
        List.of("1.0|7|null|null|1", "2.5|x|3|true|2"), rows("select * from '~/p/**' order by k"));
    file("q/a.csv", "id,v\n9,z\n");
    file("q/a.csv.json", "{\"columns\": [{\"name\": \"id\", \"type\": \"INTEGER\"}]}");
    file("q/b.json", "{\"id\": 1, \"v\": 2}");
    assertEquals(List.of("9|z", "1|2"), rows("select id, v from '~/q'"));
    file("q/c.csv", "id,v,w\n7,8,9\n");
    file("q/d.json", "{\"w\": \"text\"}");
    assertEquals(
        List.of("9|z|null", "1|2|null", "7|8|9", "null|null|text"),
        rows("select id, v, w from '~/q'"));
  }

  @Test
  void filesOfADirectoryAreTables() throws Exception {
    file("d/orders.jsonl", "{\"id\": 1, \"pet\": 2}\n");
    file("d/pets.json", "[{\"id\": 2, \"name\": \"Tom\"}]");
    file("d/pets2.csv", "id\n1\n");
    file("d/pets2.csv.json", "{}");
    file("d/wrong.json", "{");
    file("d/PETS2.json", "{\"about\": \"pets2.csv\"}");
    try (Connection other = TestConnections.open("directory=" + folder.resolve("d"))) {
      assertEquals(
          List.of("1|Tom|1"),
          query(
              other,
              "select o.id, name, c.id from orders o, pets p, pets2 c where o.pet = p.id and o.id ="
                  + " c.id"));
      assertError(ErrorCode.FILE_BROKEN, () -> query(other, "select * from wrong"), "wrong.json");
    }
  }

  @Test
  void compressedFilesAreUnpackedWithinBounds() throws Exception {
    byte[] line = "{\"a\": 1, \"b\": \"x\"}\n".getBytes(StandardCharsets.US_ASCII);
    Path path = folder.resolve("t.jsonl.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(path))) {
      for (int i = 0; i < 300_000; i++) {
        out.write(line);
      }
    }
    assertEquals(List.of("300000|300000"), rows("select count(*), sum(a) from '~/t.jsonl.gz'"));
    assertEquals(List.of("300000"), duckdb("select sum(a) from '~/t.jsonl.gz'"));
    try (Connection small = TestConnections.open("memory=256MB;spillLimit=2MB")) {
      assertError(
          ErrorCode.DISK_FAILED, () -> query(small, sql("select sum(a) from '~/t.jsonl.gz'")), "");
    }
    Files.write(path, new byte[] {1, 2, 3});
    error(ErrorCode.FILE_BROKEN, "select * from '~/t.jsonl.gz'", "t.jsonl.gz");
  }

  /** Places of values are not kept where they would fill the heap. */
  @Test
  void manyColumnsOfSmallObjectsAreRead() throws Exception {
    StringBuilder text = new StringBuilder("{\"k0\":0");
    for (int i = 1; i < 3_000; i++) {
      text.append(",\"k").append(i).append("\":").append(i);
    }
    file("wide.jsonl", text.append("}\n").append("{}\n".repeat(400_000)).toString());
    assertEquals(
        List.of("400001|1|2999"),
        rows("select count(*), count(k7), max(k2999) from '~/wide.jsonl'"));
    StringBuilder more = new StringBuilder("{");
    for (int i = 0; i < 10_001; i++) {
      more.append(i == 0 ? "" : ",").append("\"k").append(i).append("\":").append(i);
    }
    file("wider.json", more.append("}").toString());
    error(ErrorCode.FILE_BROKEN, "select 1 from '~/wider.json'", "10,000 different keys");
  }

  /** Many parts, columns that are read one by one and together, as DuckDB has them. */
  @Test
  void largeFilesAreReadAsDuckDbReadsThem() throws Exception {
    Random random = new Random(Long.getLong("aragonite.seed", 1));
    for (boolean array : new boolean[] {false, true}) {
      StringBuilder text = new StringBuilder(array ? "[" : "");
      int count = 30_000;
      for (int i = 0; i < count; i++) {
        text.append("{\"id\": ").append(i);
        if (random.nextInt(4) > 0) {
          text.append(", \"v\": ").append(random.nextInt()).append(".5");
        }
        text.append(", \"s\":\"").append("é\\\"}{][,".repeat(random.nextInt(20))).append("\"");
        text.append(", \"o\": {\"k\": [").append(i % 7).append("]}}");
        text.append(array && i < count - 1 ? "," : "").append(array ? "" : "\n");
      }
      file(array ? "l.json" : "l.jsonl", text.append(array ? "]" : "").toString());
      String from = array ? "'~/l.json'" : "'~/l.jsonl'";
      String sums = "select count(*), sum(id), count(v), sum(v), sum(char_length(s)) from ";
      assertEquals(duckdb(sums.replace("char_length", "length") + from), rows(sums + from));
      assertEquals(
          duckdb("select o.k[1] as k, count(*) from " + from + " group by all order by 1"),
          rows(
              "select json_value(o, 'lax $.k[0]'), count(*) from "
                  + from
                  + " group by 1 order by 1"));
    }
  }

  @Test
  void copyWritesWhatIsReadAgain() throws Exception {
    String query =
        """
        select * from (values
          (1, cast(1.50 as decimal(9, 2)), cast(0.1 as double), true, date '2024-02-29',
           timestamp '2024-02-29 12:00:00.5', cast('a"\\ä
        	' as varchar)),
          (2, null, null, false, null, null, ''), (3, null, null, null, null, null, null))
        as v (i, d, f, ok, dt, ts, s)
        """;
    for (String target : new String[] {"c.json", "c.ndjson", "a.jsonl"}) {
      update(
          "copy ("
              + query
              + ") to '~/"
              + target
              + "'"
              + (target.equals("a.jsonl") ? " (array)" : ""));
      assertEquals(
          rows("select i, cast(d as double), f, ok, dt, ts, s from (" + query + ")"),
          rows("select * from '~/" + target + "'"));
      assertEquals(
          List.of("3|1.5|0.1|1|2024-02-29|2024-02-29 12:00:00.5|7"),
          duckdb(
              "select count(*), max(d), max(f), sum(ok::int), max(dt), max(ts::timestamp),"
                  + " max(length(s)) from read_json('~/"
                  + target
                  + "')"));
    }
    assertTrue(Files.readString(folder.resolve("a.jsonl")).startsWith("[\n{\"i\":1,\"d\":1.50,"));
    update("copy (select * from '~/c.json') to '~/parts' (format json, partition_by (ok))");
    assertEquals(List.of("1|true"), rows("select i, ok from '~/parts' where ok = 'true'"));
    update("copy (select 1 as a from (values 1) where false) to '~/none.json' (array)");
    assertEquals("[\n]\n", Files.readString(folder.resolve("none.json")));
    update("copy (select 1 / cast(0 as double) as x, x'ff' as b) to '~/x.json'");
    assertEquals("{\"x\":\"Infinity\",\"b\":\"ff\"}\n", Files.readString(folder.resolve("x.json")));
    assertError(
        ErrorCode.INVALID_ARGUMENT,
        () -> update("copy (select 1 as a) to '~/y.json' (delimiter ';')"),
        "option of the format csv");
    assertFalse(Files.exists(folder.resolve("y.json")));
  }
}
