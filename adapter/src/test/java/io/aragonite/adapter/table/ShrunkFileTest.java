package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files that somebody makes shorter under a map in memory: the process lives, the error names the
 * file, and when the file is whole again, so is its table.
 */
@Timeout(120)
class ShrunkFileTest {
  private static final String ROWS =
      "copy (select x as id, x * 7 as v, 'text' || cast(mod(x, 1000) as varchar) as t"
          + " from unnest(generate_series(1, 300000)) as u (x)) to ";

  private static final String SUM = "select sum(v), max(t), count(*) from f";

  @TempDir private Path directory;

  private static void cut(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(12_288);
    }
  }

  private static String row(ResultSet rows) throws SQLException {
    try (rows) {
      assertTrue(rows.next());
      return rows.getString(1) + " " + rows.getString(2) + " " + rows.getString(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"f.parquet", "f.arrow", "f.csv", "f.json"})
  void anErrorNamesTheFile(String name) throws IOException, SQLException {
    Path file = directory.resolve(name);
    String url =
        "jdbc:aragonite:device=cpu;threads=2;memory=233MB;fallback=off;directory=" + directory;
    try (Connection writer = DriverManager.getConnection("jdbc:aragonite:device=cpu;memory=233MB");
        Statement copy = writer.createStatement()) {
      copy.execute(ROWS + "'" + file + "'");
    }
    byte[] whole = Files.readAllBytes(file);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.executeQuery("select count(*) from f where id < 100").close();
      cut(file);
      SQLException error = assertThrows(SQLException.class, () -> row(statement.executeQuery(SUM)));
      assertEquals(ErrorCode.FILE_BROKEN.number(), error.getErrorCode(), error.getMessage());
      assertTrue(error.getMessage().contains(file + " became shorter"), error.getMessage());
      assertTrue(
          error.getMessage().contains("12288 bytes instead of " + whole.length),
          error.getMessage());
      assertEquals("1 2 3", row(statement.executeQuery("select 1, 2, 3")));
    }
    Files.write(file, whole);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      assertEquals("315001050000 text999 300000", row(statement.executeQuery(SUM)));
    }
  }
}
