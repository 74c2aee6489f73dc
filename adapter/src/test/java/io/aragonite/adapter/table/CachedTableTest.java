package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.format.csv.CsvFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.spill.file.SpillSpace;
import io.aragonite.exec.table.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CachedTableTest {
  @TempDir private Path directory;
  @TempDir private Path spill;

  /** A file whose parts are read only when somebody lets them. */
  private record HeldFile(TableFile file, CountDownLatch reading, CountDownLatch mayRead)
      implements TableFile {
    @Override
    public List<FileColumn> columns() {
      return file.columns();
    }

    @Override
    public List<FilePart> parts() {
      return file.parts().stream().map(this::held).toList();
    }

    private FilePart held(FilePart part) {
      return new FilePart() {
        @Override
        public int rows() {
          return part.rows();
        }

        @Override
        public Decoded read(int column, QueryMemory temporary) {
          reading.countDown();
          try {
            mayRead.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return part.read(column, temporary);
        }
      };
    }

    @Override
    public void close() {
      file.close();
    }
  }

  @Test
  @Timeout(60)
  void whoGivesUpWaitingForAColumnDoesNotHoldTheTableOpen() throws Exception {
    Path path = Files.writeString(directory.resolve("t.csv"), "a,b\n1,x\n2,y\n");
    MemoryBudget budget = new MemoryBudget("memory", 1 << 24);
    try (SpillSpace space = new SpillSpace(spill, Long.MAX_VALUE, budget)) {
      HeldFile file =
          new HeldFile(
              CsvFile.open(path, new Unpacking(space)),
              new CountDownLatch(1),
              new CountDownLatch(1));
      CachedTable table = new CachedTable("t", path, file, budget, new LoadWorkers(1));
      CompletableFuture<Void> loader =
          CompletableFuture.runAsync(() -> {
            try (Table.Pin pin = table.pin(List.of(0))) {
              assertEquals(2, pin.chunks().getFirst().rows());
            }
          });
      file.reading.await();
      StopCheck cancelled =
          new StopCheck(() -> {
            throw new AragoniteException(ErrorCode.CANCELLED, "cancelled");
          });
      try (StopCheck.Scope _ = cancelled.enter()) {
        assertThrows(AragoniteException.class, () -> table.pin(List.of(0)));
      }
      file.mayRead.countDown();
      loader.get();
      table.close();
    }
    assertEquals(0, budget.used());
  }
}
