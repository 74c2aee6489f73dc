package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.memory.MemoryBudget;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LoadWarmUpTest {
  @TempDir private Path temporary;

  /** It runs the loader itself: a table that is loaded afterwards has its values. */
  @Test
  void leavesNothingBehind() throws Exception {
    Path path = temporary.resolve("t.parquet");
    try (DuckDb duck = new DuckDb()) {
      duck.execute(
          "copy (select i, 'text ' || i % 9 as t, null as n from range(300000) r(i)) to '"
              + path
              + "' (format parquet)");
    }
    try (TableFile file = ParquetFile.open(path)) {
      assertTrue(LoadWarmUp.run(path, file) > file.columns().size());
    }
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    try (TableCatalog catalog = TableCatalog.open(temporary, budget, TestUnpacking.ANY, 2, null)) {
      assertEquals(
          9, java.util.Objects.requireNonNull(catalog.table("t")).statistics().of(1).distinct());
    }
    assertEquals(0, budget.used());
  }
}
