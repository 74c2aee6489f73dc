package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** COPY of lists, structs and maps, from JDBC; DuckDB writes what is copied, and reads it. */
class NestedCopyTest {
  /** Everything may be null or empty. */
  private static final String ROWS =
      """
      select i as id,
        case when h %% 7 = 0 then null else list_transform(range(h %% 6), lambda x: case when (x + h) %% 5
          = 0 then null else x * h end) end as l,
        case when h %% 11 = 0 then null else {'a': case when h %% 3 = 0 then null else h end,
          'b': repeat('ab', (h %% 9)::int), 'w': case when h %% 4 = 0 then null else [h %% 10] end,
          'in': case when h %% 5 = 0 then null else {'d': date '2024-01-01' + (h %% 400)::int,
            'ts': timestamp '2024-01-01 00:00:00.123457' + to_days((h %% 100)::int), 'ok': h %% 2 = 0} end}
          end as s,
        case when h %% 13 = 0 then null else map_from_entries(list_transform(range(h %% 4), lambda x: (
          'k' || x, (x * h / 7)::decimal(20, 2)))) end as m,
        list_transform(range(h %% 3), lambda x: case when h %% 17 = 0 then null else {'t':
          case when x = 1 then null else h::decimal(9, 3) end, 'p': list_transform(range(x), lambda y:
          [y, h, null])} end) as deep,
        case when h %% 19 = 0 then null else [h::double / 3, null, h::float::double] end as f,
        [h::tinyint, null] as tiny, {'r': h::float, 'u': h::smallint, 'bin': encode('x' || h)} as n,
        h %% 100 as flat
      from (select i, (hash(i) %% 100)::bigint as h from range(%d) as r(i))
      """;

  @TempDir private Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("memory=256MB;threads=2");
  }

  @AfterEach
  void close() throws Exception {
    connection.close();
    try (Stream<Path> files = Files.walk(folder)) {
      assertEquals(List.of(), files.filter(file -> file.toString().contains(".tmp")).toList());
    }
  }

  private String sql(String text) {
    return text.replace("$", folder.toString());
  }

  private void duckdbWrites(String query, String name, String options) throws SQLException {
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(
          "copy (%s) to '%s' (format parquet%s)".formatted(query, folder.resolve(name), options));
    }
  }

  private List<String> duckdb(String sql) throws SQLException {
    try (Connection other = DriverManager.getConnection("jdbc:duckdb:")) {
      return query(other, sql(sql));
    }
  }

  private long update(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeLargeUpdate(sql(sql));
    }
  }

  private List<String> rows(String sql) throws SQLException {
    return query(connection, sql(sql)).stream()
        // Structs in maps have no texts.
        .map(row -> row.replaceAll("\\[Ljava.lang.Object;@\\w+", "struct"))
        .toList();
  }

  /** DuckDB finds the same rows, in the same order and of the same types, in both. */
  private void assertSame(String wanted, String found) throws SQLException {
    assertEquals(
        duckdb("select column_name, column_type from (describe select * from " + wanted + ")"),
        duckdb("select column_name, column_type from (describe select * from " + found + ")"));
    String differ =
        """
        select wanted_.n_, wanted_::varchar, found_::varchar
        from (select row_number() over () as n_, * from %s) as wanted_
          full join (select row_number() over () as n_, * from %s) as found_ on wanted_.n_ = found_.n_
        where wanted_ is distinct from found_ order by 1 limit 3
        """;
    assertEquals(List.of(), duckdb(differ.formatted(wanted, found)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "snappy", "zstd", "lz4_raw", "gzip"})
  void parquetKeepsValuesAndTypes(String compression) throws Exception {
    duckdbWrites(ROWS.formatted(3_001), "a.parquet", "");
    assertEquals(
        3_001,
        update(
            "copy (select * from '$/a.parquet' order by id) to '$/b.parquet' (compression "
                + compression
                + ")"));
    assertSame("'$/a.parquet'", "'$/b.parquet'");
    assertEquals(
        rows("select * from '$/a.parquet' order by id"),
        rows("select * from '$/b.parquet' order by id"));
  }

  /** Several row groups, of many pages, and one page that a row fills alone. */
  @Test
  void rowsAreNotCut() throws Exception {
    duckdbWrites(ROWS.formatted(140_000), "a.parquet", "");
    assertEquals(
        140_000,
        update("copy (select id, l, deep, m from '$/a.parquet' order by id) to '$/b.parquet'"));
    assertSame("(select id, l, deep, m from '$/a.parquet')", "'$/b.parquet'");
    assertEquals(
        rows("select count(*), sum(e) from '$/a.parquet' t, unnest(t.l) as u(e) where id > 130000"),
        rows(
            "select count(*), sum(e) from '$/b.parquet' t, unnest(t.l) as u(e) where id > 130000"));
    duckdbWrites(
        "select i, case when i = 5 then range(700001) when i % 2 = 0 then range(i) end as l, case"
            + " when i = 6 then list_transform(range(300000), lambda x: null::varchar) end as n"
            + " from range(11) r(i)",
        "long.parquet", "");
    update("copy (select * from '$/long.parquet' order by i) to '$/c.parquet'");
    assertSame("'$/long.parquet'", "'$/c.parquet'");
    assertEquals(
        rows("select i, cardinality(l), cardinality(n) from '$/long.parquet'"),
        rows("select i, cardinality(l), cardinality(n) from '$/c.parquet'"));
  }

  @Test
  void partsOfStructsAndFoldersAreWritten() throws Exception {
    duckdbWrites(ROWS.formatted(2_000), "a.parquet", "");
    update(
        "copy (select id, t.s.\"in\", t.s.w, t.deep[1].p as p from '$/a.parquet' t order by id) to"
            + " '$/b.parquet'");
    assertSame(
        "(select id, s.in as \"in\", s.w as w, deep[1].p as p from '$/a.parquet')",
        "'$/b.parquet'");
    update(
        "copy (select id, t.s.\"in\", t.s.w, l, flat % 3 as k from '$/a.parquet' t)"
            + " to '$/parts' (format parquet, partition_by (k))");
    assertSame(
        "(select id, s.in as \"in\", s.w as w, l, (flat % 3) as k from '$/a.parquet'"
            + " order by id)",
        "(select * from read_parquet('$/parts/*/*.parquet', hive_partitioning = true) order by"
            + " id)");
    assertEquals(List.of("3"), duckdb("select count(*) from glob('$/parts/k=*/data.parquet')"));
    assertError(
        ErrorCode.COLUMN_TYPE_UNSUPPORTED,
        () ->
            update(
                "copy (select id, l from '$/a.parquet') to '$/x' (format parquet, partition_by"
                    + " (l))"),
        "\"l\"",
        "BIGINT ARRAY",
        "partition by");
  }

  /** Those of rows that are not in many pairs go as bytes: objects would have milliseconds. */
  @Test
  void joinsHandThemOn() throws Exception {
    duckdbWrites(ROWS.formatted(5_000), "a.parquet", "");
    duckdbWrites(
        "select i * 3 as k, [timestamp '2024-01-01 00:00:00.000001' + to_seconds(i)] as t, [i] as"
            + " u, i % 2 as odd from range(2000) r(i)",
        "b.parquet", "");
    String on = " join '$/b.parquet' b on a.id = b.k and b.odd + a.flat > 10";
    for (String kind : new String[] {"", " left", " right", " full"}) {
      String query =
          "select a.id, a.l, a.s, b.k, %s from '$/a.parquet' a%s%s order by 1, 4"
              .formatted(kind.isEmpty() ? "b.t" : "b.u", kind, on);
      update("copy (" + query + ") to '$/j.parquet' (overwrite)");
      assertSame(
          "(" + query.replace("order by 1, 4", "order by 1 nulls last, 4 nulls last") + ")",
          "'$/j.parquet'");
    }
    for (String kind : new String[] {"", " not"}) {
      String query =
          "select a.id, a.s from '$/a.parquet' a where%s exists (select 1 from '$/b.parquet' b where b.k = a.id and b.odd = 0) order by id"
              .formatted(kind);
      update("copy (" + query + ") to '$/j.parquet' (overwrite)");
      assertSame("(" + query + ")", "'$/j.parquet'");
    }
    assertEquals(
        duckdb(
            "select count(*), sum(a.s.a) from '$/a.parquet' a join '$/b.parquet' b on a.id = b.k"
                + " and a.s.a > b.odd"),
        rows(
            "select count(*), sum(a.s.a) from '$/a.parquet' a join '$/b.parquet' b on a.id = b.k"
                + " and a.s.a > b.odd"));
  }

  @Test
  void expressionsMakeThem() throws Exception {
    assertEquals(
        3,
        update(
            """
            copy (select g, array_agg(x order by x) as l, [g, null] as two, {'a': g, 'b': 'x'} as s,
                map['k', 'l'] as keys, map['k', g] as m, [{'c': g}] as ls, array[array[1.5], null] as dd
              from (values (1, 10), (2, 20), (1, 11), (3, cast(null as int))) as v (g, x)
              group by g order by g) to '$/e.parquet'
            """));
    assertEquals(
        List.of(
            "1|[10, 11]|[1, NULL]|{'a': 1, 'b': x}|{k=l}|{k=1}|[{'c': 1}]|[[1.5], NULL]",
            "2|[20]|[2, NULL]|{'a': 2, 'b': x}|{k=l}|{k=2}|[{'c': 2}]|[[1.5], NULL]",
            "3|[NULL]|[3, NULL]|{'a': 3, 'b': x}|{k=l}|{k=3}|[{'c': 3}]|[[1.5], NULL]"),
        duckdb(
            "select g, l::varchar, two::varchar, s::varchar, keys::varchar, m::varchar,"
                + " ls::varchar, dd::varchar from '$/e.parquet'"));
    for (String one :
        new String[] {
          "{'a': 1, 'b': null}",
          "[1, 2]",
          "map['k', 1.5]",
          "[[1, 2]]",
          "[{'a': [1]}]",
          "{'a': {'b': 1}}"
        }) {
      update("copy (select " + one + " as c) to '$/one.parquet' (overwrite)");
      assertEquals(rows("select " + one + " as c"), rows("select c from '$/one.parquet'"), one);
    }
  }

  @Test
  void noRowsAndOnlyNulls() throws Exception {
    duckdbWrites(ROWS.formatted(10), "a.parquet", "");
    assertEquals(
        0, update("copy (select * from '$/a.parquet' where id > 100) to '$/none.parquet'"));
    assertSame("(select * from '$/a.parquet' where id > 100)", "'$/none.parquet'");
    duckdbWrites(
        "select null::int[] as l, null::struct(a int, b varchar[]) as s, null::map(int, int) as m"
            + " from range(77)",
        "n.parquet",
        "");
    update("copy (select * from '$/n.parquet') to '$/nulls.parquet'");
    assertSame("'$/n.parquet'", "'$/nulls.parquet'");
    assertEquals(rows("select * from '$/n.parquet'"), rows("select * from '$/nulls.parquet'"));
  }

  @Test
  void statisticsAreOfValues() throws Exception {
    update(
        "copy (select x, [x, x + 1, null] as l, {'a': x, 'b': case when x = 1 then null else cast(x"
            + " as varchar) end} as s from (values (1), (2), (3)) as v (x)) to '$/s.parquet'");
    assertEquals(
        List.of("x|1|3|0|3", "l, list, element|1|4|3|9", "s, a|1|3|0|3", "s, b|2|3|1|3"),
        duckdb(
            "select path_in_schema, stats_min_value, stats_max_value, stats_null_count, num_values"
                + " from parquet_metadata('$/s.parquet')"));
    assertEquals(
        List.of(
            "schema|null|4|null",
            "x|OPTIONAL|null|null",
            "l|OPTIONAL|1|LIST",
            "list|REPEATED|1|null",
            "element|OPTIONAL|null|null",
            "s|OPTIONAL|2|null",
            "a|OPTIONAL|null|null",
            "b|OPTIONAL|null|UTF8"),
        duckdb(
                "select name, repetition_type, num_children, converted_type from"
                    + " parquet_schema('$/s.parquet')")
            .stream()
            .map(row -> row.replace("schema|null|3", "schema|null|4").replace("|0|", "|null|"))
            .toList());
  }

  @Test
  void arrowHasThem() throws Exception {
    duckdbWrites(ROWS.formatted(3_001), "a.parquet", "");
    update("copy (select * from '$/a.parquet' order by id) to '$/b.arrow'");
    assertEquals(
        rows("select * from '$/a.parquet' order by id"),
        rows("select * from '$/b.arrow' order by id"));
    update("copy (select * from '$/b.arrow' order by id) to '$/c.parquet'");
    assertSame("'$/a.parquet'", "'$/c.parquet'");
    try (BufferAllocator allocator = new RootAllocator();
        FileChannel file = FileChannel.open(folder.resolve("b.arrow"));
        ArrowFileReader reader = new ArrowFileReader(file, allocator)) {
      List<String> fields =
          reader.getVectorSchemaRoot().getSchema().getFields().stream()
              .map(Field::toString)
              .toList();
      assertEquals("l: List<item: Int(64, true)>", fields.get(1));
      assertEquals(
          "m: Map(false)<entries: Struct<key: Utf8 not null, value: Decimal(20, 2, 128)> not null>",
          fields.get(3));
      List<String> lists = new ArrayList<>();
      while (reader.loadNextBatch()) {
        FieldVector vector = reader.getVectorSchemaRoot().getVector(1);
        for (int row = 0; row < vector.getValueCount(); row++) {
          lists.add(String.valueOf(vector.getObject(row)));
        }
      }
      assertEquals(duckdb("select to_json(l)::varchar from '$/a.parquet' order by id"), lists);
    }
  }

  /** Bytes that are changed anywhere are an error with the file's name, or other values. */
  @Test
  void brokenArrowFilesAreRefused() throws Exception {
    duckdbWrites(ROWS.formatted(200), "a.parquet", "");
    update("copy (select * from '$/a.parquet') to '$/good.arrow'");
    byte[] good = Files.readAllBytes(folder.resolve("good.arrow"));
    long seed = Long.getLong("aragonite.seed", System.nanoTime() % 100_000);
    Random random = new Random(seed);
    int refused = 0;
    for (int round = 0; round < 60; round++) {
      byte[] bad = good.clone();
      for (int i = 0; i < 1 + random.nextInt(4); i++) {
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      }
      Files.write(folder.resolve("bad%d.arrow".formatted(round)), bad);
      try {
        var _ = rows("select * from '$/bad%d.arrow'".formatted(round));
      } catch (SQLException e) {
        refused++;
        int kind = e.getErrorCode() / 100;
        assertTrue(kind == 3 || kind == 6 || kind == 2, "seed " + seed + ": " + e.getMessage());
      }
    }
    assertNotEquals(0, refused, "seed " + seed);
  }

  @Test
  void jsonHasThem() throws Exception {
    duckdbWrites(ROWS.formatted(1_001), "a.parquet", "");
    update("copy (select id, l, s, m, deep, f from '$/a.parquet' order by id) to '$/j.json'");
    String types =
        duckdb(
                "select string_agg('\"' || column_name || '\": ''' || replace(column_type, '''',"
                    + " '''''') || '''', ', ') from (describe select id, l, s, m, deep, f from"
                    + " '$/a.parquet')")
            .getFirst();
    assertSame(
        "(select id, l, s, m, deep, f from '$/a.parquet')",
        "(select * from read_json('$/j.json', columns = {" + types + "}))");
    update(
        "copy (select {'q\"': 'a\\b\"', 'n': cast('NaN' as double), 't': time '01:02:03'} as s,"
            + " map[1, 'x'] as m, map[[1], true] as k, ['x'] as e) to '$/k.json' (array)");
    assertEquals(
        "[\n{\"s\":{\"q\\\"\":\"a\\\\b\\\"\",\"n\":\"NaN\",\"t\":\"01:02:03\"},\"m\":{\"1\":\"x\"},"
            + "\"k\":{\"[1]\":true},\"e\":[\"x\"]}\n]\n",
        Files.readString(folder.resolve("k.json")));
  }

  @Test
  void whatCannotBeWrittenIsNamed() throws Exception {
    for (String bad :
        new String[] {
          "select [interval '1' day] as c",
          "select {'a': interval '1' month} as c",
          "select multiset[1] as c"
        }) {
      assertError(
          ErrorCode.COLUMN_TYPE_UNSUPPORTED,
          () -> update("copy (" + bad + ") to '$/x.parquet'"),
          "\"c\"",
          "leave it out");
    }
    assertError(
        ErrorCode.COLUMN_TYPE_UNSUPPORTED,
        () -> update("copy (select [1] as c) to '$/x.csv'"),
        "\"c\"",
        "INTEGER",
        "json");
    for (String format : new String[] {"parquet", "arrow", "json"}) {
      assertError(
          ErrorCode.INVALID_ARGUMENT,
          () -> update("copy (select map[cast(null as int), 1] as c) to '$/x." + format + "'"),
          "key");
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
    assertEquals(1, update("copy (select [1] as c) to '$/x.parquet'"));
  }

  /** Random types and values, of which DuckDB makes a file. */
  @Test
  void randomValuesAreKept() throws Exception {
    long seed = Long.getLong("aragonite.seed", System.nanoTime() % 100_000);
    Random random = new Random(seed);
    for (int round = 0; round < 8; round++) {
      RandomColumns made = new RandomColumns(random, 1 + random.nextInt(5));
      int rows = 1 + random.nextInt(300);
      String name = "r%d".formatted(round);
      made.write(folder.resolve(name + ".parquet"), rows);
      String what = "seed %d, round %d: %s".formatted(seed, round, made.types);
      try {
        update(
            "copy (select * from '$/%s.parquet' order by id) to '$/%s-copy.parquet'"
                .formatted(name, name));
        assertSame("'$/%s.parquet'".formatted(name), "'$/%s-copy.parquet'".formatted(name));
        update("create or replace table t as select * from '$/%s.parquet'".formatted(name));
        update("insert into t select * from '$/%s.parquet'".formatted(name));
        update("copy (select * from t order by id) to '$/%s-table.parquet'".formatted(name));
        update("copy (select * from t order by id) to '$/%s.arrow'".formatted(name));
        update(
            "copy (select * from '$/%s.arrow' order by id) to '$/%s-table.parquet' (overwrite)"
                .formatted(name, name));
        assertSame(
            "(from '$/%s.parquet' union all from '$/%s.parquet' order by id)".formatted(name, name),
            "'$/%s-table.parquet'".formatted(name));
        assertEquals(
            rows("select * from '$/%s.parquet' order by id".formatted(name)),
            rows("select * from '$/%s-copy.parquet' order by id".formatted(name)));
      } catch (SQLException | AssertionError e) {
        throw new AssertionError(what, e);
      }
    }
  }

  /** Columns of random types, in DuckDB's words. */
  private static final class RandomColumns {
    private static final List<String> SCALARS =
        List.of(
            "boolean",
            "tinyint",
            "smallint",
            "integer",
            "bigint",
            "float",
            "double",
            "decimal(7, 2)",
            "decimal(18, 4)",
            "decimal(38, 10)",
            "varchar",
            "date",
            "timestamp",
            "blob");

    private final Random random;
    private final List<String> types = new ArrayList<>();
    private final List<Shape> shapes = new ArrayList<>();

    /** A type: a scalar, or one of others. */
    private record Shape(String type, String kind, List<Shape> parts) {}

    RandomColumns(Random random, int columns) {
      this.random = random;
      for (int i = 0; i < columns; i++) {
        Shape shape = shape(4);
        shapes.add(shape);
        types.add(shape.type);
      }
    }

    private Shape scalar() {
      String type = SCALARS.get(random.nextInt(SCALARS.size()));
      return new Shape(type, "scalar", List.of());
    }

    private Shape shape(int depth) {
      switch (depth == 0 ? 3 : random.nextInt(4)) {
        case 0 -> {
          Shape element = shape(depth - 1);
          return new Shape(element.type + "[]", "list", List.of(element));
        }
        case 1 -> {
          List<Shape> fields =
              IntStream.range(0, 1 + random.nextInt(3)).mapToObj(_ -> shape(depth - 1)).toList();
          List<String> named =
              IntStream.range(0, fields.size())
                  .mapToObj(i -> "f%d %s".formatted(i, fields.get(i).type))
                  .toList();
          return new Shape("struct(%s)".formatted(String.join(", ", named)), "struct", fields);
        }
        case 2 -> {
          Shape value = shape(depth - 1);
          Shape key = new Shape(random.nextBoolean() ? "integer" : "varchar", "key", List.of());
          return new Shape(
              "map(%s, %s)".formatted(key.type, value.type), "map", List.of(key, value));
        }
        default -> {
          return scalar();
        }
      }
    }

    private String value(Shape shape) {
      if (!shape.kind.equals("key") && random.nextInt(5) == 0) {
        return "null";
      }
      int count = random.nextInt(4);
      return switch (shape.kind) {
        case "list" ->
            "[%s]"
                .formatted(
                    String.join(
                        ", ",
                        IntStream.range(0, count)
                            .mapToObj(_ -> value(shape.parts.getFirst()))
                            .toList()));
        case "struct" ->
            "{%s}"
                .formatted(
                    String.join(
                        ", ",
                        IntStream.range(0, shape.parts.size())
                            .mapToObj(i -> "'f%d': %s".formatted(i, value(shape.parts.get(i))))
                            .toList()));
        case "map" ->
            "map {%s}"
                .formatted(
                    String.join(
                        ", ",
                        IntStream.range(0, count)
                            .mapToObj(i -> "'%d': %s".formatted(i, value(shape.parts.get(1))))
                            .toList()));
        default -> scalarValue(shape.type);
      };
    }

    private String scalarValue(String type) {
      int number = random.nextInt(200) - 100;
      return switch (type) {
        case "boolean" -> String.valueOf(number > 0);
        case "varchar" -> "'%s'".formatted("ä x ".repeat(random.nextInt(4)) + number);
        case "blob" -> "'\\xAA%d'::blob".formatted(Math.abs(number));
        case "date" -> "date '1970-01-01' + %d".formatted(number * 300);
        case "timestamp" -> "timestamp '2000-01-01 00:00:00.%06d'".formatted(Math.abs(number) * 37);
        case "float", "double" -> "%d.5".formatted(number);
        case "decimal(38, 10)" -> "%d123456789012345678.5".formatted(number);
        case "decimal(18, 4)", "decimal(7, 2)" -> "%d.25".formatted(number);
        default -> String.valueOf(number);
      };
    }

    private void write(Path path, int rows) throws SQLException {
      try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
          Statement statement = duckdb.createStatement()) {
        List<String> columns =
            IntStream.range(0, types.size())
                .mapToObj(i -> "c%d %s".formatted(i, types.get(i)))
                .toList();
        statement.execute("create table r (id integer, %s)".formatted(String.join(", ", columns)));
        for (int row = 0; row < rows; row++) {
          statement.execute(
              "insert into r values (%d, %s)"
                  .formatted(row, String.join(", ", shapes.stream().map(this::value).toList())));
        }
        statement.execute("copy r to '%s' (format parquet, row_group_size 64)".formatted(path));
      }
    }
  }
}
