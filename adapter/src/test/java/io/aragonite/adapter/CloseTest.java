package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.engine.OpenEngines;
import io.aragonite.adapter.result.ArrowResult;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What readers get when another thread closes what they read, and that nothing is left. */
@Timeout(120)
class CloseTest {
  /** Runs for very long unless it is ended. */
  private static final String LONG =
      "select count(*) from lineitem a, lineitem b where a.l_quantity + b.l_quantity < -1";

  private static final String ROWS = "select l_orderkey, l_comment, l_quantity from lineitem";

  private int enginesBefore;

  @BeforeEach
  void count() {
    enginesBefore = OpenEngines.count();
  }

  @AfterEach
  void nothingIsOpen() {
    // those of other tests may end meanwhile
    assertTrue(OpenEngines.count() <= enginesBefore, "an engine is left open");
  }

  /** An engine of its own. */
  private static Connection open() throws SQLException {
    return TestConnections.open("tpch=0.01;threads=2;memory=123MB");
  }

  /** What can be closed. */
  enum Closed {
    CONNECTION,
    STATEMENT,
    RESULT,
    ABORT;

    void close(Connection connection, Statement statement, ResultSet rows) throws Exception {
      switch (this) {
        case CONNECTION -> connection.close();
        case STATEMENT -> statement.close();
        case RESULT -> rows.close();
        case ABORT -> connection.abort(Runnable::run);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void lateReadersAreRefused(Closed kind) throws Exception {
    try (Connection connection = open();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(ROWS)) {
      assertTrue(rows.next());
      assertTrue(rows.next());
      CompletableFuture.runAsync(() -> close(kind, connection, statement, rows))
          .get(30, TimeUnit.SECONDS);
      assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(1));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getLong(1));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getString(2));
      assertError(ErrorCode.INVALID_CALL, () -> rows.getBigDecimal(3));
      assertError(ErrorCode.INVALID_CALL, rows::next);
      assertError(ErrorCode.INVALID_CALL, () -> rows.unwrap(ArrowResult.class));
      assertEquals(kind == Closed.RESULT, !statement.isClosed());
      assertEquals(kind == Closed.CONNECTION || kind == Closed.ABORT, connection.isClosed());
      if (kind != Closed.RESULT) {
        assertError(ErrorCode.INVALID_CALL, () -> statement.executeQuery("select 1"));
      }
      if (connection.isClosed()) {
        assertError(ErrorCode.INVALID_CALL, connection::createStatement);
        assertError(ErrorCode.INVALID_CALL, () -> connection.prepareStatement("select 1"));
      } else {
        assertEquals("25", TestConnections.query(connection, "select count(*) from nation").get(0));
      }
    }
  }

  private static void close(
      Closed kind, Connection connection, Statement statement, ResultSet rows) {
    try {
      kind.close(connection, statement, rows);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "RESULT", mode = EnumSource.Mode.EXCLUDE)
  void aRunningQueryEnds(Closed kind) throws Exception {
    try (Connection keeper = open();
        Connection connection = open();
        Statement statement = connection.createStatement()) {
      CompletableFuture<Void> reader =
          CompletableFuture.runAsync(() -> {
            try (ResultSet rows = statement.executeQuery(LONG)) {
              rows.next();
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          });
      Thread.sleep(300);
      ResultSet none = null;
      kind.close(connection, statement, none);
      ExecutionException error =
          assertThrows(ExecutionException.class, () -> reader.get(30, TimeUnit.SECONDS));
      SQLException cause =
          assertInstanceOf(SQLException.class, error.getCause().getCause(), error::toString);
      // By when it was seen: in the midst of the query, or between two calls.
      assertTrue(Set.of(602, 406).contains(cause.getErrorCode()), cause.getMessage());
      assertEquals("25", TestConnections.query(keeper, "select count(*) from nation").get(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  void arrowReadersAreRefused(Closed kind) throws Exception {
    try (BufferAllocator allocator = new RootAllocator();
        Connection connection = open();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(ROWS);
        ArrowReader reader = rows.unwrap(ArrowResult.class).reader(allocator)) {
      assertTrue(reader.loadNextBatch());
      int loaded = reader.getVectorSchemaRoot().getRowCount();
      kind.close(connection, statement, rows);
      IOException error = assertThrows(IOException.class, reader::loadNextBatch);
      AragoniteException cause = assertInstanceOf(AragoniteException.class, error.getCause());
      assertEquals(ErrorCode.INVALID_CALL, cause.code(), cause.getMessage());
      // The vectors that were loaded last are the caller's.
      assertEquals(loaded, reader.getVectorSchemaRoot().getVector(0).getValueCount());
    }
  }

  @Test
  void executingAgainEndsWhatAnotherThreadReads() throws Exception {
    try (Connection connection = open();
        PreparedStatement statement = connection.prepareStatement(ROWS + " where l_orderkey > ?")) {
      statement.setInt(1, 0);
      ResultSet first = statement.executeQuery();
      assertTrue(first.next());
      CompletableFuture.runAsync(
              () -> {
                try {
                  statement.setInt(1, 59_990);
                  ResultSet second = statement.executeQuery();
                  while (second.next()) {
                    assertTrue(second.getLong(1) > 59_990);
                  }
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              })
          .get(30, TimeUnit.SECONDS);
      assertError(ErrorCode.INVALID_CALL, () -> first.getString(2));
      assertError(ErrorCode.INVALID_CALL, first::next);
    }
  }

  @Test
  void closeOnCompletion() throws Exception {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      statement.closeOnCompletion();
      ResultSet rows = statement.executeQuery(ROWS);
      assertTrue(rows.next());
      CompletableFuture.runAsync(() -> close(Closed.RESULT, connection, statement, rows))
          .get(30, TimeUnit.SECONDS);
      assertTrue(statement.isClosed());
      assertError(ErrorCode.INVALID_CALL, () -> rows.getString(2));
      assertFalse(connection.isClosed());
    }
  }

  @Test
  void abortWantsAnExecutor() throws SQLException {
    try (Connection connection = open()) {
      assertError(ErrorCode.INVALID_CALL, () -> connection.abort(null));
      connection.abort(task -> {});
      assertTrue(connection.isClosed());
      assertError(ErrorCode.INVALID_CALL, connection::createStatement);
    }
  }

  /** Whoever comes back from close() finds nothing open. */
  @Test
  void twoThreadsClose() throws Exception {
    for (int i = 0; i < 20; i++) {
      Connection connection = open();
      Statement statement = connection.createStatement();
      ResultSet rows = statement.executeQuery(ROWS);
      assertTrue(rows.next());
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(() -> close(Closed.CONNECTION, connection, statement, rows));
      connection.close();
      assertTrue(connection.isClosed());
      nothingIsOpen();
      other.get(30, TimeUnit.SECONDS);
      assertError(ErrorCode.INVALID_CALL, connection::createStatement);
    }
  }

  /** One opens an engine of the kind that another is just closing. */
  @Test
  void openingWhileTheLastCloses() throws Exception {
    for (int i = 0; i < 30; i++) {
      Connection last = open();
      assertEquals("25", TestConnections.query(last, "select count(*) from nation").get(0));
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(() -> close(Closed.CONNECTION, last, null, null));
      try (Connection next = open()) {
        assertEquals("5", TestConnections.query(next, "select count(*) from region").get(0));
      }
      closing.get(30, TimeUnit.SECONDS);
    }
  }
}
