package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ValueRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory of Parquet and delimited files as tables. */
class FileCatalogTest {
  @TempDir Path directory;

  @Test
  void eachFileAndFolderOfPartsIsATable() throws IOException, SQLException {
    Files.createDirectory(directory.resolve("parts"));
    Files.createDirectory(directory.resolve("other"));
    Files.writeString(directory.resolve("notes.txt"), "no table");
    Files.writeString(directory.resolve("c.csv"), "k,t\n1,x\n,y\n3,x\n");
    Files.writeString(
        directory.resolve("c.csv.json"),
        "{\"columns\": [{\"name\": \"k\", \"type\": \"INTEGER\"}], \"primaryKey\": [\"k\"]}");
    try (DuckDb duck = new DuckDb()) {
      String select =
          "select range as k, 'few ' || range %% 3 as t, to_days(range::integer) as span from"
              + " range(%d, %d)";
      for (String[] part :
          new String[][] {
            {"p.parquet", "0", "1000"},
            {"parts/1.parquet", "0", "700"},
            {"parts/2.parquet", "700", "777"}
          }) {
        duck.execute(
            "copy (%s) to '%s'"
                .formatted(
                    select.formatted(Long.parseLong(part[1]), Long.parseLong(part[2])),
                    directory.resolve(part[0])));
      }
    }
    MemoryBudget budget = new MemoryBudget("memory", 100 << 20);
    try (TableCatalog catalog = TableCatalog.open(directory, budget, TestUnpacking.ANY, 2)) {
      assertEquals(List.of("c", "p", "parts"), List.copyOf(catalog.tables().keySet()));
      CachedTable parts = table(catalog, "parts");
      assertEquals(777, parts.rows());
      TableColumnStatistics key = parts.statistics().of(0);
      assertEquals(new ValueRange(0, 776), key.range());
      try (Table.Pin pin = parts.pin(List.of(0, 1))) {
        assertEquals(Storage.CODE8, pin.shapes().get(1).storage());
        assertEquals(777, pin.chunks().stream().mapToInt(chunk -> chunk.rows()).sum());
      }
      AragoniteException e = assertThrows(AragoniteException.class, () -> parts.pin(List.of(2)));
      assertEquals(ErrorCode.COLUMN_TYPE_UNSUPPORTED, e.code());
      CachedTable csv = table(catalog, "c");
      assertEquals(List.of("k"), csv.file().primaryKey());
      assertEquals(3, csv.rows());
      assertEquals(new ValueRange(1, 3), csv.statistics().of(0).range());
      assertTrue(budget.used() > 0);
    }
    assertEquals(0, budget.used());
  }

  private static CachedTable table(TableCatalog catalog, String name) {
    CachedTable table = catalog.table(name);
    assertNotNull(table, name);
    return table;
  }
}
