package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.Soak.SoakStatement;
import io.aragonite.bench.fuzz.SoakRoute.SoakConnection;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One of the clients of a {@link Soak}. */
final class SoakClient {
  static final int TIMEOUT_SECONDS = 60;

  private static final int LONGEST_BEFORE_CANCEL = 40;
  private static final int SLOW_ROWS = 100;
  private static final int MOST_STATEMENTS = 60;

  private final Soak soak;
  private final SoakRoute route;
  private final List<SoakStatement> statements;
  private final Random random;
  private final ScheduledExecutorService cancels;
  private final Path copies;

  SoakClient(Soak soak, SoakRoute route, List<SoakStatement> statements, Random random, ScheduledExecutorService cancels, Path copies) {
    this.soak = soak;
    this.route = route;
    this.statements = statements;
    this.random = random;
    this.cancels = cancels;
    this.copies = copies;
  }

  /** Opens connections and works on each for a while, until there is no time. */
  void work() {
    while (soak.begin()) {
      try (SoakConnection open = route.open()) {
        SoakTable own = new SoakTable(open.connection(), random, copies);
        for (int i = 1 + random.nextInt(MOST_STATEMENTS); i > 0 && soak.goesOn() && !open.isCut(); i--) {
          ask(open, own);
        }
      } catch (SQLException | RuntimeException e) {
        String known = soak.expected(e, false);
        if (known == null) {
          soak.found("%s: a connection: %s at %s".formatted(route.name(), e, List.of(e.getStackTrace()).stream().limit(8).toList()));
        } else {
          soak.count(known);
        }
      } catch (Error e) {
        soak.found("%s: a client: %s at %s".formatted(route.name(), e, List.of(e.getStackTrace()).stream().limit(8).toList()));
      } finally {
        soak.end();
      }
    }
  }

  private void ask(SoakConnection open, SoakTable own) {
    SoakStatement wanted = statements.get(random.nextInt(statements.size()));
    AtomicBoolean cancelled = new AtomicBoolean();
    String about = wanted.sql();
    try {
      int way = random.nextInt(24);
      if (way >= 20) {
        about = "own table";
        String wrong = own.work();
        if (wrong != null) {
          soak.found(route.name() + ": " + wrong);
        }
        soak.count("own table");
      } else {
        query(open, wanted, way, cancelled);
      }
    } catch (SQLException | RuntimeException e) {
      failed(open, e, cancelled.get(), about);
    }
  }

  private void failed(SoakConnection open, Exception error, boolean cancelled, String about) {
    if (open.isCut()) {
      soak.count("vanished");
      return;
    }
    String known = soak.expected(error, cancelled);
    if (known == null) {
      soak.found(
          "%s: an error that none expects: %s at %s%n%s"
              .formatted(route.name(), error, List.of(error.getStackTrace()).stream().limit(12).toList(), about));
    } else {
      soak.count(known);
    }
  }

  private void query(SoakConnection open, SoakStatement wanted, int way, AtomicBoolean cancelled) throws SQLException {
    FuzzStatement prepared = wanted.prepared();
    if (way == 0) {
      leave(open, wanted);
      soak.count("left");
    } else if (prepared != null && way < 10) {
      try (PreparedStatement ready = open.connection().prepareStatement(prepared.prepared())) {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
          compare(FuzzDatabase.answer(ready, prepared.tree()), wanted, "prepared");
        }
      }
    } else {
      try (Statement statement = open.connection().createStatement()) {
        SoakWire wire = open.wire();
        long soon = random.nextInt(LONGEST_BEFORE_CANCEL);
        if (way <= 2 && route.cancels()) {
          cancels.schedule(() -> cancel(statement, cancelled), soon, TimeUnit.MILLISECONDS);
        } else if (way == 3 && wire != null) {
          cancels.schedule(wire::cut, soon, TimeUnit.MILLISECONDS);
        }
        ResultSet rows = statement.executeQuery(wanted.sql());
        compare(way == 4 ? slowly(rows) : FuzzRows.read(rows, Integer.MAX_VALUE), wanted, way == 4 ? "slow" : "plain");
      }
    }
  }

  private static void cancel(Statement statement, AtomicBoolean cancelled) {
    try {
      cancelled.set(true);
      statement.cancel();
    } catch (SQLException | RuntimeException e) {
      // It is closed already: nothing is left to cancel.
    }
  }

  /** Reads some rows, and closes the statement with its rows open, whose stream Apache's driver then cancels itself. */
  private static void leave(SoakConnection open, SoakStatement wanted) throws SQLException {
    try (Statement statement = open.connection().createStatement()) {
      ResultSet rows = statement.executeQuery(wanted.sql());
      rows.next();
    } catch (RuntimeException e) {
      if (!SoakErrors.isOfFlight(e)) {
        throw e;
      }
    }
  }

  private static @Nullable FuzzRows slowly(ResultSet rows) throws SQLException {
    return FuzzRows.read(rows, Integer.MAX_VALUE, row -> {
      if (row < SLOW_ROWS) {
        try {
          Thread.sleep(1);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    });
  }

  private void compare(@Nullable FuzzRows found, SoakStatement wanted, String way) {
    String difference = found == null ? "more rows" : found.difference(wanted.rows());
    if (difference != null) {
      soak.found("%s, %s: %s%n%s".formatted(route.name(), way, difference, wanted.sql()));
    }
    soak.count(way);
  }
}
