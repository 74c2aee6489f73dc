package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

/** Iceberg tables, which Iceberg's library and DuckDB write. */
class IcebergTest extends IcebergTestFolder {
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
