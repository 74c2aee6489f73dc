package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedValue;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.vector.Column;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Struct;
import java.sql.Timestamp;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists, structs and maps of Parquet files, from JDBC; DuckDB writes the files. */
class NestedColumnsTest {
  private static final String ROWS =
      """
      select * from (values
        (1, [1, 2, null], {'a': 7, 'b': 'x', 'in': {'d': date '2024-02-29'}},
         map {'k': 1.5, 'l': null}, [{'n': 'p', 'v': [1, 2]}, {'n': null, 'v': []}, null]),
        (2, [], {'a': null, 'b': 'y', 'in': null}, map {}, []),
        (3, null, null, null, null),
        (4, [4], {'a': -1, 'b': null, 'in': {'d': null}}, map {'m': 2.5}, [{'n': 'q', 'v': null}]))
      as t (id, l, s, m, ls)
      """;

  /** Rows of several pages and row groups, in which everything may be null. */
  private static final String RANDOM =
      """
      select i as id,
        case when h %% 7 = 0 then null else list_transform(range(h %% 6), lambda x: case when (x + h) %% 5
          = 0 then null else x * h end) end as l,
        case when h %% 11 = 0 then null else {'a': case when h %% 3 = 0 then null else h end,
          'b': repeat('ab', (h %% 9)::int), 'w': case when h %% 4 = 0 then null else [h %% 10] end}
          end as s,
        case when h %% 13 = 0 then null else map_from_entries(list_transform(range(h %% 4), lambda x: (
          'k' || x, (x * h / 7)::decimal(20, 2)))) end as m,
        list_transform(range(h %% 3), lambda x: case when h %% 17 = 0 then null else {'t':
          timestamp '2024-01-01' + to_days(x::int), 'p': list_transform(range(x), lambda y: [y, h])} end)
          as deep,
        h %% 100 as flat
      from (select i, (hash(i) %% 1000)::bigint as h from range(%d) as r(i))
      """;

  @TempDir private Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("memory=256MB;threads=2");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void write(String query, String name, String options) throws SQLException {
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(
          "copy (%s) to '%s' (format parquet%s)".formatted(query, folder.resolve(name), options));
    }
  }

  private String sql(String text) {
    return text.replace("$", folder.toString());
  }

  private List<String> rows(String sql) throws SQLException {
    return query(connection, sql(sql));
  }

  private List<String> duckdb(String sql) throws SQLException {
    try (Connection other = DriverManager.getConnection("jdbc:duckdb:")) {
      return query(other, sql(sql));
    }
  }

  @Test
  void valuesPassThrough() throws Exception {
    write(ROWS, "t.parquet", "");
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql("select * from '$/t.parquet' order by id"))) {
      assertTrue(rows.next());
      assertArrayEquals(new Integer[] {1, 2, null}, (Object[]) rows.getArray("l").getArray());
      Object[] fields = ((Struct) rows.getObject("s")).getAttributes();
      assertEquals(7, fields[0]);
      assertArrayEquals(
          new Object[] {Date.valueOf("2024-02-29")}, ((Struct) fields[2]).getAttributes());
      Map<?, ?> map = (Map<?, ?>) rows.getObject("m");
      assertEquals("{k=1.5, l=null}", map.toString());
      Object[] structs = (Object[]) rows.getArray("ls").getArray();
      assertEquals("p", ((Struct) structs[0]).getAttributes()[0]);
      assertNull(structs[2]);
      assertTrue(rows.next());
      assertArrayEquals(new Integer[0], (Object[]) rows.getArray("l").getArray());
      assertEquals(Map.of(), rows.getObject("m"));
      assertTrue(rows.next());
      for (String column : new String[] {"l", "s", "m", "ls"}) {
        assertNull(rows.getObject(column));
      }
    }
    assertEquals(
        List.of("id INTEGER", "l INTEGER[]", "m MAP(VARCHAR, DECIMAL(2,1))"),
        rows("describe select id, l, m from '$/t.parquet'").stream()
            .map(row -> row.split("\\|")[0] + " " + row.split("\\|")[1])
            .toList());
  }

  @Test
  void partsAreTakenByFieldIndexAndKey() throws Exception {
    write(ROWS, "t.parquet", "");
    String from = " from '$/t.parquet' t";
    assertEquals(
        List.of(
            "1|1|3|1.5|7|2024-02-29|p|2",
            "2|null|0|null|null|null|null|null",
            "3" + "|null".repeat(7),
            "4|4|1|null|-1|null|q|null"),
        rows(
            "select id, l[1], cardinality(l), m['k'], t.s.a, t.s.\"in\".d, ls[1].n, ls[1].v[2]"
                + from));
    assertEquals(
        List.of("1|8"), rows("select id, t.s.a + 1" + from + " where t.s.b = 'x' and l[2] = 2"));
    assertEquals(
        List.of("x|1", "y|1", "null|2"),
        rows("select t.s.b, count(*)" + from + " group by t.s.b order by 1"));
    assertEquals(
        List.of("4|-1"),
        rows("select a.id, b.s.a from '$/t.parquet' a join '$/t.parquet' b on a.id = b.s.a + 5"));
    assertEquals(List.of("3"), rows("select id" + from + " where l is null and t.s is null"));
    assertEquals(
        List.of("4|-1|[4]", "2|null|[]"),
        rows("select id, t.s.a, l" + from + " order by t.s.a, id desc limit 4").stream()
            .filter(row -> !row.startsWith("1") && !row.startsWith("3"))
            .toList());
    try (Connection other = TestConnections.open("directory=" + folder)) {
      assertEquals(List.of("7"), query(other, "select t.s.a from t where t.id = 1"));
      assertEquals(List.of("7"), query(other, "select s.a from t where id = 1"));
    }
    String plan = String.join("\n", rows("explain plan for select t.s.a, l" + from));
    assertTrue(plan.contains("field a, nested column l"), plan);
  }

  @Test
  void listsAndMapsAreUnnested() throws Exception {
    write(ROWS, "t.parquet", "");
    String from = " from '$/t.parquet' t";
    assertEquals(
        List.of("1|1", "1|2", "1|null", "4|4"),
        rows("select t.id, e" + from + ", unnest(t.l) as u(e)"));
    assertEquals(
        List.of("1|1|1", "1|2|2", "1|null|3", "4|4|1"),
        rows("select t.id, e, o" + from + ", unnest(t.l) with ordinality as u(e, o)"));
    assertEquals(
        List.of("1|1", "1|2", "1|null", "2|null", "3|null", "4|4"),
        rows("select t.id, e" + from + " left join unnest(t.l) as u(e) on true"));
    assertEquals(
        List.of("1|p|[1, 2]", "1|null|[]", "1|null|null", "4|q|null"),
        rows("select t.id, u.*" + from + ", unnest(t.ls) as u"));
    assertEquals(
        List.of("1|k|1.5", "1|l|null", "4|m|2.5"),
        rows("select t.id, k, v" + from + ", unnest(t.m) as u(k, v)"));
    assertEquals(
        List.of("1|1", "1|2"),
        rows("select t.id, w" + from + ", unnest(t.ls) as u(n, v), unnest(u.v) as x(w)"));
    String plan =
        String.join("\n", rows("explain plan for select e" + from + ", unnest(t.l) as u(e)"));
    assertTrue(plan.contains("columns=[l]") || plan.contains("nested column l\n"), plan);
    assertTrue(plan.startsWith("Unnest [") && !plan.contains("Enumerable"), plan);
  }

  @Test
  void rowsOfManyPagesAreThoseOfDuckDb() throws Exception {
    write(RANDOM.formatted(20_000), "r.parquet", ", row_group_size 9000, compression zstd");
    write(RANDOM.formatted(9_000), "v2.parquet", ", parquet_version v2, row_group_size 4000");
    for (String name : new String[] {"r.parquet", "v2.parquet"}) {
      String from = " from '$/" + name + "' t";
      assertEquals(
          duckdb(
              "select count(l), count(s), count(s.a), sum(s.a), sum(length(s.b)), sum(s.w[1])"
                  + from),
          rows(
              "select count(l), count(s), count(t.s.a), sum(t.s.a), sum(char_length(t.s.b)),"
                  + " sum(t.s.w[1])"
                  + from));
      assertEquals(
          duckdb("select count(*), count(e), sum(e) from (select unnest(l) as e" + from + ")"),
          rows("select count(*), count(e), sum(e)" + from + ", unnest(t.l) as u(e)"));
      assertEquals(
          duckdb(
              "select e.key, sum(e.value), count(*) from (select unnest(map_entries(m)) as e"
                  + from
                  + ") group by all order by 1"),
          rows(
              "select k, sum(v), count(*)"
                  + from
                  + ", unnest(t.m) as u(k, v) group by k order by 1"));
      assertEquals(
          duckdb("select id, l, s.a, flat" + from + " where s.a > 990 and flat < 95 order by id"),
          rows(
              "select id, l, t.s.a, flat" + from + " where t.s.a > 990 and flat < 95 order by id"));
      assertEquals(
          duckdb(
                  "select max(d.t), sum(list_sum(flatten(d.p))) from (select unnest(deep) as d"
                      + from
                      + ")")
              .toString()
              .replace(" 00:00:00.0", " 00:00:00"),
          rows("select max(u.t), (select sum(z)"
                  + from
                  + ", unnest(t.deep) as a(t, p), unnest(a.p) as b(q), unnest(b.q) as c(z))"
                  + from
                  + ", unnest(t.deep) as u(t, p)")
              .toString());
    }
  }

  /** Levels of more than seven bits. */
  @Test
  void listsMayBeDeep() throws Exception {
    String list = "[".repeat(64) + "7, null" + "]".repeat(64);
    write("select " + list + " as l union all select null", "deep.parquet", "");
    assertEquals(
        List.of("null", list),
        rows("select l from '$/deep.parquet'").stream().sorted(Comparator.reverseOrder()).toList());
  }

  @Test
  void timesInNestedValuesKeepTheirDigits() throws Exception {
    write(
        "select 1 as id, {'t': timestamp '2024-01-01 00:00:00.123456', 'n': 5} as s, [timestamp"
            + " '2024-01-01 00:00:00.123456', null] as l",
        "times.parquet",
        "");
    String from = " from '$/times.parquet' t";
    assertEquals(
        List.of("1|2024-01-01 00:00:00.123456|5"),
        rows("select count(t.s.t), max(t.s.t), max(t.s.n)" + from));
    assertEquals(
        List.of("1"),
        rows("select id" + from + " where t.s.t = timestamp '2024-01-01 00:00:00.123456'"));
    try (Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery(sql("select t.s.t, id" + from))) {
        assertTrue(rows.next());
        assertNull(statement.getWarnings());
      }
      try (ResultSet rows = statement.executeQuery(sql("select l" + from))) {
        assertTrue(rows.next());
        Object[] times = (Object[]) rows.getArray(1).getArray();
        assertEquals(Timestamp.valueOf("2024-01-01 00:00:00.123456"), times[0]);
        assertNull(times[1]);
        assertNull(statement.getWarnings());
      }
    }
  }

  @Test
  void nestedValuesAreKeysOnTheDevice() throws Exception {
    writeNineRows();
    String from = " from '$/st.parquet' t";
    String other = " from '$/st.parquet' t, '$/st.parquet' u";
    for (String query :
        new String[] {
          "select sl.l[1], count(*)" + from + " group by sl order by sl",
          "select count(*), min(i)" + from + " group by ls order by ls desc",
          "select count(*), min(i)" + from + " group by ms order by 2",
          "select count(*)" + other + " where t.ls = u.ls",
          "select count(*)" + other + " where t.ll >= u.ll and t.i < u.i",
          "select count(*) from (select ls" + from + " except select ls" + from + " where i = 1)",
          "select i" + from + " order by ls desc, i",
          "select i" + from + " order by ms desc",
          "select max(l)[1], min(ls)[1].a, max(sl).l[1], count(distinct ll)" + from,
          "select i, rank() over (order by l desc)" + from + " order by i",
        }) {
      assertEquals(duckdb(query), rows(query), query);
      List<String> plan = rows("explain plan for " + query);
      assertTrue(plan.stream().noneMatch(line -> line.contains("Enumerable")), plan::toString);
    }
    String distinct = "select count(distinct l) over ()" + from;
    assertEquals(duckdb(distinct), rows(distinct));
  }

  @Test
  void structsAreComparedByTheirFields() throws Exception {
    writeNineRows();
    String from = " from '$/st.parquet' t";
    assertEquals(List.of("3"), rows("select count(distinct s)" + from));
    assertEquals(List.of("{'a': 0}"), rows("select min(s)" + from));
    assertEquals(List.of("{'a': 2}"), rows("select max(s)" + from));
    assertEquals(
        List.of("9"),
        rows(
            "select count(*)"
                + from
                + " where exists (select 1 from '$/st.parquet' u where u.s = t.s)"));
    assertEquals(
        List.of("6"),
        rows("select count(*)" + from + " where s in (select s" + from + " where i < 2)"));
    for (String operation : List.of("union", "intersect")) {
      assertEquals(
          List.of("{'a': 0}", "{'a': 1}", "{'a': 2}"),
          rows("select s" + from + " " + operation + " select s" + from + " order by s"));
    }
    assertEquals(
        List.of("1", "1", "1", "2"),
        rows(
            "select row_number() over (partition by s order by i) n"
                + from
                + " order by i limit 4"));
    assertEquals(
        List.of("27"), rows("select count(*)" + from + " join '$/st.parquet' u on t.s < u.s"));
  }

  @Test
  void structsAreKeysByTheirFields() throws Exception {
    writeNineRows();
    String from = " from '$/st.parquet' t";
    assertEquals(
        List.of("{'a': 0}|3|9", "{'a': 1}|3|12", "{'a': 2}|3|15"),
        rows("select s, count(*), sum(i)" + from + " group by s order by s"));
    assertEquals(
        List.of("{'a': 2}", "{'a': 1}", "{'a': 0}"),
        rows("select distinct s" + from + " order by s desc"));
    assertEquals(
        List.of("2", "5", "8", "1"), rows("select i" + from + " order by sl desc, i limit 4"));
    assertEquals(
        List.of("27"), rows("select count(*)" + from + " join '$/st.parquet' u on t.sl = u.sl"));
    assertEquals(
        List.of("54"), rows("select count(*)" + from + " join '$/st.parquet' u on t.s <> u.s"));
    assertEquals(
        List.of("9|null"),
        rows(
            "select count(case s when s then 1 end), max(i) filter (where"
                + " nullif(s, s) is not null)"
                + from));
  }

  private void writeNineRows() throws Exception {
    write(
        "select i, {'a': i % 3} as s, [{'a': i % 3}] as ls, {'l': [i % 3]} as sl, [i % 3] as l,"
            + " [[i % 3]] as ll, map {'k': {'a': i}} as ms from range(9) r(i)",
        "st.parquet", "");
  }

  @Test
  void listsAreEqualIfTheirElementsAre() throws Exception {
    writeNineRows();
    String from = " from '$/st.parquet' t";
    String other = " from '$/st.parquet' t, '$/st.parquet' u";
    assertEquals(
        List.of("18"),
        rows("select count(*) from (select s" + from + " union all select s" + from + ")"));
    assertEquals(
        List.of("[0]|3", "[1]|3", "[2]|3"),
        rows("select l, count(*)" + from + " group by l").stream().sorted().toList());
    assertEquals(List.of("3"), rows("select count(distinct ll)" + from));
    assertEquals(
        List.of("2", "5", "8", "1"), rows("select i" + from + " order by l desc, i limit 4"));
    assertEquals(List.of("6", "3", "0"), rows("select i" + from + " order by ll, i desc limit 3"));
    assertEquals(
        List.of("27|27"), rows("select count(*), count(t.l)" + other + " where t.l = u.l"));
    assertEquals(
        List.of("9"),
        rows(
            "select count(*)"
                + from
                + " where exists (select 1 from '$/st.parquet' u where u.s.a = t.s.a)"));
    // What such a subquery refers to is a column beside the row's.
    assertEquals(
        rows("select t.s.a" + from + " order by 1"),
        rows(
            "select (select max(u.s.a) from '$/st.parquet' u where u.s.a <= t.s.a)"
                + from
                + " order by 1"));
  }

  @Test
  void filesOfOneTableHaveTheSameNestedTypes() throws Exception {
    write("select 1 as id, [1] as l", "p-a.parquet", "");
    write("select 2 as id, ['x'] as l", "p-b.parquet", "");
    write("select 3 as id", "p-c.parquet", "");
    assertEquals(List.of("1|[1]", "3|null"), rows("select * from '$/p-[ac].parquet'"));
    assertError(
        ErrorCode.FILE_BROKEN,
        () -> rows("select * from '$/p-*.parquet'"),
        "\"l\"",
        "p-a.parquet",
        "p-b.parquet");
  }

  /** Bytes that are changed anywhere are an error with its place, or other values. */
  @Test
  void brokenFilesAreRefused() throws Exception {
    write(RANDOM.formatted(300), "b.parquet", ", compression uncompressed");
    byte[] good = Files.readAllBytes(folder.resolve("b.parquet"));
    Random random = new Random(Long.getLong("aragonite.seed", 1));
    Set<ErrorCode> allowed =
        EnumSet.of(ErrorCode.FILE_BROKEN, ErrorCode.FILE_UNSUPPORTED, ErrorCode.MEMORY_EXCEEDED);
    boolean placed = false;
    for (int round = 0; round < 100; round++) {
      byte[] bad = good.clone();
      for (int i = 0; i < 1 + random.nextInt(3); i++) {
        bad[4 + random.nextInt(bad.length - 12)] = (byte) random.nextInt();
      }
      Path path = Files.write(folder.resolve("bad.parquet"), bad);
      try {
        readAll(path);
      } catch (AragoniteException e) {
        assertTrue(allowed.contains(e.code()), () -> e + " in round");
        String message = String.valueOf(e.getMessage());
        placed |=
            message.contains("bad.parquet")
                && message.matches("(?s).*column \"\\w+\".*page \\d+.*");
      }
    }
    assertTrue(placed, "no error has named file, column and page");
  }

  private static void readAll(Path path) {
    MemoryBudget budget = new MemoryBudget("test", 64 << 20);
    try (ParquetFile file = ParquetFile.open(path)) {
      for (int column = 0; column < file.columns().size(); column++) {
        NestedType nested = file.columns().get(column).nested();
        for (var part : file.parts()) {
          if (file.columns().get(column).type() == null) {
            continue;
          }
          try (NativeQueryMemory memory = new NativeQueryMemory(budget, 0);
              Decoded decoded = part.read(column, memory)) {
            if (nested != null) {
              decode(decoded.column(), nested);
            }
          }
        }
      }
    }
  }

  private static void decode(Column column, NestedType type) {
    NestedValue values = new NestedValue(type, "c");
    long offsets = column.offsets().address();
    for (int row = 0; row < column.dataRows(); row++) {
      int from = Mem.getInt(offsets + 4L * row);
      byte[] bytes = new byte[Mem.getInt(offsets + 4L * row + 4) - from];
      Mem.copy(column.values().address() + from, bytes, 0, bytes.length);
      boolean there =
          column.validity() == null
              || Mem.getBit(Objects.requireNonNull(column.validity()).address(), row);
      if (there) {
        values.apply(new Object[] {bytes});
      }
    }
  }
}
