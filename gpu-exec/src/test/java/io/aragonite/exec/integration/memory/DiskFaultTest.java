package io.aragonite.exec.integration.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.FileSizeLimit;
import io.aragonite.exec.vector.ColumnBatch;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spill files that the system does not write or read, sooner or later: the answer is right or the
 * error names the folder, nothing is left, and the next query is right. With {@code
 * -Daragonite.faults.every=true} there are more of these moments, and a device with memory of its
 * own has them too.
 */
@Timeout(300)
class DiskFaultTest {
  private static final boolean EVERY = Boolean.getBoolean("aragonite.faults.every");
  private static final int ROWS = 60_000;
  private static final long LITTLE = 1_800_000;

  @TempDir private Path folder = Path.of("");

  private SpillMachine machine(boolean discrete) {
    return new SpillMachine(discrete, discrete ? 3 * LITTLE : LITTLE, folder, Long.MAX_VALUE);
  }

  private void judge(AragoniteException error, String what) {
    assertEquals(ErrorCode.DISK_FAILED, error.code(), () -> what + ": " + error.getMessage());
    assertTrue(error.getMessage().contains(folder.toString()), error::getMessage);
  }

  @Test
  void anyWriteMayFail() throws IOException {
    assumeTrue(FileSizeLimit.isKnown(), "files have no limit here");
    long[] limits =
        EVERY
            ? new long[] {0, 1, 4096, 20_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000}
            : new long[] {0, 150_000};
    for (boolean discrete : EVERY ? new boolean[] {false, true} : new boolean[] {false}) {
      for (Map.Entry<String, PhysicalPlan> plan : SpillTest.plans(ROWS).entrySet()) {
        int failed = 0;
        try (SpillMachine machine = machine(discrete)) {
          Map<?, Integer> expected = TestEngine.counts(machine.run(plan.getValue()));
          for (long limit : limits) {
            String what = plan.getKey() + ", files of " + limit + " bytes";
            try (FileSizeLimit _ = new FileSizeLimit(limit)) {
              assertEquals(expected, TestEngine.counts(machine.run(plan.getValue())), what);
            } catch (AragoniteException e) {
              judge(e, what);
              failed++;
            }
          }
          assertEquals(expected, TestEngine.counts(machine.run(plan.getValue())), "afterwards");
        }
        assertTrue(failed > 0, () -> plan.getKey() + " wrote no file");
        assertEmpty();
      }
    }
  }

  /** Rows that were written are gone when they are read, from some moment on. */
  @Test
  void anyReadMayFail() throws IOException {
    int failed = 0;
    for (boolean discrete : EVERY ? new boolean[] {false, true} : new boolean[] {false}) {
      for (Map.Entry<String, PhysicalPlan> plan : SpillTest.plans(ROWS).entrySet()) {
        try (SpillMachine machine = machine(discrete)) {
          Map<?, Integer> expected = TestEngine.counts(machine.run(plan.getValue()));
          for (int moment = 1; moment < 100; moment += EVERY ? 1 + moment : 1 + 20 * moment) {
            String what = plan.getKey() + ", behind batch " + moment;
            try {
              assertEquals(
                  expected, TestEngine.counts(cut(machine, plan.getValue(), moment)), what);
            } catch (AragoniteException e) {
              judge(e, what);
              failed++;
            }
            machine.assertReleased();
          }
          assertEquals(expected, TestEngine.counts(machine.run(plan.getValue())), "afterwards");
        }
        assertEmpty();
      }
    }
    assertTrue(failed > 2, "reads that failed: " + failed);
  }

  /** The rows of a query whose files end too early behind so many batches. */
  private List<List<@Nullable Object>> cut(SpillMachine machine, PhysicalPlan plan, int moment)
      throws IOException {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (BatchResult result = machine.engine.execute(plan, QueryOptions.DEFAULT)) {
      int batches = 0;
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows.addAll(TestEngine.rows(batch));
        if (++batches == moment) {
          cutFiles();
        }
      }
    }
    return rows;
  }

  /** Files of spill folders, of which the engine frees some meanwhile. */
  private void cutFiles() throws IOException {
    for (File spill : children(folder.toFile(), "")) {
      for (File file : children(spill, ".spill")) {
        try (FileChannel cut = FileChannel.open(file.toPath(), StandardOpenOption.WRITE)) {
          cut.truncate(cut.size() / 8);
        } catch (NoSuchFileException e) {
          // freed
        }
      }
    }
  }

  private static File[] children(File folder, String end) {
    File[] files = folder.listFiles((parent, name) -> name.endsWith(end));
    return files == null ? new File[0] : files;
  }

  private void assertEmpty() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }
}
