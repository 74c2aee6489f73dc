package io.aragonite.bench.duckdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.ProgressListener;
import io.aragonite.tpch.TpchData;
import io.aragonite.tpch.TpchScale;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts hold the rows of their table, each once, and are written once. */
class DuckDbPartsTest {
  private static final Dataset DATA = new TpchData(new TpchScale(0.01), 1000);

  @TempDir private Path directory;

  private static String line(String from) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "select count(*), sum(l_extendedprice), count(distinct l_orderkey * 8 +"
                    + " l_linenumber), min(l_shipdate) from "
                    + from)) {
      result.next();
      return result.getString(1)
          + " "
          + result.getString(2)
          + " "
          + result.getString(3)
          + " "
          + result.getString(4);
    }
  }

  private List<Path> parts(String table) throws Exception {
    try (Stream<Path> files = Files.list(directory.resolve(table))) {
      return files.sorted().toList();
    }
  }

  @Test
  void partsAreWholeAndWrittenOnce() throws Exception {
    new DuckDbParts(directory, "parquet", "zstd", 10).write(DATA, 3, ProgressListener.NONE);
    assertEquals(7, parts("lineitem").size()); // of 60,175 rows
    String right = line("'" + directory + "/lineitem/*.parquet'");
    assertTrue(right.startsWith("60175 ") && right.endsWith(" 60175 1992-01-04"), right);

    List<Path> parts = parts("lineitem");
    FileTime old = FileTime.fromMillis(0);
    for (Path part : parts) {
      Files.setLastModifiedTime(part, old);
    }
    Files.delete(parts.get(3)); // as of a process that was killed while it wrote this one
    Files.writeString(parts.get(3).resolveSibling("part-00003.parquet.tmp"), "half");
    new DuckDbParts(directory, "parquet", "zstd", 10).write(DATA, 3, ProgressListener.NONE);
    assertEquals(parts, parts("lineitem"));
    assertEquals(right, line("'" + directory + "/lineitem/*.parquet'"));
    for (Path part : parts) {
      assertEquals(
          !part.equals(parts.get(3)), Files.getLastModifiedTime(part).equals(old), part.toString());
    }
  }

  @Test
  void csvBecomesOneFile() throws Exception {
    new DuckDbParts(directory, "csv", "", 10).write(DATA, 3, ProgressListener.NONE);
    String right = line("'" + directory + "/lineitem.csv'");
    assertTrue(right.startsWith("60175 ") && right.endsWith(" 60175 1992-01-04"), right);
    assertFalse(Files.exists(directory.resolve("_lineitem")));
    try (Stream<String> lines = Files.lines(directory.resolve("region.csv"))) {
      assertEquals(
          List.of("r_regionkey,r_name,r_comment", "0"),
          lines.limit(2).map(line -> line.startsWith("0,AFRICA,") ? "0" : line).toList());
    }
  }
}
