package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Iceberg tables, which Iceberg's library and DuckDB write. */
class IcebergTest {
  private static final Schema SALES =
      new Schema(
          Types.NestedField.required(1, "id", Types.IntegerType.get()),
          Types.NestedField.optional(2, "name", Types.StringType.get()),
          Types.NestedField.optional(3, "price", Types.DecimalType.of(9, 2)),
          Types.NestedField.optional(4, "moment", Types.TimestampType.withoutZone()));
  private static final String IDS = "id: 1, name: 2, price: 3, moment: 4";

  @TempDir private Path folder;
  private DuckDb duck;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    duck = new DuckDb();
    connection = TestConnections.open("memory=256MB;threads=2");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    duck.close();
  }

  private IcebergWriter sales(int format, PartitionSpec spec, String... properties)
      throws IOException {
    return new IcebergWriter(folder.resolve("t"), duck, format, SALES, spec, properties);
  }

  /** Rows of ids from one to another, of days from 2024-01-01 on. */
  private static String rows(int from, int to) {
    return "select i::int as id, 'n' || i as name, (i * 1.5)::decimal(9, 2) as price, "
        + "timestamp '2024-01-01' + i * interval 1 day as moment from range(%d, %d) t(i)"
            .formatted(from, to);
  }

  private String table() {
    return "'" + folder.resolve("t") + "'";
  }

  private DataFile append(IcebergWriter writer, String name, int from, int to)
      throws SQLException, IOException {
    return writer.append(
        writer.parquet(name, rows(from, to), IDS),
        to - from,
        "",
        Map.of("id", List.of(from, to - 1)));
  }

  @Test
  void columnsAreMatchedByTheirNumbers() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 1, 3);
    writer
        .table()
        .updateSchema()
        .renameColumn("name", "label")
        .deleteColumn("moment")
        .updateColumn("id", Types.LongType.get())
        .updateColumn("price", Types.DecimalType.of(20, 2))
        .addColumn("ratio", Types.FloatType.get())
        .commit();
    writer
        .table()
        .updateSchema()
        .addColumn("name", Types.StringType.get())
        .moveFirst("label")
        .commit();
    writer.append(
        writer.parquet(
            "b.parquet",
            "select 12345678901::bigint as id, 'x' as label, 1234567890123456.78::decimal(20,2) as"
                + " p, 'new' as \"name\", 0.5::float as r",
            "id: 1, label: 2, p: 3, name: 6, r: 5"),
        1,
        "",
        Map.of());
    writer.table().updateSchema().updateColumn("ratio", Types.DoubleType.get()).commit();
    assertEquals(
        List.of(
            "n1|1|1.50|null|null",
            "n2|2|3.00|null|null",
            "x|12345678901|1234567890123456.78|0.5|new"),
        query(connection, "select * from " + table() + " order by id"));
    assertEquals(
        List.of("LABEL|VARCHAR", "ID|BIGINT", "PRICE|DECIMAL(20, 2)"),
        query(connection, "describe select * from " + table()).stream()
            .limit(3)
            .map(row -> row.split("\\|"))
            .map(row -> (row[0] + "|" + row[1]).toUpperCase(java.util.Locale.ROOT))
            .toList());
    assertEquals(List.of("2"), query(connection, "select id from " + table() + " where price = 3"));
    assertEquals(
        List.of("1"), query(connection, "select count(*) from " + table() + " where name = 'new'"));
    assertEquals(
        List.of("2"), query(connection, "select count(*) from " + table() + " where name is null"));
  }

  @Test
  void partitionsAndBoundsLeaveFilesOut() throws Exception {
    PartitionSpec spec = PartitionSpec.builderFor(SALES).identity("name").bucket("id", 4).build();
    IcebergWriter writer = sales(2, spec);
    // The column that the table is partitioned by need not be in the files.
    for (String name : List.of("a", "b")) {
      for (int bucket = 0; bucket < 4; bucket++) {
        int id = List.of(6, 7, 0, 4).get(bucket);
        writer.append(
            writer.parquet(
                name + bucket + ".parquet",
                "select %d::int as id, 1.5::decimal(9,2) as price".formatted(id),
                "id: 1, price: 3"),
            1,
            "name=%s/id_bucket=%d".formatted(name, bucket),
            Map.of());
      }
    }
    writer.table().updateSpec().removeField("id_bucket").addField("price").commit();
    writer.append(
        writer.parquet("c.parquet", rows(100, 110).replace("i * 1.5", "7"), IDS),
        10,
        "name=n/price=7.00",
        Map.of());
    assertEquals(
        List.of("a|4", "b|4", "n10|10"),
        query(
            connection,
            "select case when id >= 100 then 'n10' else name end as g, count(*) from "
                + table()
                + " group by 1 order by 1"));
    // What is left out is not opened.
    for (int bucket = 0; bucket < 4; bucket++) {
      Files.delete(folder.resolve("t/data/b" + bucket + ".parquet"));
    }
    assertEquals(
        List.of("4"),
        query(connection, "select count(*) from " + table() + " where name = 'a' and id < 50"));
    String plan =
        String.join(
            "\n",
            query(connection, "explain plan for select * from " + table() + " where price = 8"));
    assertTrue(plan.contains("files {0, 1, 2, 3, 4, 5, 6, 7} of 9"), plan);
    assertEquals(
        List.of("13"),
        query(connection, "select count(*) + 9 from " + table() + " where name like 'a%'"));
    try (Connection other = TestConnections.open("memory=256MB;threads=2")) {
      assertError(
          ErrorCode.FILE_UNREADABLE,
          () -> query(other, "select sum(price) from " + table()),
          "/t/data/b",
          "there is no such file");
    }
  }

  @Test
  void boundsOfManifestsAreThoseOfTheFilter() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    append(writer, "b.parquet", 10, 20);
    append(writer, "c.parquet", 20, 30);
    for (String where :
        List.of(
            "id between 12 and 13",
            "id in (10, 19)",
            "not (id < 11 or id > 12)",
            "12 = id",
            "cast(id as bigint) = 15",
            "id >= 10 and id < 20")) {
      String plan =
          String.join(
              "\n",
              query(connection, "explain plan for select * from " + table() + " where " + where));
      assertTrue(plan.contains("files {1} of 3"), where + "\n" + plan);
    }
    for (String where : List.of("id <> 5", "id + 1 = 5", "name = 'n5'", "id is not null")) {
      String plan =
          String.join(
              "\n",
              query(connection, "explain plan for select * from " + table() + " where " + where));
      assertTrue(!plan.contains("files {"), where + "\n" + plan);
    }
    assertEquals(
        List.of("0"), query(connection, "select count(*) from " + table() + " where id > 1000"));
    try (var statement =
        connection.prepareStatement("select name from " + table() + " where id = ?")) {
      statement.setInt(1, 25);
      assertEquals(List.of("n25"), TestConnections.rows(statement.executeQuery()));
    }
  }

  @Test
  void deletedRowsAreNotRead() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    DataFile a = append(writer, "a.parquet", 0, 10);
    append(writer, "b.parquet", 10, 20);
    writer.deletePositions("d1.parquet", a, 0, 9);
    writer.deletePositions("d2.parquet", a, 5);
    assertEquals(List.of("17|176"), query(connection, "select count(*), sum(id) from " + table()));
    assertEquals(
        List.of("n1", "n4", "n6"),
        query(
            connection,
            "select name from " + table() + " where id in (0, 1, 4, 5, 6) order by id"));
    assertEquals(
        List.of("0"), query(connection, "select count(*) from " + table() + " where name = 'n9'"));
    writer
        .table()
        .newRowDelta()
        .addDeletes(
            FileMetadata.deleteFileBuilder(writer.table().spec())
                .ofEqualityDeletes(1)
                .withPath("file:" + folder.resolve("t/data/e.parquet"))
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(10)
                .withRecordCount(1)
                .build())
        .commit();
    assertError(
        ErrorCode.FILE_UNSUPPORTED,
        () -> query(connection, "select * from " + table()),
        "e.parquet",
        "equality deletes",
        "rewrite_data_files");
  }

  @Test
  void deletedRowsThatAreNotThere() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    DataFile a = append(writer, "a.parquet", 0, 10);
    // One of a snapshot that is gone.
    Files.copy(folder.resolve("t/data/a.parquet"), folder.resolve("t/data/gone.parquet"));
    String location = "file:" + folder.resolve("t/data/gone.parquet");
    DataFile gone = writer.file(location, 10, "", Map.of());
    writer.deletePositions("d1.parquet", gone, 1, 2_000_000_000);
    writer.deletePositions("d2.parquet", a, 9);
    assertEquals(List.of("9"), query(connection, "select count(*) from " + table()));
    writer.deletePositions("d3.parquet", a, 10);
    assertError(
        ErrorCode.FILE_BROKEN,
        () -> query(connection, "select count(*) from " + table()),
        "d3.parquet",
        "row 10 of a file of 10 rows");
  }

  @Test
  void deletionVectorsAreRead() throws Exception {
    IcebergWriter writer = sales(3, PartitionSpec.unpartitioned());
    DataFile a = append(writer, "a.parquet", 0, 3000);
    writer.deleteVector("d.puffin", a, 0, 2, 2999);
    assertEquals(
        List.of("2997|1|2998"),
        query(connection, "select count(*), min(id), max(id) from " + table()));
    assertEquals(
        List.of("n1", "n3"),
        query(connection, "select name from " + table() + " where id < 4 order by id"));
    Path puffin = folder.resolve("t/data/d.puffin");
    byte[] bytes = Files.readAllBytes(puffin);
    for (int i = 4; i < bytes.length / 2; i++) {
      bytes[i] ^= 0x55;
    }
    Files.write(puffin, bytes);
    try (Connection other = TestConnections.open("memory=256MB;threads=2")) {
      assertError(
          ErrorCode.FILE_BROKEN,
          () -> query(other, "select count(*) from " + table()),
          "d.puffin",
          "deletion vector");
    }
  }

  /** A vector whose blocks have numbers for which the library would make two milliard bitmaps. */
  @Test
  void deletionVectorsOfRowsThatNoFileHas() throws Exception {
    IcebergWriter writer = sales(3, PartitionSpec.unpartitioned());
    DataFile a = append(writer, "a.parquet", 0, 10);
    writer.deleteVector("d.puffin", a, 2);
    Path puffin = folder.resolve("t/data/d.puffin");
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(puffin)).order(ByteOrder.LITTLE_ENDIAN);
    int vector = 4;
    int length = bytes.order(ByteOrder.BIG_ENDIAN).getInt(vector);
    bytes.order(ByteOrder.LITTLE_ENDIAN).putInt(vector + 16, Integer.MAX_VALUE - 1);
    CRC32 sum = new CRC32();
    sum.update(bytes.array(), vector + 4, length);
    bytes.order(ByteOrder.BIG_ENDIAN).putInt(vector + 4 + length, (int) sum.getValue());
    Files.write(puffin, bytes.array());
    assertError(
        ErrorCode.FILE_BROKEN,
        () -> query(connection, "select count(*) from " + table()),
        "d.puffin",
        "rows that no file has");
  }

  @Test
  void addedColumnsHaveTheirDefaults() throws Exception {
    IcebergWriter writer = sales(3, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 1, 2);
    writer
        .table()
        .updateSchema()
        .addColumn("n", Types.LongType.get(), null, Literal.of(7L))
        .addColumn("t", Types.StringType.get(), null, Literal.of("x"))
        .addColumn(
            "d", Types.DateType.get(), null, Literal.of("2024-02-29").to(Types.DateType.get()))
        .addColumn(
            "w",
            Types.DecimalType.of(30, 2),
            null,
            Literal.of(new java.math.BigDecimal("-12345678901234567890.12")))
        .addColumn("f", Types.DoubleType.get(), null, Literal.of(-0.5))
        .addColumn("b", Types.BooleanType.get(), null, Literal.of(true))
        .commit();
    assertEquals(
        List.of("1|7|x|2024-02-29|-12345678901234567890.12|-0.5|true"),
        query(connection, "select id, n, t, d, w, f, b from " + table()));
    assertEquals(
        List.of("1"),
        query(connection, "select count(*) from " + table() + " where n = 7 and t = 'x'"));
  }

  @Test
  void statesOfTheTable() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    assertEquals(List.of("0"), query(connection, "select count(*) from " + table()));
    append(writer, "a.parquet", 0, 10);
    long first = writer.table().currentSnapshot().snapshotId();
    long time = writer.table().currentSnapshot().timestampMillis();
    writer.table().manageSnapshots().createTag("old", first).createBranch("b", first).commit();
    assertEquals(List.of("10"), query(connection, "select count(*) from " + table()));
    Thread.sleep(2);
    append(writer, "b.parquet", 10, 15);
    // The next statement sees it.
    assertEquals(List.of("15"), query(connection, "select count(*) from " + table()));
    for (String option :
        List.of(
            "snapshot => " + first,
            "as_of => " + time,
            "tag => 'old'",
            "branch => 'b'",
            "snapshot_from_id = " + first,
            "as_of => '%s'".formatted(java.time.Instant.ofEpochMilli(time)))) {
      assertEquals(
          List.of("10"),
          query(connection, "select count(*) from read_iceberg(" + table() + ", " + option + ")"),
          option);
    }
    assertEquals(
        List.of("10"),
        query(
            connection,
            "select count(*) from iceberg_scan('"
                + folder.resolve("t/metadata/v2.metadata.json")
                + "')"));
  }

  @Test
  void statesHaveTheColumnsOfTheirTime() throws Exception {
    Schema schema =
        new Schema(
            Types.NestedField.required(1, "id", Types.IntegerType.get()),
            Types.NestedField.optional(2, "region", Types.StringType.get()),
            Types.NestedField.optional(3, "country", Types.StringType.get()));
    PartitionSpec spec = PartitionSpec.builderFor(schema).identity("country").build();
    IcebergWriter writer = new IcebergWriter(folder.resolve("t"), duck, 2, schema, spec);
    writer.append(
        writer.parquet("a.parquet", "select 1 as id, 'EU' as region", "id: 1, region: 2"),
        1,
        "country=FR",
        Map.of("id", List.of(1, 1)));
    long first = writer.table().currentSnapshot().snapshotId();
    writer.table().manageSnapshots().createTag("old", first).commit();
    writer.table().updateSchema().renameColumn("region", "x").commit();
    writer.table().updateSchema().renameColumn("country", "region").commit();
    writer
        .table()
        .updateSchema()
        .renameColumn("id", "number")
        .updateColumn("id", Types.LongType.get())
        .commit();
    statesOfOldColumns(first);
    assertEquals(
        List.of("1|EU|FR"), query(connection, "select * from " + table() + " where region = 'FR'"));
    writer.table().updateSpec().removeField("country").commit();
    writer.table().updateSchema().deleteColumn("region").commit();
    statesOfOldColumns(first);
    assertEquals(List.of("1|EU"), query(connection, "select * from " + table()));
  }

  private void statesOfOldColumns(long first) throws SQLException {
    for (String state : List.of("snapshot => " + first, "tag => 'old'")) {
      for (String where : List.of("region = 'EU'", "country = 'FR'", "id = 1", "id < 2")) {
        assertEquals(
            List.of("1|EU|FR"),
            query(
                connection,
                "select * from read_iceberg(%s, %s) where %s".formatted(table(), state, where)),
            state + " " + where);
      }
      assertEquals(
          List.of(),
          query(
              connection,
              "select id from read_iceberg(%s, %s) where country = 'EU'"
                  .formatted(table(), state)));
    }
  }

  @Test
  void comparisonsWithNan() throws Exception {
    Schema schema =
        new Schema(
            Types.NestedField.optional(1, "d", Types.DoubleType.get()),
            Types.NestedField.optional(2, "f", Types.FloatType.get()));
    IcebergWriter writer =
        new IcebergWriter(folder.resolve("t"), duck, 2, schema, PartitionSpec.unpartitioned());
    writer.append(
        writer.parquet(
            "a.parquet",
            "select d::double as d, d::float as f from (values (1.5), ('NaN'::double)) t(d)",
            "d: 1, f: 2"),
        2,
        "",
        Map.of());
    for (String column : List.of("d", "f")) {
      for (String where :
          List.of("= NAN|1", "< NAN|1", ">= NAN|1", "<= NAN|2", "in (1.5, NAN)|2")) {
        String[] parts = where.replace("NAN", "cast('NaN' as double)").split("\\|");
        assertEquals(
            List.of(parts[1]),
            query(
                connection,
                "select count(*) from " + table() + " where " + column + " " + parts[0]),
            column + " " + parts[0]);
      }
    }
  }

  @Test
  void statesThatAreNot() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    long first = writer.table().currentSnapshot().snapshotId();
    writer.table().manageSnapshots().createTag("old", first).commit();
    assertError(
        ErrorCode.INVALID_ARGUMENT,
        () -> query(connection, "select * from read_iceberg(" + table() + ", snapshot => 5)"),
        "no snapshot 5",
        String.valueOf(first));
    assertError(
        ErrorCode.INVALID_ARGUMENT,
        () ->
            query(connection, "select * from read_iceberg(" + table() + ", as_of => '2001-01-01')"),
        "as old as that");
    assertError(
        ErrorCode.INVALID_ARGUMENT,
        () -> query(connection, "select * from read_iceberg(" + table() + ", tag => 'new')"),
        "no branch or tag 'new'",
        "old");
    assertError(
        ErrorCode.INVALID_ARGUMENT,
        () -> query(connection, "select * from read_iceberg(" + table() + ", snapshop => 5)"),
        "did you mean snapshot?");
    assertError(
        ErrorCode.INVALID_ARGUMENT,
        () -> query(connection, "select * from read_iceberg(" + table() + ", as_of => 'noon')"),
        "as_of must be a time");
    assertError(
        ErrorCode.FILE_UNREADABLE,
        () -> query(connection, "select * from read_iceberg('" + folder + "')"),
        "There is no Iceberg table");
  }

  @Test
  void nestedColumnsAndOtherTypes() throws Exception {
    Schema schema =
        new Schema(
            Types.NestedField.required(1, "id", Types.UUIDType.get()),
            Types.NestedField.optional(2, "z", Types.TimestampType.withZone()),
            Types.NestedField.optional(3, "b", Types.BinaryType.get()),
            Types.NestedField.optional(
                4,
                "s",
                Types.StructType.of(
                    Types.NestedField.optional(5, "x", Types.IntegerType.get()),
                    Types.NestedField.optional(6, "y", Types.StringType.get()))),
            Types.NestedField.optional(7, "l", Types.ListType.ofOptional(8, Types.LongType.get())),
            Types.NestedField.optional(
                9,
                "m",
                Types.MapType.ofOptional(10, 11, Types.StringType.get(), Types.DoubleType.get())),
            Types.NestedField.optional(12, "tm", Types.TimeType.get()));
    IcebergWriter writer =
        new IcebergWriter(folder.resolve("t"), duck, 2, schema, PartitionSpec.unpartitioned());
    String location =
        writer.parquet(
            "a.parquet",
            """
            select '0123abcd-0000-1111-2222-333344445555'::uuid as id,
              timestamptz '2024-05-01 12:00:00.123456+02' as z, 'ab'::blob as b,
              {x: 1, y: 'why'} as s, [1::bigint, null, 3] as l, map {'k': 0.5::double} as m,
              time '01:02:03' as tm
            """,
            "id: 1, z: 2, b: 3, s: {__duckdb_field_id: 4, x: 8, y: 9}, "
                + "l: {__duckdb_field_id: 5, element: 10}, "
                + "m: {__duckdb_field_id: 6, key: 11, value: 12}, tm: 7");
    writer.append(location, 1, "", Map.of());
    assertEquals(
        List.of(
            "0123abcd-0000-1111-2222-333344445555|2024-05-01 10:00:00.123456|1|why|3|0.5|01:02:03"),
        query(
            connection,
            "select t.id, t.z at time zone 'UTC', t.s.x, t.s.y, t.l[3], t.m['k'], t.tm from "
                + table()
                + " t"));
    writer.table().updateSchema().renameColumn("s.x", "q").commit();
    assertError(
        ErrorCode.FILE_UNSUPPORTED,
        () -> query(connection, "select t.s.q from " + table() + " t"),
        "a.parquet",
        "fields within the column \"s\"");
  }

  @Test
  void filesWithoutNumbersHaveThemByTheirNames() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    writer.append(writer.parquet("a.parquet", rows(0, 2), ""), 2, "", Map.of());
    assertError(
        ErrorCode.FILE_UNSUPPORTED,
        () -> query(connection, "select name from " + table()),
        "no field ids",
        "schema.name-mapping.default");
    writer
        .table()
        .updateProperties()
        .set(
            "schema.name-mapping.default",
            """
            [{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["label", "name"]}]
            """)
        .commit();
    assertEquals(
        List.of("0|n0|null", "1|n1|null"),
        query(connection, "select id, name, price from " + table() + " order by id"));
  }

  @Test
  void tablesOfADirectoryAndMovedOnes() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    append(writer, "b.parquet", 10, 20);
    Path lake = Files.createDirectory(folder.resolve("lake"));
    Files.move(folder.resolve("t"), lake.resolve("sales"), StandardCopyOption.ATOMIC_MOVE);
    String url = "directory=" + lake + ";memory=256MB;threads=2;fileAccess=directory";
    try (Connection other = TestConnections.open(url)) {
      assertEquals(List.of("20|190"), query(other, "select count(*), sum(id) from sales"));
      String plan =
          String.join("\n", query(other, "explain plan for select * from sales where id = 15"));
      assertTrue(plan.contains("files {1} of 2"), plan);
      assertEquals(List.of("n15"), query(other, "select name from sales where id = 15"));
      assertEquals(List.of("20"), query(other, "select count(*) from read_iceberg('sales')"));
      // A link out of the directory is not followed.
      Path secret = Files.move(lake.resolve("sales/data/a.parquet"), folder.resolve("a.parquet"));
      Files.createSymbolicLink(lake.resolve("sales/data/a.parquet"), secret);
      assertError(
          ErrorCode.FILE_OUTSIDE_DIRECTORY,
          () -> query(other, "select sum(price) from read_iceberg('sales', tag => 'main')"),
          "a.parquet");
    }
  }

  @Test
  void filesOutsideOfTheTableAreNotRead() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    Path outside = folder.resolve("outside.parquet");
    duck.execute(
        "copy (" + rows(0, 3) + ") to '" + outside + "' (format parquet, field_ids {" + IDS + "})");
    writer.append("file:" + outside, 3, "", Map.of());
    assertError(
        ErrorCode.FILE_OUTSIDE_DIRECTORY,
        () -> query(connection, "select * from " + table()),
        "outside.parquet",
        "allow_other_paths");
    String allowed = "read_iceberg(" + table() + ", allow_other_paths => true)";
    assertEquals(List.of("3"), query(connection, "select sum(id) from " + allowed));
    // Nor does a statement that may allow it reach what its connection may not read.
    String url =
        "directory=" + folder.resolve("t") + ";memory=256MB;threads=2;fileAccess=directory";
    Files.copy(folder.resolve("outside.parquet"), folder.resolve("t/own.parquet"));
    try (Connection other = TestConnections.open(url)) {
      assertError(
          ErrorCode.FILE_OUTSIDE_DIRECTORY,
          () ->
              query(
                  other,
                  "select * from read_iceberg('metadata/v2.metadata.json', allow_other_paths =>"
                      + " true)"),
          "outside");
    }
    // Nor does a link lead out of the folder.
    IcebergWriter links =
        new IcebergWriter(folder.resolve("l"), duck, 2, SALES, PartitionSpec.unpartitioned());
    Files.createSymbolicLink(folder.resolve("l/data/link.parquet"), outside);
    links.append("file:" + folder.resolve("l/data/link.parquet"), 3, "", Map.of());
    assertError(
        ErrorCode.FILE_OUTSIDE_DIRECTORY,
        () -> query(connection, "select * from '" + folder.resolve("l") + "'"),
        "link.parquet");
    for (String hostile :
        List.of(
            "/etc/passwd",
            "file:///etc/passwd",
            "http://127.0.0.1:1/x.parquet",
            "s3://other/x.parquet",
            folder.resolve("t") + "/data/../../outside.parquet")) {
      Path metadata = folder.resolve("t/metadata/v2.metadata.json");
      String text = Files.readString(metadata);
      String list = text.replaceAll("(?s).*\"manifest-list\"\\s*:\\s*\"([^\"]*)\".*", "$1");
      Files.writeString(folder.resolve("t/metadata/v9.metadata.json"), text.replace(list, hostile));
      assertError(
          ErrorCode.FILE_OUTSIDE_DIRECTORY,
          () -> query(connection, "select * from " + table()),
          hostile.substring(hostile.lastIndexOf('/')));
    }
  }

  @Test
  void damagedTables() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    append(writer, "b.parquet", 10, 20);
    Path data = folder.resolve("t/data/a.parquet");
    byte[] bytes = Files.readAllBytes(data);
    Files.delete(data);
    assertError(
        ErrorCode.FILE_UNREADABLE,
        () -> query(connection, "select sum(id) from " + table()),
        "a.parquet",
        "there is no such file");
    duck.execute(
        "copy (" + rows(0, 11) + ") to '" + data + "' (format parquet, field_ids {" + IDS + "})");
    assertError(
        ErrorCode.FILE_BROKEN,
        () -> query(connection, "select sum(id) from " + table()),
        "a.parquet",
        "in place of");
    Files.write(data, bytes);
    assertEquals(List.of("190"), query(connection, "select sum(id) from " + table()));
  }

  @Test
  void damagedMetadata() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    append(writer, "b.parquet", 10, 20);
    List<Path> metadata;
    try (Stream<Path> files = Files.list(folder.resolve("t/metadata"))) {
      metadata = files.filter(file -> !file.toString().endsWith(".text")).sorted().toList();
    }
    for (Path file : metadata) {
      byte[] whole = Files.readAllBytes(file);
      boolean newest = file.toString().endsWith("v3.metadata.json");
      boolean used = newest || file.toString().endsWith(".avro");
      for (int cut : new int[] {0, 10, whole.length / 2}) {
        Files.write(file, Arrays.copyOf(whole, cut));
        try (Connection other = TestConnections.open("memory=256MB;threads=2")) {
          try {
            var _ = query(other, "select sum(id) from " + table());
            // The first snapshot's list of manifests is not looked at.
            assertTrue(!newest, file + " cut at " + cut);
          } catch (SQLException e) {
            assertTrue(used, file + ": " + e.getMessage());
            assertEquals(ErrorCode.FILE_BROKEN.number(), e.getErrorCode(), e.getMessage());
          }
        }
      }
      Files.write(file, whole);
    }
  }

  @Test
  void boundsThatCannotBeRead() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    String location = writer.parquet("b.parquet", rows(10, 20), IDS);
    ByteBuffer odd = ByteBuffer.wrap(new byte[] {1});
    writer
        .table()
        .newAppend()
        .appendFile(
            DataFiles.builder(writer.table().spec())
                .withPath(location)
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(Files.size(folder.resolve("t/data/b.parquet")))
                .withMetrics(
                    new Metrics(
                        10L,
                        Map.of(),
                        Map.of(1, 10L),
                        Map.of(1, 0L),
                        Map.of(),
                        Map.of(1, odd),
                        Map.of(1, odd)))
                .build())
        .commit();
    assertEquals(
        List.of("n15"), query(connection, "select name from " + table() + " where id = 15"));
  }

  @Test
  void metadataThatUnpacksToTooMuch() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    byte[] text = Files.readAllBytes(folder.resolve("t/metadata/v2.metadata.json"));
    Path lake = Files.createDirectory(folder.resolve("lake"));
    Path packed = folder.resolve("t/metadata/v3.gz.metadata.json");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      out.write(text);
    }
    assertEquals(List.of("10"), query(connection, "select count(*) from " + table()));
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      byte[] spaces = new byte[1 << 20];
      Arrays.fill(spaces, (byte) ' ');
      for (int i = 0; i <= 16; i++) {
        out.write(spaces);
      }
      out.write(text);
    }
    assertError(
        ErrorCode.RESULT_TOO_LARGE,
        () -> query(connection, "select count(*) from read_iceberg('" + packed + "')"),
        "v3.gz.metadata.json",
        "more than 16,777,216 bytes");
    // It spoils no table beside it.
    Files.move(folder.resolve("t"), lake.resolve("t"), StandardCopyOption.ATOMIC_MOVE);
    Files.writeString(lake.resolve("other.csv"), "x\n1\n");
    try (Connection other = TestConnections.open("memory=256MB;threads=2;directory=" + lake)) {
      assertEquals(List.of("1"), query(other, "select x from other"));
      assertError(
          ErrorCode.RESULT_TOO_LARGE, () -> query(other, "select * from t"), "v3.gz.metadata.json");
    }
  }

  @Test
  void versionsThatAreNotClear() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    append(writer, "b.parquet", 10, 20);
    Files.writeString(folder.resolve("t/metadata/version-hint.text"), "../../x");
    assertError(
        ErrorCode.FILE_BROKEN,
        () -> query(connection, "select * from " + table()),
        "version-hint.text");
    Files.writeString(folder.resolve("t/metadata/version-hint.text"), "7");
    assertError(
        ErrorCode.FILE_BROKEN, () -> query(connection, "select * from " + table()), "version 7");
    Files.delete(folder.resolve("t/metadata/version-hint.text"));
    assertEquals(List.of("190"), query(connection, "select sum(id) from " + table()));
    Files.copy(
        folder.resolve("t/metadata/v3.metadata.json"),
        folder.resolve("t/metadata/00003-a.metadata.json"));
    assertError(
        ErrorCode.FILE_BROKEN,
        () -> query(connection, "select * from " + table()),
        "v3.metadata.json",
        "00003-a.metadata.json");
  }

  @Test
  void tablesOfAServer() throws Exception {
    IcebergWriter writer = sales(2, PartitionSpec.unpartitioned());
    append(writer, "a.parquet", 0, 10);
    append(writer, "b {%2e%2e}?#ä.parquet", 10, 20);
    try (FileServer server = new FileServer()) {
      try (Stream<Path> files = Files.walk(folder.resolve("t"))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          server.put("/lake/" + folder.relativize(file), Files.readAllBytes(file));
        }
      }
      assertEquals(
          List.of("5|60"),
          query(
              connection,
              "select count(*), sum(id) from read_iceberg('"
                  + server.url("/lake/t")
                  + "') where id between 10 and 14"));
      assertTrue(
          server.answers().stream().noneMatch(answer -> answer.path().endsWith("a.parquet")));
      assertEquals(
          List.of("20"),
          query(
              connection,
              "select count(*) from read_iceberg('"
                  + server.url("/lake/t/metadata/v3.metadata.json")
                  + "')"));
    }
  }
}
