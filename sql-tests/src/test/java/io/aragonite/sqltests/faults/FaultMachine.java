package io.aragonite.sqltests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.aragonite.adapter.engine.Engines;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an engine of its own over some small tables, what a statement answers there, and
 * what it leaves behind.
 */
final class FaultMachine implements AutoCloseable {
  private static final String OURS = "aragonite-";
  private static final long PATIENCE_MILLIS = 5_000;

  /** Errors where a table or a file is missing. */
  private static final Set<Integer> ABSENT =
      Set.of(ErrorCode.UNKNOWN_TABLE.number(), ErrorCode.FILE_UNREADABLE.number());

  private static final int LINES = 360;

  /** Workers that a statement of many pipelines has had beside each other stay for a while. */
  private static final int MORE_THREADS = 16;

  private final Path tables;
  private final Path spill;
  private final Path out;
  private final Map<String, String> system;
  private final Connection connection;
  private final List<Engine> engines = new ArrayList<>();
  private final List<MemoryBudget> budgets;

  /** What there was before the first fault. */
  private @Nullable Left before;

  /** What is there beside what a statement works on; of threads, how many. */
  private record Left(List<Long> memory, List<String> files, List<String> open, int threads) {}

  /**
   * @param folder an empty one
   * @param properties of the connection; no other engine of the process has these
   * @param system properties of the process meanwhile
   */
  FaultMachine(Path folder, Map<String, String> properties, Map<String, String> system)
      throws IOException, SQLException {
    tables = Files.createDirectory(folder.resolve("tables"));
    spill = Files.createDirectory(folder.resolve("spill"));
    out = Files.createDirectory(folder.resolve("out"));
    this.system = system;
    writeTables();
    system.forEach(System::setProperty);
    Properties all = new Properties();
    all.putAll(properties);
    all.setProperty("directory", tables.toString());
    all.setProperty("spill", spill.toString());
    all.setProperty("timeout", "30s");
    Set<Integer> others = new LinkedHashSet<>();
    Engines.open().forEach(open -> others.add(open.number()));
    connection = DriverManager.getConnection("jdbc:aragonite:", all);
    Set<MemoryBudget> found = new LinkedHashSet<>();
    for (Engines.OpenEngine open : Engines.open()) {
      if (!others.contains(open.number())) {
        engines.add(open.engine());
        for (Device device : devices(open.engine())) {
          found.add(device.memory());
          found.add(device.host().memory());
        }
      }
    }
    budgets = List.copyOf(found);
    assertTrue(!budgets.isEmpty(), "no engine was opened");
  }

  private static List<? extends Device> devices(Engine engine) {
    var group = engine.group();
    return group == null ? List.of(engine.device()) : group.devices();
  }

  /** Devices of the engine. */
  List<Device> devices() {
    List<Device> all = new ArrayList<>();
    engines.forEach(engine -> all.addAll(devices(engine)));
    return all;
  }

  /** Of each device and its host. */
  List<MemoryBudget> budgets() {
    return budgets;
  }

  Path spill() {
    return spill;
  }

  /** Where statements may write. */
  Path out() {
    return out;
  }

  private void writeTables() throws IOException, SQLException {
    StringBuilder r = new StringBuilder("id,k,v,t\n");
    StringBuilder s = new StringBuilder("id,k,v,t\n");
    StringBuilder e = new StringBuilder("x,y\n");
    for (int i = 0; i < LINES; i++) {
      String k = i % 29 == 7 ? "" : String.valueOf(i * 7919 % 97);
      r.append("%d,%s,%d,text %d\n".formatted(i, k, i * 31 % 53, i * 17 % 211));
      if (i % 2 == 0) {
        s.append("%d,%s,%d,text %d\n".formatted(i, k, i * 13 % 41, i * 5 % 307));
      }
      e.append("%d,%d\n".formatted(i * 7 % 30, i * 11 % 31));
    }
    Files.writeString(tables.resolve("r.csv"), r);
    Files.writeString(tables.resolve("s.csv"), s);
    Files.writeString(tables.resolve("e.csv"), e);
    Properties properties = new Properties();
    properties.setProperty("directory", tables.toString());
    properties.setProperty("device", "cpu");
    properties.setProperty("memory", "299MB");
    try (Connection writer = DriverManager.getConnection("jdbc:aragonite:", properties);
        Statement statement = writer.createStatement()) {
      for (String file : List.of("rp.parquet", "ra.arrow")) {
        statement.execute("copy r to '" + tables.resolve(file) + "'");
      }
    }
  }

  /** Runs statements that have no fault. */
  void execute(List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Rows in an order of their own, or how many a change has changed. */
  List<String> run(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return List.of(statement.getUpdateCount() + " changed");
      }
      try (ResultSet result = statement.getResultSet()) {
        int width = result.getMetaData().getColumnCount();
        while (result.next()) {
          StringBuilder row = new StringBuilder();
          for (int i = 1; i <= width; i++) {
            row.append(i == 1 ? "" : " | ").append(result.getString(i));
          }
          rows.add(row.toString());
        }
      }
    }
    rows.sort(Comparator.naturalOrder());
    return rows;
  }

  /** What a query about a change says; a table or file that is not there is an answer too. */
  List<String> state(FaultCase one) throws SQLException {
    String check = one.check();
    if (check == null) {
      return List.of();
    }
    try {
      return run(check);
    } catch (SQLException e) {
      if (!ABSENT.contains(e.getErrorCode())) {
        throw e;
      }
      return List.of("error " + e.getErrorCode());
    }
  }

  /** Takes a change back that was made. */
  void undo(FaultCase one) throws IOException, SQLException {
    execute(one.undo());
    clearOut();
  }

  /** Removes what statements have written. */
  void clearOut() throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(out)) {
      all = found.sorted(Comparator.reverseOrder()).filter(path -> !path.equals(out)).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }

  /** Notes what is there now: statements leave no more, from now on. */
  void begin() throws IOException {
    Left now = left();
    Left first = before;
    // Threads that a statement leaves must not be what the next one may have.
    before = first == null ? now : new Left(now.memory, now.files, now.open, first.threads);
  }

  /**
   * @param what has happened, for the message
   * @throws AssertionError if more memory, files or threads are there than at {@link #begin}
   */
  void assertNothingLeft(String what) throws IOException {
    Left then = before;
    if (then == null) {
      throw new IllegalStateException("begin() comes first");
    }
    Left now = left();
    long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    // Workers end what they do behind the statement's back.
    while (!fits(then, now) && System.nanoTime() < end) {
      pause();
      now = left();
    }
    if (!fits(then, now)) {
      assertEquals(then, now, what);
      fail(what + ": more is left: " + now);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean fits(Left then, Left now) {
    // Pools of threads grow for a while.
    boolean fits =
        now.threads <= then.threads + MORE_THREADS && now.files.size() <= then.files.size();
    fits &= now.open.size() <= then.open.size();
    for (int i = 0; i < now.memory.size(); i++) {
      fits &= now.memory.get(i) <= then.memory.get(i);
    }
    return fits;
  }

  /** The engine locks its folder of spill files when it first has one, for as long as it lives. */
  private static boolean isOfStatement(String file) {
    return !file.endsWith("/lock");
  }

  private Left left() throws IOException {
    List<Long> memory = new ArrayList<>();
    for (MemoryBudget budget : budgets) {
      // What caches give up is not lost.
      budget.reclaim(Long.MAX_VALUE);
      memory.add(budget.used());
    }
    List<String> files = new ArrayList<>();
    for (Path folder : List.of(spill, out)) {
      try (Stream<Path> found = Files.walk(folder)) {
        found
            .filter(Files::isRegularFile)
            .map(Path::toString)
            .filter(FaultMachine::isOfStatement)
            .forEach(files::add);
      }
    }
    int threads = 0;
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      threads += thread.getName().startsWith(OURS) ? 1 : 0;
    }
    return new Left(memory, files, open(), threads);
  }

  /** Files of ours that the process has open, where the system tells. */
  private List<String> open() throws IOException {
    List<String> open = new ArrayList<>();
    Path descriptors = Path.of("/proc/self/fd");
    if (Files.isDirectory(descriptors)) {
      try (Stream<Path> all = Files.list(descriptors)) {
        for (Path one : all.toList()) {
          String file = target(one);
          boolean ours = file.startsWith(spill.toString()) || file.startsWith(out.toString());
          if (ours && isOfStatement(file)) {
            open.add(file);
          }
        }
      }
    }
    return open;
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  @Override
  public void close() throws SQLException {
    try {
      connection.close();
    } finally {
      system.keySet().forEach(System::clearProperty);
    }
  }
}
