package io.aragonite.adapter.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept of queries, and for how long. */
class QueryLogTest {
  private static final ClientIdentity ANN = new ClientIdentity("avatica", "ann", "here");
  private static final ClientIdentity BOB = new ClientIdentity("flight", "bob", "there");
  private static final ConsoleViewer ALL = new ConsoleViewer("root", true);
  private static final ConsoleViewer OF_ANN = new ConsoleViewer("ann", false);

  private final QueryLog log = new QueryLog();

  private LoggedQuery run(ClientIdentity client, String sql) {
    Execution run = new Execution(null);
    LoggedQuery query = log.begin(client, run, sql, true);
    query.admitted();
    run.onEnd(query::ended);
    run.close();
    return query;
  }

  @Test
  void thereAreNotMoreThanSoMany() {
    LoggedQuery first = run(ANN, "select 0");
    for (int i = 0; i < QueryLog.MOST_ENDED; i++) {
      run(ANN, "select " + i);
    }
    List<LoggedQuery> seen = log.seenBy(ALL);
    assertEquals(QueryLog.MOST_ENDED, seen.size());
    assertEquals("select 199", seen.getFirst().sql());
    assertNull(log.find(first.id(), ALL));
  }

  @Test
  void thereAreNotMoreThanSoManyBytes() {
    String sql = "select '" + "x".repeat(200_000) + "'";
    for (int i = 0; i < QueryLog.MOST_ENDED; i++) {
      LoggedQuery query = run(ANN, sql);
      assertEquals(LoggedQuery.MOST_CHARACTERS + 1, query.sql().length());
    }
    assertTrue(log.bytes() <= QueryLog.MOST_BYTES, log.bytes() + " bytes");
    int kept = log.seenBy(ALL).size();
    assertTrue(kept > 100 && kept < QueryLog.MOST_ENDED, kept + " queries");
  }

  @Test
  void nobodyPushesOutThoseOfOthers() {
    LoggedQuery mine = run(ANN, "select 1");
    for (int i = 0; i < 3 * QueryLog.MOST_ENDED; i++) {
      run(BOB, "select 2");
      log.notPrepared(
          BOB, "select " + "x".repeat(100_000), new AragoniteException(ErrorCode.SYNTAX, "no"));
    }
    assertNotNull(log.find(mine.id(), OF_ANN));
    assertEquals(List.of(mine), log.seenBy(OF_ANN));
    assertTrue(log.seenBy(ALL).size() <= QueryLog.MOST_ENDED);
    assertTrue(log.bytes() <= QueryLog.MOST_BYTES);
  }

  @Test
  void othersAreNotFound() {
    LoggedQuery query = run(BOB, "select 2");
    assertNull(log.find(query.id(), OF_ANN));
    assertEquals(List.of(), log.seenBy(OF_ANN));
    assertNull(log.find("", ALL));
  }

  @Test
  void statesAreThoseOfTheRun() {
    Execution run = new Execution(null);
    LoggedQuery query = log.begin(ANN, run, "select 1", true);
    run.onEnd(query::ended);
    assertEquals(LoggedQuery.QueryState.WAITING, query.snapshot().outcome().state());
    assertEquals(1, log.waiting());
    query.admitted();
    assertEquals(LoggedQuery.QueryState.PLANNING, query.snapshot().outcome().state());
    assertEquals(0, log.waiting());
    assertEquals(1, log.running());
    assertTrue(query.cancel());
    assertEquals(1, log.running(), "its work has not ended");
    run.close();
    LoggedQuery.Outcome outcome = query.snapshot().outcome();
    assertEquals(LoggedQuery.QueryState.CANCELLED, outcome.state());
    assertEquals("AR-" + ErrorCode.CANCELLED.number(), outcome.code());
    assertEquals(0, log.running());
    assertFalse(query.cancel());
    assertEquals(List.of(query), log.seenBy(ALL));
  }

  @Test
  void defectsTellNothing() {
    Execution run = new Execution(null);
    LoggedQuery query = log.begin(ANN, run, "select 1", true);
    run.failed(new IllegalStateException("inside"));
    query.ended();
    LoggedQuery.Outcome outcome = query.snapshot().outcome();
    assertEquals(LoggedQuery.QueryState.FAILED, outcome.state());
    assertEquals("AR-" + ErrorCode.INTERNAL.number(), outcome.code());
    assertFalse(outcome.error().contains("inside"), outcome.error());
  }
}
