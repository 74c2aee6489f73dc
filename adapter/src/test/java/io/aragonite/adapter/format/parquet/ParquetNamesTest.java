package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of columns that SQL could not tell apart. */
class ParquetNamesTest {
  @TempDir private Path folder;

  @Test
  void namesThatDifferInCaseOnlyAreAllReached() throws Exception {
    JavaWriter.write(
        folder.resolve("t.parquet"),
        "required int64 id; required int64 ID; required int64 id_2;",
        List.of(List.of(1L, 10L, 100L), List.of(2L, 20L, 200L)),
        new JavaWriter.WriterSettings(
            WriterVersion.PARQUET_1_0,
            true,
            false,
            CompressionCodecName.UNCOMPRESSED,
            100,
            100,
            false));
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:directory=" + folder);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select sum(id), sum(id_3), sum(id_2) from t")) {
      assertTrue(rows.next());
      assertEquals(3, rows.getLong(1));
      assertEquals(30, rows.getLong(2));
      assertEquals(300, rows.getLong(3));
    }
  }
}
