package io.aragonite.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.DatasetWriter;
import io.aragonite.dataset.ProgressListener;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache on disk: whole or absent, whatever happens. */
class TpchDataTest {
  private static final double SCALE = 0.001;

  @TempDir private Path cache;
  private final AtomicInteger made = new AtomicInteger();

  private final ProgressListener counter =
      new ProgressListener() {
        @Override
        public void started(Dataset dataset, Path directory, long rows) {
          made.incrementAndGet();
        }
      };

  @AfterEach
  void nothingTemporaryIsLeft() throws IOException {
    Path folder = cache.resolve("tpch");
    if (Files.exists(folder)) {
      try (var entries = Files.list(folder)) {
        List<String> names = entries.map(path -> path.getFileName().toString()).toList();
        assertTrue(names.stream().noneMatch(name -> name.contains("tmp")), names.toString());
      }
    }
  }

  private Path ensure() throws IOException, InterruptedException {
    return TpchData.ensure(SCALE, cache, 2, counter);
  }

  @Test
  void isMadeOnceAndAgainWhenBroken() throws IOException, InterruptedException {
    Path directory = ensure();
    ensure();
    assertEquals(1, made.get());

    Path lines = directory.resolve("lineitem.arrow");
    long size = Files.size(lines);
    try (FileChannel file = FileChannel.open(lines, StandardOpenOption.WRITE)) {
      file.truncate(size / 2);
    }
    ensure();
    assertEquals(2, made.get());
    assertEquals(size, Files.size(lines));

    Files.delete(directory.resolve("nation.arrow"));
    ensure();
    assertEquals(3, made.get());

    Path manifest = directory.resolve("manifest.properties");
    Files.writeString(manifest, Files.readString(manifest).replace("format=1", "format=0"));
    ensure();
    assertEquals(4, made.get());

    Files.delete(manifest);
    Path leftover = Files.createDirectory(directory.resolveSibling("0.001.tmp-killed"));
    Files.writeString(leftover.resolve("lineitem.arrow"), "half");
    ensure();
    assertEquals(5, made.get());
    ensure();
    assertEquals(5, made.get());
  }

  @Test
  void severalAtOnceMakeItOnce() throws Exception {
    int callers = 4;
    try (ExecutorService pool = Executors.newFixedThreadPool(callers)) {
      List<Callable<Path>> calls = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        calls.add(this::ensure);
      }
      for (Future<Path> call : pool.invokeAll(calls)) {
        assertTrue(Files.exists(call.get().resolve("lineitem.arrow")));
      }
    }
    assertEquals(1, made.get());
  }

  @Test
  void filesDoNotDependOnThreads() throws IOException, InterruptedException {
    int batchRows = 448; // several batches that begin inside an order
    Path one = Files.createDirectory(cache.resolve("one"));
    Path three = Files.createDirectory(cache.resolve("three"));
    Path whole = Files.createDirectory(cache.resolve("whole"));
    write(batchRows, one, 1);
    write(batchRows, three, 3);
    write(1 << 20, whole, 2);
    for (TpchTable table : TpchTable.values()) {
      String file = table.fileName();
      assertEquals(-1, Files.mismatch(one.resolve(file), three.resolve(file)), file);
      TpchColumns split = TpchColumns.read(one, table);
      TpchColumns unsplit = TpchColumns.read(whole, table);
      assertEquals(unsplit.values(), split.values(), file);
      for (int batch = 0; batch < split.batchRows().size() - 1; batch++) {
        assertEquals(batchRows, split.batchRows().get(batch), file);
      }
    }
  }

  private static void write(int batchRows, Path directory, int threads)
      throws IOException, InterruptedException {
    TpchData data = new TpchData(new TpchScale(SCALE), batchRows);
    DatasetWriter.write(data.tables(), directory, threads, ProgressListener.NONE);
  }

  private Path directory() {
    return DatasetCache.directory(new TpchData(SCALE), cache);
  }

  @Test
  void anInterruptLeavesNothing() throws Exception {
    ProgressListener interrupting =
        new ProgressListener() {
          @Override
          public void progress(String table, long rowsDone) {
            if (table.equals("part")) {
              Thread.currentThread().interrupt();
            }
          }
        };
    assertThrows(InterruptedException.class, () -> TpchData.ensure(SCALE, cache, 2, interrupting));
    assertFalse(Thread.currentThread().isInterrupted());
    assertFalse(Files.exists(directory()));
    nothingTemporaryIsLeft();
    ensure();
  }

  @Test
  void anInterruptBeforeTheFirstBatchLeavesNothing() throws IOException {
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, this::ensure);
    assertFalse(Files.exists(directory()));
  }

  @Test
  void aFolderThatCannotBeMadeIsAnError() throws IOException {
    Path file = Files.createFile(cache.resolve("file"));
    assertThrows(IOException.class, () -> TpchData.ensure(SCALE, file, 2, ProgressListener.NONE));
    assertThrows(
        IllegalArgumentException.class,
        () -> TpchData.ensure(SCALE, cache, 0, ProgressListener.NONE));
    IOException error =
        assertThrows(
            IOException.class, () -> TpchData.ensure(100_000, cache, 2, ProgressListener.NONE));
    assertTrue(error.getMessage().contains("ARAGONITE_CACHE"), error.getMessage());
  }
}
