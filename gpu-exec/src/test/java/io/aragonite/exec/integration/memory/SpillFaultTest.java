package io.aragonite.exec.integration.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Disks and budgets that cannot be worked with: the error, what is left behind, what comes next.
 */
class SpillFaultTest {
  private static final DataType LONG = DataType.INT64;
  private static final DataType TEXT = DataType.VARCHAR;

  /** Less than the rows of {@link #big} take. */
  private static final long LITTLE = 1_800_000;

  @TempDir Path folder;

  private static PhysicalPlan rows(int count, int textBytes, int keys) {
    return rows(count, textBytes, keys, 512);
  }

  private static PhysicalPlan rows(int count, int textBytes, int keys, int batch) {
    String filling = "x".repeat(textBytes);
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      all.add(List.of(i * 7919 % keys, filling + i));
    }
    return new TestTable(List.of(ColumnShape.of(LONG), ColumnShape.of(TEXT)), all, batch).scan();
  }

  /** Spills about 4 MB with {@link #LITTLE} memory. */
  private static PhysicalPlan big() {
    return new Sort(rows(20_000, 200, 20_000), List.of(new SortKey(0, false, false)), null, null);
  }

  private static void fails(SpillMachine machine, Path where) {
    AragoniteException error = assertThrows(AragoniteException.class, () -> machine.run(big()));
    assertEquals(ErrorCode.DISK_FAILED, error.code(), error::getMessage);
    assertTrue(error.getMessage().contains(where.toString()), error::getMessage);
    assertEquals(100, machine.run(rows(100, 10, 100)).size(), "the next query");
  }

  private static boolean mount(Path where, String options) throws Exception {
    Process mount =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", options, "tmpfs", where.toString())
            .redirectErrorStream(true)
            .start();
    return mount.waitFor(10, TimeUnit.SECONDS) && mount.exitValue() == 0;
  }

  private static void unmount(Path where) throws Exception {
    new ProcessBuilder("umount", where.toString()).start().waitFor(10, TimeUnit.SECONDS);
  }

  /** A file system of a megabyte: needs the right to mount one; SpillTest has a limit of ours. */
  @Test
  void fullFileSystem() throws Exception {
    Path small = Files.createDirectory(folder.resolve("small"));
    assumeTrue(mounts(small, "size=1m"), "no right to mount a file system");
    try {
      try (SpillMachine machine = new SpillMachine(false, LITTLE, small, Long.MAX_VALUE)) {
        fails(machine, small);
      }
      assertEmpty(small);
    } finally {
      unmount(small);
    }
  }

  /** A folder in which nobody, root included, can make anything. */
  @Test
  void readOnlyFolder() throws Exception {
    Path readOnly = Files.createDirectory(folder.resolve("read-only"));
    boolean mounted = mounts(readOnly, "ro,size=1m");
    Path where = mounted ? readOnly : Path.of("/proc");
    assumeTrue(Files.isDirectory(where), "no folder that is read-only for root");
    try (SpillMachine machine = new SpillMachine(false, LITTLE, where, Long.MAX_VALUE)) {
      fails(machine, where);
    } finally {
      if (mounted) {
        unmount(readOnly);
      }
    }
  }

  private static boolean mounts(Path where, String options) throws Exception {
    try {
      return mount(where, options);
    } catch (IOException e) {
      // There is no such command.
      return false;
    }
  }

  @Test
  void budgetBelowABatch() {
    for (boolean discrete : new boolean[] {false, true}) {
      for (long bytes : new long[] {1, 1000, 20_000}) {
        try (SpillMachine machine = new SpillMachine(discrete, bytes, folder, Long.MAX_VALUE)) {
          AragoniteException error =
              assertThrows(AragoniteException.class, () -> machine.run(big()));
          assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code(), error::getMessage);
        }
      }
    }
  }

  /** All rows of both sides have one key, and neither side fits. */
  @Test
  void oneKeyLargerThanMemory() {
    for (boolean discrete : new boolean[] {false, true}) {
      int left = 4000;
      int right = 3800;
      int bytes = discrete ? 2400 : 600;
      for (JoinType type : List.of(JoinType.INNER, JoinType.FULL, JoinType.ANTI)) {
        List<DataType> both =
            type == JoinType.ANTI ? List.of(LONG, TEXT) : List.of(LONG, TEXT, LONG, TEXT);
        PhysicalPlan join =
            new Join(
                rows(left, bytes, 1, 64),
                rows(right, bytes, 1, 64),
                type,
                List.of(new JoinKey(0, 0, false)),
                null,
                JoinAlgorithm.NON_PARTITIONED_HASH,
                false,
                both);
        PhysicalPlan count =
            new Aggregate(
                join,
                List.of(),
                List.of(List.of()),
                List.of(AggregateCall.of(AggregateFunction.COUNT, LONG)),
                false,
                List.of(LONG));
        long little = discrete ? 4 * LITTLE : LITTLE;
        try (SpillMachine machine = new SpillMachine(discrete, little, folder, Long.MAX_VALUE)) {
          long expected = type == JoinType.ANTI ? 0 : (long) left * right;
          assertEquals(List.of(List.of(expected)), machine.run(count), type + ", " + discrete);
        }
      }
    }
  }

  /** With frames that move, of which no chunk of the rows knows enough. */
  private static PhysicalPlan window(int count) {
    WindowFrame frame =
        new WindowFrame(
            true,
            // Farther than chunks of the rows overlap.
            new FrameBound(FrameBoundKind.PRECEDING, Expr.literal(2L << 20, DataType.INT64)),
            new FrameBound(FrameBoundKind.CURRENT_ROW, null),
            Exclude.NO_OTHERS);
    WindowCall sum =
        new WindowCall(
            WindowCall.Function.AGGREGATE,
            AggregateCall.of(AggregateFunction.SUM, LONG, 0),
            List.of(),
            false,
            LONG.withNullable(true));
    return new Window(
        rows(count, 20, count),
        List.of(),
        List.of(new SortKey(0, false, false)),
        frame,
        List.of(sum));
  }

  @Test
  void aWindowOfOnePartitionSaysWhatItNeeds() {
    try (SpillMachine machine = new SpillMachine(false, LITTLE, folder, Long.MAX_VALUE)) {
      AragoniteException error =
          assertThrows(AragoniteException.class, () -> machine.run(window(60_000)));
      assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code(), error::getMessage);
      assertTrue(error.getMessage().contains("PARTITION BY"), error::getMessage);
      assertTrue(error.getMessage().contains("60,000 rows"), error::getMessage);
      assertEquals(500, machine.run(window(500)).size(), "the next query");
    }
  }

  private boolean runs(PhysicalPlan plan, long bytes) {
    try (SpillMachine machine = new SpillMachine(false, bytes, folder, Long.MAX_VALUE)) {
      return machine.run(plan).size() == 20_000;
    } catch (AragoniteException e) {
      return false;
    }
  }

  /** Queries of which each fits alone, and no two together, wait for each other. */
  @Test
  void queriesWaitForMemory() throws Exception {
    PhysicalPlan plan = window(20_000);
    long alone = 1 << 20;
    while (!runs(plan, alone)) {
      alone += alone / 5;
    }
    ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    try (SpillMachine machine = new SpillMachine(false, alone * 3 / 2, folder, Long.MAX_VALUE)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  for (int round = 0; round < 4; round++) {
                    try {
                      int rows = 0;
                      try (BatchResult result =
                          machine.engine.execute(plan, QueryOptions.DEFAULT)) {
                        for (var b = result.next(); b != null; b = result.next()) {
                          rows += b.rows();
                        }
                      }
                      if (rows != 20_000) {
                        wrong.add(rows + " rows");
                      }
                    } catch (AragoniteException e) {
                      wrong.add(e.toString());
                    }
                  }
                }));
      }
      for (Thread thread : threads) {
        thread.join(60_000);
      }
    }
    assertEquals(List.of(), List.copyOf(wrong));
  }

  /** Spills, and waits to be killed. */
  static final class Spilling {
    private Spilling() {}

    @SuppressWarnings("SystemOut") // the parent reads it
    public static void main(String[] args) throws InterruptedException {
      Path where = Path.of(args[0]);
      SpillMachine machine = new SpillMachine(false, LITTLE, where, Long.MAX_VALUE);
      BatchResult result = machine.engine.execute(big(), QueryOptions.DEFAULT);
      result.next();
      System.out.println("spilled " + machine.space.used());
      System.out.flush();
      Thread.sleep(120_000);
    }
  }

  @Test
  void aKilledProcessLeavesOneFolderUntilTheNextStarts() throws Exception {
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                Spilling.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String line = process.inputReader().readLine();
      assertTrue(line != null && line.startsWith("spilled ") && !line.endsWith(" 0"), line);
    } finally {
      process.destroyForcibly().waitFor();
    }
    try (Stream<Path> left = Files.list(folder)) {
      List<Path> all = left.toList();
      assertEquals(1, all.size(), all::toString);
      String name = all.getFirst().getFileName().toString();
      assertTrue(name.startsWith("aragonite-spill-" + process.pid() + "-"), name);
    }
    try (SpillMachine machine = new SpillMachine(false, LITTLE, folder, Long.MAX_VALUE)) {
      assertEmpty(folder);
      assertEquals(20_000, machine.run(big()).size());
    }
    assertEmpty(folder);
  }

  private static void assertEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(), files.toList());
    }
  }
}
