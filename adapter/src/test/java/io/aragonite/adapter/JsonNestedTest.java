package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Arrays and objects in JSON files as lists, structs and maps. */
class JsonNestedTest extends FolderConnection {
  private void error(ErrorCode code, String sql, String... words) {
    assertError(code, () -> query(connection, sql(sql)), words);
  }

  @Test
  void objectsAreStructsAndArraysAreLists() throws Exception {
    file(
        "t.jsonl",
        """
        {"o": {"i": 1, "d": "2024-02-29", "l": [1, null, 3]}, "e": [{"k": "a", "v": 1.5}], "n": [[1], []]}
        {"o": {"l": [], "i": null, "t": "ä\\"\\u00e4", "i": 7}, "e": [], "n": null}
        {"o": null, "e": [{"v": 2}, null, {"k": null, "x": true}], "n": [null, [2, 3]]}
        {}
        """);
    assertEquals(
        List.of(
            "1|2024-02-29|null|2", "7|null|ä\"ä|0", "null|null|null|null", "null|null|null|null"),
        rows(
            "select t.o.i, t.o.d, t.o.t, cardinality(t.o.l) - 1 + case when t.o.i = 7 then 1 else 0"
                + " end from '~/t.jsonl' t"));
    assertEquals(
        List.of("a|1.5|null", "null|2.0|null", "null|null|null", "null|null|true"),
        rows("select x.k, x.v, x.x from (select unnest(e) as x from '~/t.jsonl') u"));
    assertEquals(
        List.of("[[1], []]", "null", "[null, [2, 3]]", "null"), rows("select n from '~/t.jsonl'"));
    assertEquals(
        List.of("10"),
        rows(
            "select sum(y) + 4 from (select unnest(x) as y from (select unnest(n) as x from"
                + " '~/t.jsonl') u) v"));
  }

  @Test
  void whatIsNoOneTypeIsATextOrAMap() throws Exception {
    String keys =
        IntStream.range(0, 300)
            .mapToObj(i -> "\"k" + i + "\": " + i)
            .collect(Collectors.joining(", "));
    String deep = "[".repeat(40) + "1" + "]".repeat(40);
    file(
        "t.jsonl",
        "{\"m\": {%s}, \"c\": {\"A\": 1, \"a\": 2.5}, \"x\": [1, {\"b\": [2 , 3]}, \"t\"], \"o\": {}, \"l\": [], \"deep\": %s}%n{\"x\": 7, \"m\": {\"late\": 1}, \"c\": {\"\": 0}}"
            .formatted(keys, deep));
    assertEquals(
        List.of("300|17|null", "1|null|1"),
        rows("select cardinality(m), m['k17'], m['late'] from '~/t.jsonl'"));
    assertEquals(
        List.of("2|2.5", "1|null"), rows("select cardinality(c), c['a'] from '~/t.jsonl'"));
    assertEquals(
        List.of("[1, {\"b\": [2 , 3]}, \"t\"]|{}|[]", "7|null|null"),
        rows("select x, o, l from '~/t.jsonl'"));
    assertEquals(List.of("t", "null"), rows("select json_value(x, '$[2]') from '~/t.jsonl'"));
    assertTrue(rows("select deep from '~/t.jsonl'").getFirst().contains("[[1]]"));
  }

  @Test
  void optionsSayTypes() throws Exception {
    file(
        "t.jsonl", "{\"o\": {\"i\": 1, \"l\": [\"5\"]}, \"m\": {\"b\": 1}}\n{\"o\": {\"j\": 2}}\n");
    assertEquals(
        List.of("{\"i\": 1, \"l\": [\"5\"]}|1", "{\"j\": 2}|null"),
        rows(
            "select o, m['b'] from read_json('~/t.jsonl', types => {'o': 'JSON', 'm': 'MAP(VARCHAR,"
                + " INT)'})"));
    assertEquals(
        List.of("5|null", "null|2"),
        rows(
                "select t.o.l[1], t.o.\"j\" from read_json('~/t.jsonl', columns => {'o': 'STRUCT(l"
                    + " INTEGER[], \"j\" DOUBLE)'}) t")
            .stream()
            .map(row -> row.replace(".0", ""))
            .toList());
    for (String wrong :
        List.of("STRUCT(a)", "STRUCT(a INT, A INT)", "MAP(INT, INT)", "X[]", "STRUCT(a X)")) {
      error(
          ErrorCode.INVALID_ARGUMENT,
          "select * from read_json('~/t.jsonl', types => {'o': '%s'})".formatted(wrong),
          "STRUCT(name T, ...)");
    }
  }

  @Test
  void valuesThatDoNotFitNameTheirPart() throws Exception {
    file(
        "t.jsonl",
        "{\"o\": {\"a\": [{\"b\": 1}]}}\n"
            + "{\"o\": {\"a\": [{\"b\": 2}, {\"b\": \"x\"}]}}\n"
            + "{\"o\": 3}\n"
            + "{\"o\": {\"a\": {}, \"late\": 1}}\n");
    String sampled = "read_json('~/t.jsonl', sample_size => 1";
    error(
        ErrorCode.JSON_VALUE,
        "select o from " + sampled + ")",
        "line 2, column 30",
        "o.a[].b",
        "BIGINT",
        "'o': 'VARCHAR'");
    assertEquals(
        List.of("[1]", "[2, null]", "null", "null"),
        rows(
            "select list_transform(t.o.a, x -> x.b) from "
                + sampled
                + ", ignore_errors => true) t"));
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(sql("select o from " + sampled + ", ignore_errors => true)"))) {
      while (result.next()) {
        result.getObject(1);
      }
      assertTrue(
          Objects.requireNonNull(statement.getWarnings()).getMessage().contains("\"o.late\""));
    }
    file("half.jsonl", "{\"o\": [\"\\ud83d\"]}\n");
    error(
        ErrorCode.JSON_VALUE,
        "select o from '~/half.jsonl'",
        "line 1, column 8",
        "\"o[]\"",
        "surrogate");
    file("broken.jsonl", "{\"o\": [1, }\n");
    error(ErrorCode.FILE_BROKEN, "select o from '~/broken.jsonl'", "line 1");
  }

  @Test
  void filesOfAGlobAgree() throws Exception {
    file("g1.json", "[{\"o\": {\"a\": 1}, \"l\": [], \"x\": {\"b\": 1}, \"u\": {}}]");
    file(
        "g2.json",
        "[{\"o\": {\"b\": \"t\", \"a\": 1.5}, \"l\": [2], \"x\": 5, \"u\": {\"v\": true}}]");
    assertEquals(
        List.of("1.0|null|[]|{\"b\": 1}|null", "1.5|t|[2]|5|true"),
        rows("select t.o.a, t.o.b, l, x, t.u.v from '~/g*.json' t"));
  }

  @Test
  void keysMayComeInAnyOrderAndHaveEscapes() throws Exception {
    file(
        "t.jsonl",
        """
        {"o": {"a": 1, "b\\\\": 2, "b\\\\\\\\": 3, "c": 4, "d": 5, "ä\\"": 6}}
        {"o": {"\\u00e4\\"": 16, "d": 15, "b\\\\\\\\": 13, "c": 14, "b\\\\": 12, "\\u0061": 11}}
        """);
    assertEquals(
        List.of("1|2|3|4|5|6", "11|12|13|14|15|16"),
        rows(
            "select t.o.a, t.o.\"b\\\", t.o.\"b\\\\\", t.o.c, t.o.d, t.o.\"ä\"\"\" from '~/t.jsonl'"
                + " t"));
  }

  @Test
  void functionsOfJsonTakeThem() throws Exception {
    file("t.jsonl", "{\"o\": {\"a\": 1, \"l\": [{\"b\": \"x\"}, 2]}}\n{\"o\": null}\n");
    assertEquals(
        List.of("1|2|2|true", "null|null|null|null"),
        rows(
            "select o ->> 'a', json_value(o, '$.l[1]'), json_array_length(o -> 'l'), o is json"
                + " object from '~/t.jsonl'"));
    assertEquals(
        List.of("a|1", "l|[\"{\\\"b\\\": \\\"x\\\"}\",\"2\"]"),
        rows("select e.key, e.value from '~/t.jsonl' t, json_each(t.o) e"));
  }

  @Test
  void copyWritesWhatIsReadAgain() throws Exception {
    update("create table t (i integer, l integer array, o row(a double, d date))");
    update(
        "insert into t values (1, array[1, null], row(1.5, date '2024-02-29')), (2, null, null)");
    update("copy t to '~/out.jsonl'");
    List<String> expected = List.of("1|[1, null]|1.5|2024-02-29", "2|null|null|null");
    assertEquals(expected, rows("select i, l, t.o.a, t.o.d from '~/out.jsonl' t"));
    update("create table u (i integer, l integer array, o row(a double, d date))");
    update("copy u from '~/out.jsonl'");
    assertEquals(expected, rows("select i, l, u.o.a, u.o.d from u"));
  }

  @Test
  void countsOfRowsReadNoColumn() throws Exception {
    file(
        "t.jsonl",
        "{\"l\": [1], \"s\": {\"a\": 1}}\n{\"l\": [2], \"s\": {\"a\": 2}}\n{\"s\": 7}\n");
    String late = "read_json('~/t.jsonl', sample_size => 1)";
    List<String> counts =
        List.of(
            "select count(*) from " + late,
            "select count(*) from (select l, s from " + late + ") t",
            "select max(c) from (select count(*) as c from " + late + ") t");
    try (Connection strict = TestConnections.open("memory=256MB;threads=2;fallback=off")) {
      for (String count : counts) {
        assertEquals(List.of("3"), query(strict, sql(count)), count);
        assertNothingDecoded(count);
      }
    }
    file("u.jsonl", "{\"s\": {\"a\": 1}, \"i\": 1, \"l\": [1]}\n");
    String union =
        "select count(*) from (select * from '~/u.jsonl' union all select * from '~/u.jsonl') t";
    assertEquals(List.of("2"), rows(union));
    assertNothingDecoded(union);
  }

  private void assertNothingDecoded(String sql) throws SQLException {
    String plan = String.join("\n", rows("explain " + sql));
    assertTrue(plan.contains("COUNT()") && !plan.contains("nested column"), plan);
  }

  @Test
  void structsAreStoredAndCastByNames() throws Exception {
    file("t.json", "{\"id\": 1, \"s\": {\"b\": 1, \"a\": 2}}\n{\"id\": 2, \"s\": null}\n");
    for (String type : List.of("integer", "bigint", "double", "varchar")) {
      update("create or replace table o (id integer, s struct(a %s, b %s))".formatted(type, type));
      update("insert into o select * from '~/t.json'");
      update("insert into o by name select s, id + 2 as id from '~/t.json'");
      update("copy o from '~/t.json'");
      update("insert into o values (9, {'b': 1, 'a': 2})");
      update("insert into o select 9, cast(s as struct(a bigint, b bigint)) from '~/t.json'");
      assertEquals(
          List.of("2|1", "2|1", "2|1", "2|1", "2|1"),
          rows("select o.s.a, o.s.b from o where o.s is not null").stream()
              .map(row -> row.replace(".0", ""))
              .toList(),
          type);
    }
    assertEquals(
        List.of("[{a=2, b=1}]|{k={a=2, b=1}}"),
        rows(
                "select [s]::struct(a integer, b integer)[], map(['k'], [s])::map(varchar, struct(a"
                    + " integer, b integer)) from '~/t.json' where id = 1")
            .stream()
            .map(row -> row.replace("'", "").replace(": ", "=").replace("[2, 1]", "{a=2, b=1}"))
            .toList());
    assertEquals(
        List.of("1|2"),
        rows(
            "select u.s.x, u.s.y from (select cast(row(1, 2) as struct(x integer, y integer)) as s)"
                + " u"));
    assertEquals(
        List.of("2|null"),
        rows(
            "select u.s.a, u.s.c from (select cast(s as struct(a integer, c integer)) as s from"
                + " '~/t.json' where id = 1) u"));
    for (String in : List.of("in", "not in", "= any")) {
      error(
          ErrorCode.INVALID_STATEMENT,
          "select id from o where s %s (select s from '~/t.json')".formatted(in),
          "Rows of several names");
    }
  }

  @Test
  void copyTakesTheKeysThatTheTableHas() throws Exception {
    file(
        "t.json",
        """
        {"s": null, "extra": {"q": 1}, "l": [1, 2.5], "m": {"k": 1}, "t": {"x": 1.25, "y": 2}}
        {"s": {"a": 1, "c": "v", "z": 3}, "l": null, "late": 1}
        """);
    update(
        "create table u (s struct(a integer, c varchar), l double array, m map<varchar, integer>, t"
            + " struct(x decimal(9, 2)), n integer)");
    update("copy u from '~/t.json'");
    assertEquals(
        List.of("null|null|2|1|1.25|null", "1|v|null|null|null|null"),
        rows("select u.s.a, u.s.c, cardinality(l), m['k'], u.t.x, n from u"));
    update("delete from u");
    update("copy u (l, n) from '~/t.json'");
    assertEquals(
        List.of("2|null|null", "null|null|null"),
        rows("select cardinality(l), m['k'], u.s.a from u"));
    assertError(ErrorCode.UNKNOWN_COLUMN, () -> update("copy u (l, w) from '~/t.json'"), "\"w\"");
    update("create table v (w integer)");
    assertError(ErrorCode.UNKNOWN_COLUMN, () -> update("copy v from '~/t.json'"), "extra");
  }

  @Test
  void numbersBeyondDoublesAreTexts() throws Exception {
    file("t.json", "{\"b\": 1e400, \"c\": [-1e999], \"d\": 1e5, \"e\": 1e-999}\n");
    assertEquals(
        List.of("1e400|-1e999|100000.0|0.0"), rows("select b, c[1], d, e from '~/t.json'"));
  }

  /** DuckDB reads the same random objects. */
  @Test
  void randomObjectsAreReadAsDuckDbReadsThem() throws Exception {
    long seed = Long.getLong("aragonite.seed", System.nanoTime());
    System.out.println("JsonNestedTest seed " + seed);
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    int count = 2_003;
    for (int i = 0; i < count; i++) {
      text.append("{\"id\": ").append(i);
      if (random.nextInt(5) > 0) {
        text.append(", \"s\": ").append(struct(random));
      }
      if (random.nextInt(5) > 0) {
        text.append(", \"e\" : ").append(list(random));
      }
      text.append("}\n");
    }
    text.append(
        "{\"id\": -1, \"s\": {\"a\": 1, \"t\": \"x\", \"l\": [1], \"d\": \"2020-01-01\"}, \"e\":"
            + " [{\"k\": \"k\", \"v\": 0.5}]}\n");
    file("r.jsonl", text.toString());
    String query =
        "select t.id, t.s.a, t.s.t, t.s.l[1], %s(t.s.l), t.s.d, %s(t.e), t.e[1].k, t.e[2].v from %s"
            + " t order by 1";
    List<String> ours = rows(query.formatted("cardinality", "cardinality", "'~/r.jsonl'"));
    List<String> theirs = new ArrayList<>();
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:")) {
      theirs.addAll(
          query(
              duckdb,
              sql(query.formatted("len", "len", "read_json('~/r.jsonl', sample_size = -1)"))));
    }
    assertEquals(count + 1, ours.size());
    assertEquals(theirs, ours);
  }

  private static String struct(Random random) {
    List<String> members = new ArrayList<>();
    if (random.nextInt(3) > 0) {
      members.add("\"a\":" + (random.nextInt(4) == 0 ? "null" : String.valueOf(random.nextLong())));
    }
    if (random.nextInt(3) > 0) {
      members.add(
          random.nextInt(members.size() + 1),
          "\"t\" : \""
              + List.of("", "ä", "a\\\\b\\n", "\\u65e5 }", "null").get(random.nextInt(5))
              + "\"");
    }
    if (random.nextInt(3) > 0) {
      members.add(
          random
              .ints(random.nextInt(4), -9, 9)
              .mapToObj(x -> x < -6 ? "null" : String.valueOf(x))
              .collect(Collectors.joining(" , ", "\"l\":[", "]")));
    }
    if (random.nextInt(3) > 0) {
      members.add("\"d\":\"2024-0" + (1 + random.nextInt(9)) + "-1" + random.nextInt(10) + "\"");
    }
    return random.nextInt(9) == 0 ? "null" : "{ " + String.join(",", members) + "}";
  }

  private static String list(Random random) {
    return IntStream.range(0, random.nextInt(4))
        .mapToObj(i ->
            random.nextInt(6) == 0
                ? "null"
                : "{\"v\":"
                    + random.nextInt(100) / 4.0
                    + (random.nextBoolean() ? "" : ",\"k\": \"x" + i + "\"")
                    + "}")
        .collect(Collectors.joining(",", "[", "]"));
  }
}
