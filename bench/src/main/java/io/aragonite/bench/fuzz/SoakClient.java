package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.Soak.SoakStatement;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One of the connections of a {@link Soak}. */
final class SoakClient {
  static final int TIMEOUT_SECONDS = 60;

  /** What a statement may end with beside its answer: memory is short, somebody cancels it, time ends, the connection is closed. */
  private static final Set<ErrorCode> EXPECTED = Set.of(ErrorCode.MEMORY_EXCEEDED, ErrorCode.CANCELLED, ErrorCode.TIMED_OUT);

  private static final int LONGEST_BEFORE_CANCEL = 40;
  private static final int SLOW_ROWS = 100;

  private final Soak soak;
  private final List<SoakStatement> statements;
  private final Random random;
  private final ScheduledExecutorService cancels;
  private final SoakOpener opener;

  /** Opens a connection. */
  interface SoakOpener {
    Connection open() throws SQLException;
  }

  SoakClient(Soak soak, List<SoakStatement> statements, Random random, ScheduledExecutorService cancels, SoakOpener opener) {
    this.soak = soak;
    this.statements = statements;
    this.random = random;
    this.cancels = cancels;
    this.opener = opener;
  }

  void work(BooleanSupplier goesOn) {
    try {
      while (goesOn.getAsBoolean()) {
        try (Connection connection = opener.open()) {
          for (int i = 1 + random.nextInt(60); i > 0 && goesOn.getAsBoolean(); i--) {
            ask(connection, statements.get(random.nextInt(statements.size())));
          }
        }
      }
    } catch (SQLException | RuntimeException | Error e) {
      soak.found("a client ended: " + e);
    }
  }

  private void ask(Connection connection, SoakStatement wanted) {
    int way = random.nextInt(20);
    try {
      if (way == 0) {
        leave(connection, wanted);
        soak.count("left");
      } else if (wanted.statement().check() == FuzzStatement.FuzzCheck.PREPARED && way < 10) {
        try (PreparedStatement ready = connection.prepareStatement(wanted.statement().prepared())) {
          for (int i = 1 + random.nextInt(3); i > 0; i--) {
            compare(FuzzDatabase.answer(ready, wanted.statement().tree()), wanted, "prepared");
          }
        }
      } else {
        try (Statement statement = connection.createStatement()) {
          if (way <= 3) {
            cancels.schedule(() -> cancel(statement), random.nextInt(LONGEST_BEFORE_CANCEL), TimeUnit.MILLISECONDS);
          }
          ResultSet rows = statement.executeQuery(wanted.statement().sql());
          compare(way == 4 ? slowly(rows) : FuzzRows.read(rows, Integer.MAX_VALUE), wanted, way == 4 ? "slow" : "plain");
        }
      }
    } catch (SQLException e) {
      ErrorCode known =
          EXPECTED.stream().filter(code -> code.number() == e.getErrorCode()).findFirst().orElse(null);
      if (known == null) {
        soak.found("an error that none expects: " + e.getMessage() + "\n" + wanted.statement().sql());
      } else {
        soak.count(known.name());
      }
    }
  }

  private static void cancel(Statement statement) {
    try {
      statement.cancel();
    } catch (SQLException e) {
      // It is closed already: nothing is left to cancel.
    }
  }

  /** Reads some rows, and closes the statement with its rows open. */
  private static void leave(Connection connection, SoakStatement wanted) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      ResultSet rows = statement.executeQuery(wanted.statement().sql());
      rows.next();
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
      soak.found("%s: %s%n%s".formatted(way, difference, wanted.statement().sql()));
    }
    soak.count(way);
  }
}
