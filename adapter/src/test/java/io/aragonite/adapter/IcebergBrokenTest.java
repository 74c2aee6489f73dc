package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.junit.jupiter.api.Test;

/** Iceberg tables that are damaged, or name files that are not theirs. */
class IcebergBrokenTest extends IcebergTestFolder {
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
}
