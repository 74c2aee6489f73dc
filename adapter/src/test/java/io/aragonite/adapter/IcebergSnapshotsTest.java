package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.error.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

/** What Iceberg tables were before, and rows deleted since. */
class IcebergSnapshotsTest extends IcebergTestFolder {
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
}
