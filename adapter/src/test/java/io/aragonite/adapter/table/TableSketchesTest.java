package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.rules.metadata.KeySketch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who waits for sketches. */
class TableSketchesTest {
  private static final List<Integer> KEY = List.of(0);

  @TempDir private Path directory;

  private final CountDownLatch reading = new CountDownLatch(1);
  private final CountDownLatch mayRead = new CountDownLatch(1);

  /** A file whose values come when the test lets them. */
  private record SlowFile(TableFile file, CountDownLatch reading, CountDownLatch mayRead)
      implements TableFile {
    @Override
    public List<FileColumn> columns() {
      return file.columns();
    }

    @Override
    public List<FilePart> parts() {
      return file.parts().stream()
          .map(part -> (FilePart) new SlowPart(part, reading, mayRead))
          .toList();
    }

    @Override
    public boolean copies() {
      return file.copies();
    }

    @Override
    public void close() {
      file.close();
    }
  }

  private record SlowPart(TableFile.FilePart part, CountDownLatch reading, CountDownLatch mayRead)
      implements TableFile.FilePart {
    @Override
    public int rows() {
      return part.rows();
    }

    @Override
    public TableFile.Decoded read(int column, QueryMemory temporary) {
      reading.countDown();
      try {
        assertTrue(mayRead.await(1, TimeUnit.MINUTES));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return part.read(column, temporary);
    }

    @Override
    public long fileBytes(int column) {
      return part.fileBytes(column);
    }
  }

  @Test
  void planningDoesNotWaitForASketchThatIsBeingMade() throws Exception {
    Path path = directory.resolve("t.parquet");
    try (DuckDb duck = new DuckDb()) {
      duck.execute("copy (select range as a from range(1000)) to '" + path + "' (format parquet)");
    }
    MemoryBudget budget = new MemoryBudget("memory", 1L << 26);
    LoadWorkers workers = new LoadWorkers(1);
    TableFile file = new SlowFile(ParquetFile.open(path), reading, mayRead);
    try (CachedTable table = new CachedTable("t", path, file, budget, workers)) {
      TableSketches sketches = new TableSketches(table.statistics(), workers);
      CompletableFuture<KeySketch> made = CompletableFuture.supplyAsync(() -> sketches.get(KEY));
      assertTrue(reading.await(1, TimeUnit.MINUTES));
      assertNull(
          assertTimeoutPreemptively(Duration.ofSeconds(30), () -> sketches.getOrWant(KEY)),
          "the sketch of values that nobody has read");
      mayRead.countDown();
      assertNotNull(made.get(1, TimeUnit.MINUTES));
      assertNotNull(sketches.getOrWant(KEY));
    } finally {
      mayRead.countDown();
    }
  }
}
