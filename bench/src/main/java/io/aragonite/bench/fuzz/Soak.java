package io.aragonite.bench.fuzz;

import io.aragonite.adapter.engine.Engines;
import io.aragonite.bench.fuzz.FuzzOutcome.OutcomeKind;
import io.aragonite.bench.fuzz.FuzzStatement.FuzzCheck;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Many connections ask one engine in little memory for a long time: random statements whose answers are known, prepared ones, some
 * cancelled, some read slowly or not to their ends, while now and then memory is refused. An answer is right, or the statement says
 * which of these it met; in the end nothing is left.
 */
public final class Soak {
  private static final long SEED_STEP = 1_000_003;
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(3);
  private static final long BETWEEN_REFUSALS_MILLIS = 50;
  private static final int BLOCKS = 200;
  private static final int MOST_FINDINGS = 20;
  private static final int MOST_ROWS = 5_000;
  private static final int MORE_FILES = 8;
  private static final String OURS = "aragonite-";

  private final SoakOptions options;
  private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();
  private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
  private final AtomicLong lastEnd = new AtomicLong(System.nanoTime());

  /**
   * What to run.
   *
   * @param connections beside each other
   * @param statements different ones
   * @param configuration of the engine
   */
  public record SoakOptions(long seed, long seconds, int connections, int statements, FuzzConfiguration configuration) {}

  /**
   * A statement and the answer that it had alone.
   *
   * @param statement with its literals
   */
  record SoakStatement(FuzzStatement statement, FuzzRows rows) {}

  /** What the process has. */
  private record SoakFigures(long threads, long files, long heap) {
    static SoakFigures now() throws IOException {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      long threads = Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith(OURS)).count();
      Path descriptors = Path.of("/proc/self/fd");
      try (Stream<Path> files = Files.exists(descriptors) ? Files.list(descriptors) : Stream.empty()) {
        return new SoakFigures(threads, files.count(), runtime.totalMemory() - runtime.freeMemory());
      }
    }

    @Override
    public String toString() {
      return "%d threads, %d files, %d MB of heap".formatted(threads, files, heap >> 20);
    }
  }

  /** Prepares a run; nothing is opened before {@link #run}. */
  public Soak(SoakOptions options) {
    this.options = options;
  }

  /**
   * Runs until time is up or too much was found.
   *
   * @param directory an empty folder
   * @param progress is told figures now and then, and of each finding
   * @return what someone has to look at
   */
  public List<String> run(Path directory, Consumer<String> progress) throws SQLException, IOException, InterruptedException {
    options.configuration.enter();
    try {
      Path tables = Files.createDirectories(directory.resolve("tables"));
      Path spill = directory.resolve("tables-spill");
      List<SoakStatement> known = known(tables, progress);
      SoakFigures before = SoakFigures.now();
      progress.accept("%d statements; before: %s".formatted(known.size(), before));
      List<MemoryBudget> budgets = hammer(known, tables, spill, progress);
      // Threads end a moment after the engine that they belong to.
      TimeUnit.SECONDS.sleep(2);
      SoakFigures after = SoakFigures.now();
      progress.accept("after: " + after);
      left(before, after, budgets, spill);
      return List.copyOf(findings);
    } finally {
      options.configuration.leave();
      FuzzFiles.delete(directory.resolve("tables"));
      FuzzFiles.delete(directory.resolve("tables-spill"));
    }
  }

  private void left(SoakFigures before, SoakFigures after, List<MemoryBudget> budgets, Path spill) throws IOException {
    for (MemoryBudget budget : budgets) {
      if (budget.used() != 0) {
        findings.add("%d bytes of memory are not given back".formatted(budget.used()));
      }
    }
    if (after.threads > before.threads || after.files > before.files + MORE_FILES) {
      findings.add("left behind: %s before, %s after".formatted(before, after));
    }
    try (Stream<Path> files = Files.walk(spill)) {
      List<Path> all = files.filter(Files::isRegularFile).toList();
      if (!all.isEmpty()) {
        findings.add("spill files are left: " + all);
      }
    }
  }

  /** Statements that DuckDB answers alike, with their answers; the tables stay as files. */
  private List<SoakStatement> known(Path folder, Consumer<String> progress) throws SQLException, IOException {
    Random random = new Random(options.seed);
    List<FuzzTable> tables = FuzzTables.make(random);
    List<SoakStatement> known = new ArrayList<>();
    try (FuzzDatabase database = new FuzzDatabase(tables, options.configuration, folder, false)) {
      options.configuration.enter();
      for (int i = 0; known.size() < options.statements && i < options.statements * 4; i++) {
        FuzzStatement made = FuzzStatement.make(new Random(options.seed * SEED_STEP + i), tables, false);
        if (made.check() != FuzzCheck.PEER && made.check() != FuzzCheck.PREPARED) {
          continue;
        }
        FuzzStatement statement = made.unprepared();
        FuzzOutcome outcome = database.run(statement);
        if (outcome.isFinding()) {
          findings.add("alone: " + outcome.message() + statement.sql());
        } else if (outcome.kind() == OutcomeKind.AGREED) {
          FuzzRows rows = database.ours(statement.sql(), MOST_ROWS);
          if (rows != null) {
            known.add(new SoakStatement(made, rows));
          }
        }
      }
    }
    options.configuration.enter();
    findings.forEach(progress);
    return known;
  }

  private List<MemoryBudget> hammer(List<SoakStatement> known, Path tables, Path spill, Consumer<String> progress)
      throws SQLException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.seconds);
    Set<MemoryBudget> budgets = new LinkedHashSet<>();
    List<Thread> workers = new ArrayList<>();
    ScheduledExecutorService cancels = Executors.newScheduledThreadPool(2);
    try (var anchor = options.configuration.open(tables.toString(), spill, SoakClient.TIMEOUT_SECONDS)) {
      for (Engines.OpenEngine open : Engines.open()) {
        for (Device device : devices(open.engine())) {
          budgets.add(device.memory());
          budgets.add(device.host().memory());
        }
      }
      for (int i = 0; i < options.connections; i++) {
        SoakClient client =
            new SoakClient(this, known, new Random(options.seed + i), cancels, () -> options.configuration.open(tables.toString(), spill, SoakClient.TIMEOUT_SECONDS));
        workers.add(Thread.ofPlatform().name("soak-" + i).daemon(true).start(() -> client.work(() -> System.nanoTime() < end && findings.size() < MOST_FINDINGS)));
      }
      watch(List.copyOf(budgets), workers, end, progress);
      if (!anchor.isValid(1)) {
        findings.add("the first connection does not answer");
      }
    } finally {
      cancels.shutdownNow();
    }
    return List.copyOf(budgets);
  }

  private static List<Device> devices(Engine engine) {
    var group = engine.group();
    return group == null ? List.of(engine.device()) : group.devices();
  }

  /** Refuses blocks now and then, and looks whether statements still end. */
  private void watch(List<MemoryBudget> budgets, List<Thread> workers, long end, Consumer<String> progress) throws InterruptedException {
    Random random = new Random(options.seed);
    long told = System.nanoTime();
    while (workers.stream().anyMatch(Thread::isAlive)) {
      if (System.nanoTime() < end && random.nextInt(4) == 0) {
        AtomicLong left = new AtomicLong(1 + random.nextInt(BLOCKS));
        budgets.get(random.nextInt(budgets.size())).setAdmission(bytes -> {
          if (left.decrementAndGet() == 0) {
            throw new AragoniteException(ErrorCode.MEMORY_EXCEEDED, "a block is refused on purpose; raise memory=");
          }
        });
      }
      TimeUnit.MILLISECONDS.sleep(BETWEEN_REFUSALS_MILLIS);
      if (System.nanoTime() - lastEnd.get() > QUIET_NANOS) {
        findings.add("no statement ends any more:\n" + stacks());
        return;
      }
      if (System.nanoTime() - told > TimeUnit.SECONDS.toNanos(30)) {
        told = System.nanoTime();
        progress.accept(counts() + "; " + budgets.stream().mapToLong(MemoryBudget::used).sum() + " bytes in use, " + findings.size() + " findings");
      }
    }
    budgets.forEach(budget -> budget.setAdmission(null));
  }

  private static String stacks() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces().forEach((thread, stack) -> {
      text.append(thread.getName()).append('\n');
      for (StackTraceElement element : stack) {
        text.append("  ").append(element).append('\n');
      }
    });
    return text.toString();
  }

  void count(String what) {
    counts.computeIfAbsent(what, name -> new AtomicLong()).incrementAndGet();
    lastEnd.set(System.nanoTime());
  }

  void found(String text) {
    findings.add(text);
  }

  /** How statements ended, with their numbers. */
  public String counts() {
    return new java.util.TreeMap<>(counts).toString();
  }
}
