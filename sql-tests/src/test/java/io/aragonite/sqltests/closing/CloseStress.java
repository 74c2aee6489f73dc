package io.aragonite.sqltests.closing;

import io.aragonite.adapter.result.ArrowResult;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.memory.MemoryLeaks;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of threads that read results while others close what they read from, for so many seconds:
 * arguments are the URL without {@code memory=}, the seed, the seconds, and a {@link CloseKind} for
 * rounds of nothing else. Prints how often which was done. Every error must be one that a reader
 * may get, every row that is handed out must be right, and nothing may be left open.
 */
final class CloseStress {
  /** What is done to readers. */
  enum CloseKind {
    CONNECTION,
    STATEMENT,
    RESULT,
    ABORT,
    CANCEL,
    TIMEOUT,
    READER,
    EXECUTE_AGAIN,
    ON_COMPLETION,
    SEVERAL,
    OPEN_BESIDE
  }

  /** CLOSED, MEMORY_EXCEEDED, CANCELLED, TIMED_OUT. */
  private static final Set<Integer> ALLOWED = Set.of(406, 601, 602, 603);

  private static final List<String> QUERIES =
      List.of(
          "select k, t, v, k * 3 as x from big",
          "select k, t, v, k * 3 as x from big order by v desc",
          "select count(*) from big a join big b on a.k = b.k",
          "select sum(char_length(repeat(t, 2000))) from big",
          "select a.k, a.t, a.v, b.k * 3 as x from big a join big b on a.k = b.k",
          "select max(k), t, max(v), max(k) * 3 from big group by t, v",
          "select k, t, sum(v) over (partition by k order by v), k * 3 as x from big",
          "select k, upper(lower(t)), v, k * 3 as x from big where t like '%1%' and k <> 3");

  private static final List<String> MEMORY = List.of("2GB", "2GB", "200MB", "24MB");

  private final String url;
  private final Random random;
  private final Map<CloseKind, LongAdder> done = new EnumMap<>(CloseKind.class);
  private final Map<Integer, LongAdder> errors = new ConcurrentHashMap<>();
  private final LongAdder rowsRead = new LongAdder();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  private CloseStress(String url, long seed) {
    this.url = url;
    this.random = new Random(seed);
    for (CloseKind kind : CloseKind.values()) {
      done.put(kind, new LongAdder());
    }
  }

  public static void main(String[] args) throws Exception {
    CloseStress stress = new CloseStress(args[0], Long.parseLong(args[1]));
    @Nullable CloseKind only = args.length > 3 ? CloseKind.valueOf(args[3]) : null;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[2]));
    int rounds = 0;
    do {
      CloseKind[] all = CloseKind.values();
      stress.round(only != null ? only : all[stress.random.nextInt(all.length)]);
      rounds++;
    } while (System.nanoTime() < end && stress.failures.isEmpty());
    System.out.println(
        "closed "
            + stress.done
            + ", rounds "
            + rounds
            + ", rows "
            + stress.rowsRead
            + ", errors "
            + stress.errors);
    stress.failures.forEach(Throwable::printStackTrace);
    System.exit(stress.failures.isEmpty() ? 0 : 1);
  }

  /** What one round's threads share. */
  private static final class Round {
    final Connection connection;
    final List<Statement> statements = new ArrayList<>();
    final List<ResultSet> results = new ArrayList<>();

    Round(Connection connection) {
      this.connection = connection;
    }

    synchronized <T> void add(List<T> list, T one) {
      list.add(one);
    }

    synchronized <T> List<T> all(List<T> list) {
      return List.copyOf(list);
    }
  }

  private void round(CloseKind kind) throws Exception {
    String options = url + ";memory=" + MEMORY.get(random.nextInt(MEMORY.size()));
    boolean kept = random.nextBoolean();
    boolean prepared = kind == CloseKind.EXECUTE_AGAIN || random.nextInt(4) == 0;
    long millis = (long) (-Math.log(1 - random.nextDouble()) * 60);
    try (Connection keeper = kept ? DriverManager.getConnection(options) : null;
        Connection connection = DriverManager.getConnection(options)) {
      Round round = new Round(connection);
      List<Thread> threads = new ArrayList<>();
      String sql = QUERIES.get(random.nextInt(QUERIES.size()));
      @Nullable PreparedStatement shared = prepared ? connection.prepareStatement(sql) : null;
      if (shared != null) {
        round.add(round.statements, shared);
      }
      int readers = 1 + random.nextInt(3);
      for (int i = 0; i < readers; i++) {
        String own = shared != null ? sql : QUERIES.get(random.nextInt(QUERIES.size()));
        boolean arrow = random.nextInt(4) == 0 || kind == CloseKind.READER;
        threads.add(start("reader", () -> read(round, shared, own, arrow, kind)));
      }
      Thread.sleep(millis);
      List<Thread> reading = List.copyOf(threads);
      int closers = 1 + random.nextInt(2);
      for (int i = 0; i < closers; i++) {
        CloseKind one = kind == CloseKind.SEVERAL ? oneOf() : kind;
        Random own = new Random(random.nextLong());
        threads.add(
            start("closer", () -> closeUntilDone(round, one, options, shared, reading, own)));
      }
      // What is to be closed may not be there yet, and who closes may wait for who runs.
      long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1500);
      while (reading.stream().anyMatch(Thread::isAlive)) {
        Thread.sleep(50);
        if (System.nanoTime() > patience && !connection.isClosed()) {
          close(round, CloseKind.CANCEL, options, shared);
        }
      }
      for (Thread thread : threads) {
        await(thread);
      }
    }
    if (MemoryDebug.ON) {
      MemoryLeaks.assertClosed();
    }
    // A thread that has left its pool may need a moment to end.
    for (int i = 0; workersLeft(); i++) {
      if (i == 100) {
        throw new AssertionError("the engine is open although all connections are closed");
      }
      Thread.sleep(20);
    }
  }

  private static boolean workersLeft() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("aragonite-worker"));
  }

  private CloseKind oneOf() {
    CloseKind[] some = {
      CloseKind.CONNECTION, CloseKind.STATEMENT, CloseKind.RESULT, CloseKind.CANCEL
    };
    return some[random.nextInt(some.length)];
  }

  private interface Task {
    void run() throws Exception;
  }

  private Thread start(String name, Task task) {
    return Thread.ofPlatform()
        .name(name)
        .start(() -> {
          try {
            task.run();
          } catch (SQLException e) {
            check(e);
          } catch (IOException e) {
            SQLException cause =
                e.getCause() instanceof io.aragonite.exec.error.AragoniteException ours
                    ? new SQLException(e.getMessage(), "", ours.code().number(), e)
                    : new SQLException(e);
            check(cause);
          } catch (io.aragonite.exec.error.AragoniteException e) {
            // The readers of Arrow are not JDBC's.
            check(new SQLException(e.getMessage(), "", e.code().number(), e));
          } catch (Throwable e) {
            failures.add(e);
          }
        });
  }

  private void check(SQLException error) {
    errors.computeIfAbsent(error.getErrorCode(), code -> new LongAdder()).increment();
    if (error.getErrorCode() == 603) {
      done.get(CloseKind.TIMEOUT).increment();
    }
    if (!ALLOWED.contains(error.getErrorCode())) {
      failures.add(error);
    }
  }

  private static void await(Thread thread) throws InterruptedException {
    if (!thread.join(java.time.Duration.ofSeconds(100))) {
      Thread.getAllStackTraces()
          .forEach((one, frames) -> {
            System.out.println(one);
            for (StackTraceElement frame : frames) {
              System.out.println("    " + frame);
            }
          });
      System.out.println("a thread does not end: " + thread);
      System.exit(3);
    }
  }

  private void read(
      Round round, @Nullable PreparedStatement shared, String sql, boolean arrow, CloseKind kind)
      throws Exception {
    Statement statement = shared != null ? shared : round.connection.createStatement();
    round.add(round.statements, statement);
    if (kind == CloseKind.TIMEOUT) {
      statement.setQueryTimeout(1);
    }
    if (kind == CloseKind.ON_COMPLETION) {
      statement.closeOnCompletion();
    }
    ResultSet rows = shared != null ? shared.executeQuery() : statement.executeQuery(sql);
    round.add(round.results, rows);
    if (arrow) {
      columns(rows);
    } else {
      rows(rows);
    }
  }

  private void rows(ResultSet rows) throws SQLException {
    boolean several = rows.getMetaData().getColumnCount() == 4;
    long count = 0;
    try {
      while (rows.next()) {
        if (several) {
          row(rows, (count & 1) == 0);
        } else {
          Objects.requireNonNull(rows.getString(1));
        }
        count++;
      }
    } finally {
      rowsRead.add(count);
    }
  }

  /** Two threads may run one statement; each has a result of its own. */
  private void row(ResultSet rows, boolean objects) throws SQLException {
    long k = objects ? ((Number) rows.getObject(1)).longValue() : rows.getLong(1);
    String text = objects ? (String) rows.getObject(2) : rows.getString(2);
    long x = objects ? ((Number) rows.getObject(4)).longValue() : rows.getLong(4);
    if (x != 3 * k || !("value " + k).equalsIgnoreCase(text)) {
      throw new AssertionError("a row of garbage: " + k + ", " + text + ", " + x);
    }
  }

  private void columns(ResultSet rows) throws SQLException, IOException {
    try (BufferAllocator allocator = new RootAllocator()) {
      AtomicLong count = new AtomicLong();
      ArrowReader reader = rows.unwrap(ArrowResult.class).reader(allocator);
      try {
        while (reader.loadNextBatch()) {
          count.addAndGet(reader.getVectorSchemaRoot().getRowCount());
        }
      } finally {
        rowsRead.add(count.get());
        reader.close();
      }
    }
  }

  /** Closes until all readers have ended, some of which may not have begun yet. */
  private void closeUntilDone(
      Round round,
      CloseKind kind,
      String options,
      @Nullable PreparedStatement shared,
      List<Thread> reading,
      Random own)
      throws Exception {
    long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(own.nextInt(1500));
    do {
      close(round, System.nanoTime() < patience ? kind : CloseKind.CANCEL, options, shared);
      Thread.sleep(own.nextInt(50));
    } while (reading.stream().anyMatch(Thread::isAlive));
  }

  private void close(
      Round round, CloseKind kind, String options, @Nullable PreparedStatement shared)
      throws Exception {
    switch (kind) {
      case CONNECTION -> round.connection.close();
      case ABORT -> {
        Thread[] thread = new Thread[1];
        round.connection.abort(task -> thread[0] = Thread.ofPlatform().start(task));
        await(thread[0]);
      }
      case STATEMENT -> {
        for (Statement statement : round.all(round.statements)) {
          statement.close();
        }
      }
      // Arrow's reader is one thread's; what it reads from is anybody's.
      case RESULT, ON_COMPLETION, READER -> {
        List<ResultSet> open = round.all(round.results);
        if (open.isEmpty()) {
          return;
        }
        for (ResultSet rows : open) {
          rows.close();
        }
      }
      case CANCEL -> cancel(round);
      case TIMEOUT -> {
        return; // counted where it ends a statement
      }
      case EXECUTE_AGAIN -> {
        if (shared != null) {
          ResultSet rows = shared.executeQuery();
          for (int i = 0; i < 10 && rows.next(); i++) {
            Objects.requireNonNull(rows.getString(1));
          }
        }
      }
      case OPEN_BESIDE -> {
        Thread opener =
            start(
                "opener",
                () -> {
                  try (Connection other = DriverManager.getConnection(options);
                      Statement statement = other.createStatement();
                      ResultSet rows = statement.executeQuery("select max(k) from big")) {
                    rows.next();
                    Objects.requireNonNull(rows.getString(1));
                  }
                });
        round.connection.close();
        await(opener);
      }
      case SEVERAL -> throw new IllegalStateException();
    }
    done.get(kind).increment();
  }

  private void cancel(Round round) {
    for (Statement statement : round.all(round.statements)) {
      try {
        statement.cancel();
      } catch (SQLException e) {
        check(e); // it is closed already
      }
    }
  }
}
