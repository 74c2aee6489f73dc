package io.aragonite.bench.fuzz;

import io.aragonite.adapter.engine.Engines;
import io.aragonite.bench.fuzz.FuzzOutcome.OutcomeKind;
import io.aragonite.bench.fuzz.FuzzStatement.FuzzCheck;
import io.aragonite.bench.fuzz.SoakRoute.SoakConnection;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.error.ErrorKind;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Many clients ask one engine in little memory for a long time, in its process or through servers: queries whose answers are known, own
 * tables that change and are copied to files; some statements are cancelled, read slowly or left, some clients vanish, while memory and
 * disk are short, blocks of memory are refused and devices break. An answer is right, or the statement says which of these it met. From
 * time to time all clients pause and close their connections: what is there then may not grow, and nothing is left in the end.
 */
public final class Soak {
  private static final long SEED_STEP = 1_000_003;
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(3);
  private static final long TOLD_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long BETWEEN_REFUSALS_MILLIS = 50;
  private static final int BLOCKS = 200;
  private static final int MOST_FINDINGS = 20;
  private static final int MOST_ROWS = 5_000;
  private static final int MORE_FILES = 8;
  private static final int ROUNDS = 10;
  private static final long LEAST_ROUND = TimeUnit.SECONDS.toNanos(20);
  private static final double TPCH = 0.01;
  private static final int LOOKUPS = 40;
  private static final int MOST_COPIES = 2_000;

  /** Bytes of spill files, which some statements need more of. */
  private static final String SPILL_LIMIT = "8MB";

  private final SoakOptions options;
  private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();
  private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
  private final AtomicLong lastEnd = new AtomicLong(System.nanoTime());
  private final AtomicInteger working = new AtomicInteger();
  private final List<String> names = new ArrayList<>();
  private final List<SoakFigures> figures = new ArrayList<>();
  private volatile Set<Integer> ports = Set.of();
  private volatile Consumer<String> tell = text -> {};
  private volatile boolean paused;

  /** Whether a device has been broken on purpose. */
  private volatile boolean broke;

  private volatile long end = Long.MAX_VALUE;

  /**
   * What to run.
   *
   * @param clients beside each other
   * @param statements different ones, beside those of TPC-H
   * @param configuration of the engine
   * @param served whether clients come through servers, by turns of their protocols
   */
  public record SoakOptions(long seed, long seconds, int clients, int statements, FuzzConfiguration configuration, boolean served) {}

  /**
   * A statement and the answer that it had alone.
   *
   * @param prepared the same with parameters; null: it has none
   */
  record SoakStatement(String sql, @Nullable FuzzStatement prepared, FuzzRows rows) {}

  /** Prepares a run; nothing is opened before {@link #run}. */
  public Soak(SoakOptions options) {
    this.options = options;
  }

  /**
   * Runs until time is up or too much was found.
   *
   * @param directory an empty folder
   * @param progress is told figures now and then, and of each finding, by several threads
   * @return what someone has to look at
   */
  public List<String> run(Path directory, Consumer<String> progress) throws SQLException, IOException, InterruptedException {
    options.configuration.enter();
    tell = progress;
    try {
      Path tables = Files.createDirectories(directory.resolve("tables"));
      Path spill = directory.resolve("tables-spill");
      Files.createDirectories(directory.resolve("copies"));
      List<SoakStatement> known = new ArrayList<>(known(tables, progress));
      known.addAll(ofTpch(tables, spill));
      note("begin", List.of(), spill);
      progress.accept("%d statements; at the begin: %s".formatted(known.size(), figures.getFirst()));
      List<MemoryBudget> budgets = hammer(known, directory, progress);
      // The engine ends with its last connection, and threads a moment after it.
      boolean _ = eventually(() -> budgets.stream().allMatch(budget -> budget.used() == 0));
      long before = figures.getFirst().of(SoakFigures.SoakFigure.THREADS);
      boolean _ = eventually(() -> SoakFigures.threads() <= before);
      note("end", budgets, spill);
      left(spill);
      progress.accept(SoakFigures.table(names, figures));
      if (!SoakFigures.tellGrowth(pauses())) {
        progress.accept("%d pauses are too few to see what grows; raise --minutes".formatted(pauses().size()));
      }
      return List.copyOf(findings);
    } finally {
      options.configuration.leave();
      FuzzFiles.empty(directory);
      for (Path file : SoakFigures.files(directory)) {
        Files.delete(file); // of the audit log
      }
    }
  }

  private void note(String name, List<MemoryBudget> budgets, Path spill) throws IOException, InterruptedException {
    names.add(name);
    figures.add(SoakFigures.now(budgets, spill, ports));
  }

  private List<SoakFigures> pauses() {
    return figures.subList(1, figures.size() - 1);
  }

  private void left(Path spill) throws IOException {
    SoakFigures before = figures.getFirst();
    SoakFigures after = figures.getLast();
    if (after.of(SoakFigures.SoakFigure.DEVICE_KB) != 0) {
      findings.add("%d KB of the engine's memory are not given back".formatted(after.of(SoakFigures.SoakFigure.DEVICE_KB)));
    }
    if (after.of(SoakFigures.SoakFigure.SERVER_SOCKETS) > 0
        || after.of(SoakFigures.SoakFigure.THREADS) > before.of(SoakFigures.SoakFigure.THREADS)
        || after.of(SoakFigures.SoakFigure.OPEN_FILES) > before.of(SoakFigures.SoakFigure.OPEN_FILES) + MORE_FILES) {
      findings.add("left behind: %s at the begin, %s at the end; open are %s".formatted(before, after, SoakFigures.openFiles()));
    }
    List<Path> files = SoakFigures.files(spill);
    if (!files.isEmpty()) {
      findings.add("spill files are left: " + files);
    }
    SoakFigures.growing(pauses()).forEach(text -> findings.add("more is there at each pause: " + text));
  }

  /** Statements that DuckDB answers alike, with their answers; the tables stay as files. */
  private List<SoakStatement> known(Path folder, Consumer<String> progress) throws SQLException, IOException {
    Random random = new Random(options.seed);
    List<FuzzTable> tables = FuzzTables.make(random).stream().map(FuzzTable::inDirectory).toList();
    List<SoakStatement> known = new ArrayList<>();
    try (FuzzPeer peer = new FuzzPeer(tables, folder);
        FuzzDatabase database = new FuzzDatabase(peer, options.configuration, false)) {
      options.configuration.enter();
      for (int i = 0; known.size() < options.statements && i < options.statements * 4 && !peer.isLost(); i++) {
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
            known.add(new SoakStatement(statement.sql(), made.check() == FuzzCheck.PREPARED ? made : null, rows));
          }
        }
      }
    }
    options.configuration.enter();
    findings.forEach(progress);
    return known;
  }

  /** TPC-H's queries and rows by their keys, with the answers that they have alone. */
  private List<SoakStatement> ofTpch(Path tables, Path spill) throws SQLException {
    List<String> all = new ArrayList<>(TpchQuery.all().stream().limit(options.statements / 2).map(query -> query.sql(TPCH)).toList());
    for (int i = 0; i < Math.min(LOOKUPS, options.statements); i++) {
      all.add(
          i % 2 == 0
              ? "select n_name, n_regionkey from nation where n_nationkey = " + i % 25
              : "select o_custkey, o_totalprice, o_orderdate from orders where o_orderkey = " + (1 + i * 32));
    }
    try (var generated = DriverManager.getConnection("jdbc:aragonite:device=cpu;memory=400MB;tpch=" + TPCH);
        Statement statement = generated.createStatement()) {
      for (TpchTable table : TpchTable.values()) {
        String name = table.name().toLowerCase(Locale.ROOT);
        statement.executeUpdate("copy %s to '%s'".formatted(name, tables.resolve(name + ".parquet")));
      }
    }
    List<SoakStatement> known = new ArrayList<>();
    try (var connection = DriverManager.getConnection(options.configuration.url(tables.toString(), spill, SPILL_LIMIT));
        Statement statement = connection.createStatement()) {
      for (String sql : all) {
        try {
          known.add(new SoakStatement(sql, null, Objects.requireNonNull(FuzzRows.read(statement.executeQuery(sql), Integer.MAX_VALUE))));
        } catch (SQLException e) {
          if (SoakErrors.expected(e, false) == null) {
            throw e;
          }
          count("TPC-H without memory");
        }
      }
    }
    return known;
  }

  /** Those that have the same answer by a route, alone: not all Java values come through all protocols. */
  private List<SoakStatement> by(SoakRoute route, List<SoakStatement> known, Consumer<String> progress) throws SQLException {
    if (!route.isServed()) {
      return known(route, known);
    }
    List<SoakStatement> same = new ArrayList<>();
    try (SoakConnection open = route.open()) {
      for (SoakStatement wanted : known) {
        try (Statement statement = open.connection().createStatement()) {
          FuzzRows rows = FuzzRows.read(statement.executeQuery(wanted.sql()), Integer.MAX_VALUE);
          if (rows != null && rows.difference(wanted.rows()) == null) {
            same.add(new SoakStatement(wanted.sql(), preparable(open, wanted), wanted.rows()));
          }
        } catch (SQLException e) {
          if (SoakErrors.code(e) >= ErrorCode.INTERNAL.number()) {
            findings.add("%s, alone: %s%n%s".formatted(route.name(), e.getMessage(), wanted.sql()));
          }
          count(route.name() + " refuses");
        }
      }
    }
    progress.accept("%s: %d of %d statements have the same values".formatted(route.name(), same.size(), known.size()));
    if (same.size() * 2 < known.size()) {
      findings.add("%s: most statements have other answers than in the process".formatted(route.name()));
    }
    return same;
  }

  /** All of them; some are refused with parameters in the places of their literals. */
  private static List<SoakStatement> known(SoakRoute route, List<SoakStatement> known) throws SQLException {
    List<SoakStatement> all = new ArrayList<>();
    try (SoakConnection open = route.open()) {
      for (SoakStatement wanted : known) {
        all.add(isRefused(open, wanted.prepared()) ? new SoakStatement(wanted.sql(), null, wanted.rows()) : wanted);
      }
    }
    return all;
  }

  private static boolean isRefused(SoakConnection open, @Nullable FuzzStatement prepared) throws SQLException {
    if (prepared == null) {
      return false;
    }
    try (PreparedStatement ready = open.connection().prepareStatement(prepared.prepared())) {
      FuzzDatabase.answer(ready, prepared.tree());
      return false;
    } catch (SQLException e) {
      int code = SoakErrors.code(e);
      return Arrays.stream(ErrorCode.values())
          .anyMatch(each -> each.number() == code && (each.kind() == ErrorKind.USER || each.kind() == ErrorKind.UNSUPPORTED));
    }
  }

  private static @Nullable FuzzStatement preparable(SoakConnection open, SoakStatement wanted) {
    FuzzStatement prepared = wanted.prepared();
    if (prepared == null) {
      return null;
    }
    try (PreparedStatement ready = open.connection().prepareStatement(prepared.prepared())) {
      FuzzRows rows = FuzzDatabase.answer(ready, prepared.tree());
      return rows != null && rows.difference(wanted.rows()) == null ? prepared : null;
    } catch (SQLException | RuntimeException e) {
      return null; // of a parameter whose type the driver does not send
    }
  }

  private List<MemoryBudget> hammer(List<SoakStatement> known, Path directory, Consumer<String> progress)
      throws SQLException, InterruptedException, IOException {
    Path tables = directory.resolve("tables");
    Path spill = directory.resolve("tables-spill");
    String url = options.configuration.url(tables.toString(), spill, SPILL_LIMIT);
    SoakRoute local =
        new SoakRoute("in process", 0, "%s;timeout=%ds".formatted(url, SoakClient.TIMEOUT_SECONDS));
    Set<Device> devices = new LinkedHashSet<>();
    ScheduledExecutorService cancels = Executors.newScheduledThreadPool(2);
    try (SoakConnection anchor = local.open();
        @Nullable SoakServers servers =
            options.served ? new SoakServers(url, options.clients, directory) : null) {
      Engines.open().forEach(open -> devices.addAll(devices(open.engine())));
      Set<MemoryBudget> budgets = new LinkedHashSet<>();
      for (Device device : devices) {
        budgets.add(device.memory());
        budgets.add(device.host().memory());
      }
      List<SoakRoute> routes = servers == null ? List.of(local) : servers.routes();
      ports = routes.stream().map(SoakRoute::port).collect(Collectors.toSet());
      List<List<SoakStatement>> statements = new ArrayList<>();
      for (SoakRoute route : routes) {
        statements.add(by(route, known, progress));
      }
      end = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.seconds);
      lastEnd.set(System.nanoTime());
      List<Thread> workers = new ArrayList<>();
      for (int i = 0; i < options.clients; i++) {
        int way = i % routes.size();
        SoakClient client =
            new SoakClient(this, routes.get(way), statements.get(way), new Random(options.seed + i), cancels, directory.resolve("copies"));
        workers.add(Thread.ofPlatform().name("soak-" + i).daemon(true).start(client::work));
      }
      watch(List.copyOf(budgets), List.copyOf(devices), workers, spill, progress);
      if (!anchor.connection().isValid(1)) {
        findings.add("the first connection does not answer");
      }
      if (!counts.containsKey("plain")) {
        findings.add("no statement had its answer: " + counts());
      }
      if (servers != null && !eventually(servers::isQuiet)) {
        findings.add("statements of clients that have gone are not over");
      }
      return List.copyOf(budgets);
    } finally {
      cancels.shutdownNow();
    }
  }

  private static boolean eventually(java.util.function.BooleanSupplier condition) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > until) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(BETWEEN_REFUSALS_MILLIS);
    }
    return true;
  }

  private static List<Device> devices(Engine engine) {
    var group = engine.group();
    return group == null ? List.of(engine.device()) : group.devices();
  }

  /** Refuses blocks now and then, breaks a device, has all pause, and looks whether statements still end. */
  private void watch(List<MemoryBudget> budgets, List<Device> devices, List<Thread> workers, Path spill, Consumer<String> progress)
      throws InterruptedException, IOException {
    Random random = new Random(options.seed);
    long begin = System.nanoTime();
    long round = Math.max(LEAST_ROUND, (end - begin) / ROUNDS);
    long told = begin;
    int rounds = 0;
    boolean broken = devices.size() < 2;
    while (workers.stream().anyMatch(Thread::isAlive)) {
      long now = System.nanoTime();
      if (now < end && !paused && random.nextInt(4) == 0) {
        AtomicLong left = new AtomicLong(1 + random.nextInt(BLOCKS));
        budgets.get(random.nextInt(budgets.size())).setAdmission(bytes -> {
          if (left.decrementAndGet() == 0) {
            throw new AragoniteException(ErrorCode.MEMORY_EXCEEDED, "a block is refused on purpose; raise memory=");
          }
        });
      }
      if (!broken && now - begin > (end - begin) / 2) {
        broken = true;
        breakOne(devices);
      }
      if (paused && working.get() == 0) {
        budgets.forEach(budget -> budget.setAdmission(null));
        note(String.valueOf(rounds), budgets, spill);
        paused = false;
      } else if (now < end && now - begin > (rounds + 1) * round) {
        rounds++;
        paused = true;
      }
      TimeUnit.MILLISECONDS.sleep(BETWEEN_REFUSALS_MILLIS);
      if (isStuck()) {
        return;
      }
      if (now - told > TOLD_NANOS) {
        told = now;
        progress.accept(
            "%d s: %s; %,d bytes in use, %d findings"
                .formatted((now - begin) / 1_000_000_000, counts(), budgets.stream().mapToLong(MemoryBudget::used).sum(), findings.size()));
      }
    }
    budgets.forEach(budget -> budget.setAdmission(null));
  }

  /** Has one device of several work no more, where it is one of the tests. */
  private void breakOne(List<Device> devices) {
    try {
      Device last = devices.getLast();
      broke = true;
      last.getClass().getMethod("failAfter", long.class).invoke(last, (long) new Random(options.seed).nextInt(MOST_COPIES));
      count("a device broke");
    } catch (ReflectiveOperationException e) {
      broke = false;
      count("no device can be broken");
    }
  }

  private boolean isStuck() {
    long[] locked = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
    if (locked == null && System.nanoTime() - lastEnd.get() < QUIET_NANOS) {
      return false;
    }
    findings.add((locked == null ? "no statement ends any more:\n" : "threads wait for each other:\n") + stacks());
    end = 0;
    return true;
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

  /** Whether a client may open another connection, once nobody has to pause any more; then it calls {@link #end}. */
  boolean begin() {
    while (paused && hasTime()) {
      try {
        TimeUnit.MILLISECONDS.sleep(BETWEEN_REFUSALS_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    if (!hasTime()) {
      return false;
    }
    working.incrementAndGet();
    return true;
  }

  void end() {
    working.decrementAndGet();
  }

  private boolean hasTime() {
    return System.nanoTime() < end && findings.size() < MOST_FINDINGS;
  }

  /** Whether a client goes on with its connection. */
  boolean goesOn() {
    return !paused && hasTime();
  }

  void count(String what) {
    counts.computeIfAbsent(what, name -> new AtomicLong()).incrementAndGet();
    lastEnd.set(System.nanoTime());
  }

  void found(String text) {
    findings.add(text);
    tell.accept(text);
    lastEnd.set(System.nanoTime());
  }

  /** What an error is called if something that is done on purpose explains it; null: nothing does. */
  @Nullable String expected(Exception error, boolean cancelled) {
    return broke && SoakErrors.code(error) == ErrorCode.DEVICE_FAILED.number()
        ? ErrorCode.DEVICE_FAILED.name()
        : SoakErrors.expected(error, cancelled);
  }

  /** How statements ended, with their numbers. */
  public String counts() {
    return new TreeMap<>(counts).toString();
  }
}
