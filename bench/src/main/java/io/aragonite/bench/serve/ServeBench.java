package io.aragonite.bench.serve;

import io.aragonite.adapter.server.ServerOptions;
import io.aragonite.bench.cold.ColdEngine;
import io.aragonite.tpch.TpchScale;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Times small statements of many clients, and one large result, in the process and through each
 * server that is there, by JDBC, and beside them DuckDB in the process. Clients and servers share the process. Each answer is checked.
 */
public final class ServeBench {
  private static final double SCALE = 0.01;
  private static final int ORDERS = 15_000;
  private static final int ROW_BYTES = 24;

  /** What Avatica's server sends at once at most. */
  private static final int FETCH = 50_000;

  private static final String LOOKUP = "select o_custkey, o_orderkey from orders where o_orderkey = ";
  private static final String GROUP =
      "select n_regionkey, count(*) from nation group by n_regionkey order by n_regionkey";

  private final ServeOptions options;
  private final PrintWriter out;
  private final List<ServeFigures> figures = new ArrayList<>();
  private final Queue<String> complaints = new ConcurrentLinkedQueue<>();

  /**
   * What to measure.
   *
   * @param clients beside each other
   * @param seconds that they ask, after a time of the same length that is not counted
   * @param rows of the large result
   * @param repeat how often that is read; the fastest counts
   */
  public record ServeOptions(
      String device, int threads, int clients, double seconds, long rows, int repeat) {}

  public ServeBench(ServeOptions options, PrintWriter out) {
    this.options = options;
    this.out = out;
  }

  /** What went wrong; empty if all answers are right. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  /**
   * Measures, and prints a table.
   *
   * @return the same as CSV
   */
  public String run() throws SQLException, IOException, InterruptedException {
    String url =
        "jdbc:aragonite:device=%s;tpch=%s;threads=%d"
            .formatted(options.device, new TpchScale(SCALE), options.threads);
    try (BenchServers servers = BenchServers.start(ServerOptions.local(url));
        DuckDbRoute duckDb =
            ColdEngine.hasDuckDb()
                ? new DuckDbRoute(url, List.of("orders", "nation"), options.threads)
                : null) {
      Map<String, String> routes = new LinkedHashMap<>();
      routes.put("in process", url);
      servers.byName().forEach((name, server) -> routes.put(name, server.clientUrl()));
      if (duckDb != null) {
        routes.put("duckdb", duckDb.url());
      }
      out.print(ServeFigures.heading());
      for (Map.Entry<String, String> route : routes.entrySet()) {
        small(route.getKey(), route.getValue(), "row by its key", ServeBench::lookup);
        small(route.getKey(), route.getValue(), "prepared", ServeBench::prepared);
        small(route.getKey(), route.getValue(), "group", ServeBench::group);
      }
      for (Map.Entry<String, String> route : routes.entrySet()) {
        large(route.getKey(), route.getValue());
      }
    }
    complaints.forEach(out::println);
    return ServeFigures.csv(figures);
  }

  private void add(ServeFigures one) {
    figures.add(one);
    out.print(one.row());
    out.flush();
  }

  /** What a client asks again and again. */
  private interface SmallStatement extends AutoCloseable {
    /** Whether the answer is right. */
    boolean ask(Random random) throws SQLException;

    @Override
    default void close() throws SQLException {}
  }

  /** Makes a client's statement. */
  private interface StatementMaker {
    SmallStatement make(Connection connection) throws SQLException;
  }

  private static SmallStatement lookup(Connection connection) {
    return random -> {
      int key = key(random);
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(LOOKUP + key)) {
        return isRow(rows, key);
      }
    };
  }

  private static boolean isRow(ResultSet rows, int key) throws SQLException {
    return rows.next() && rows.getInt(2) == key && !rows.next();
  }

  /** TPC-H has eight keys of orders in each 32. */
  private static int key(Random random) {
    int number = 1 + random.nextInt(ORDERS);
    return number / 8 * 32 + number % 8;
  }

  private static SmallStatement prepared(Connection connection) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(LOOKUP + "?");
    return new SmallStatement() {
      @Override
      public boolean ask(Random random) throws SQLException {
        int key = key(random);
        statement.setInt(1, key);
        try (ResultSet rows = statement.executeQuery()) {
          return isRow(rows, key);
        }
      }

      @Override
      public void close() throws SQLException {
        statement.close();
      }
    };
  }

  private static SmallStatement group(Connection connection) {
    return _ -> {
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(GROUP)) {
        int groups = 0;
        boolean right = true;
        while (rows.next()) {
          right &= rows.getInt(1) == groups && rows.getLong(2) == 5;
          groups++;
        }
        return right && groups == 5;
      }
    };
  }

  private void small(String route, String url, String what, StatementMaker statement)
      throws InterruptedException {
    Queue<long[]> all = new ConcurrentLinkedQueue<>();
    StartLine line = new StartLine(options.clients, options.seconds);
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < options.clients; i++) {
      Random random = new Random(i);
      clients.add(
          Thread.ofPlatform()
              .name("client-" + i)
              .start(() -> client(route + ", " + what, url, statement, random, line, all)));
    }
    line.start();
    for (Thread client : clients) {
      client.join();
    }
    long[] nanos = all.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    if (nanos.length == 0) {
      complaints.add(route + ", " + what + ": no statement ended in time");
      return;
    }
    add(
        new ServeFigures(
            route,
            what,
            options.clients,
            nanos.length,
            millis(nanos[nanos.length / 2]),
            millis(nanos[(int) (nanos.length * 0.99)]),
            millis(nanos[nanos.length - 1]),
            nanos.length / options.seconds));
  }

  private static double millis(long nanos) {
    return nanos / 1e6;
  }

  private void client(
      String what,
      String url,
      StatementMaker maker,
      Random random,
      StartLine line,
      Queue<long[]> all) {
    long[] nanos = new long[1024];
    int count = 0;
    try (Connection connection = DriverManager.getConnection(url);
        SmallStatement statement = maker.make(connection)) {
      long begin = line.await();
      long end = begin + line.nanos();
      for (long now = System.nanoTime(); now - end < 0; ) {
        boolean right = statement.ask(random);
        long after = System.nanoTime();
        if (!right) {
          complaints.add(what + ": a wrong answer");
          return;
        }
        if (now - begin >= 0) {
          nanos = count == nanos.length ? Arrays.copyOf(nanos, 2 * count) : nanos;
          nanos[count++] = after - now;
        }
        now = after;
      }
    } catch (SQLException | RuntimeException e) {
      complaints.add(what + ": " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      line.ready.countDown();
      all.add(Arrays.copyOf(nanos, count));
    }
  }

  /** Where clients wait until all are connected. What they ask after some time counts. */
  private static final class StartLine {
    private final CountDownLatch ready;
    private final CountDownLatch started = new CountDownLatch(1);
    private final long nanos;
    private volatile long begin;

    StartLine(int clients, double seconds) {
      this.ready = new CountDownLatch(clients);
      this.nanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /** For how long statements count, and clients ask before that. */
    long nanos() {
      return nanos;
    }

    /** Lets clients go as soon as each is connected, or has failed. */
    void start() throws InterruptedException {
      ready.await();
      begin = System.nanoTime() + nanos;
      started.countDown();
    }

    /** Waits for the start; from when on statements count. */
    long await() throws InterruptedException {
      ready.countDown();
      started.await();
      return begin;
    }
  }

  private void large(String route, String url) throws SQLException {
    if (options.rows == 0) {
      return;
    }
    String sql =
        "select i as a, i * 7 as b, i * 0.5e0 as c from"
            + " (select cast(g as bigint) as i from generate_series(1, %d) as t(g))"
                .formatted(options.rows);
    double best = Double.MAX_VALUE;
    double longest = 0;
    for (int run = 0; run <= options.repeat; run++) {
      long begin = System.nanoTime();
      if (sum(url, sql) != options.rows * (options.rows + 1) / 2) {
        complaints.add(route + ": the large result is wrong");
      }
      double seconds = (System.nanoTime() - begin) / 1e9;
      if (run > 0) { // the first is apart
        best = Math.min(best, seconds);
        longest = Math.max(longest, seconds);
      }
    }
    double rate = options.rows * ROW_BYTES / best / 1e9;
    add(
        new ServeFigures(
            route, "one large result", 1, options.rows, best * 1e3, longest * 1e3, longest * 1e3, rate));
  }

  private static long sum(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.setFetchSize(FETCH);
      try (ResultSet rows = statement.executeQuery(sql)) {
        long sum = 0;
        while (rows.next()) {
          sum += rows.getLong(1);
          rows.getLong(2);
          rows.getDouble(3);
        }
        return sum;
      }
    }
  }
}
