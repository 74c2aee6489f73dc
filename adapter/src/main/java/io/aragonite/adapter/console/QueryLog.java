package io.aragonite.adapter.console;

import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.Execution;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queries of a server's clients that run, and the last of those that have ended. Of these there
 * are {@link #MOST_ENDED} at most, and not more than {@link #MOST_BYTES}; who has most of them
 * loses his oldest first, so that nobody pushes out those of others. Safe for several threads.
 */
public final class QueryLog {
  static final int MOST_ENDED = 200;
  static final long MOST_BYTES = 16L << 20;

  /** So many of the last queries have the objects of their plans. */
  static final int PLANS = 20;

  /** Of queries that took as long the plan is written down at their end: 2 ms do not count. */
  static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Map<String, LoggedQuery> running = new ConcurrentHashMap<>();

  /** The oldest first; guarded by itself, as what follows. */
  private final Deque<LoggedQuery> ended = new ArrayDeque<>();

  private final Deque<LoggedQuery> withPlans = new ArrayDeque<>();
  private final Map<String, Share> users = new HashMap<>();
  private long bytes;

  /** What is kept of a user's queries. */
  private static final class Share {
    private long count;
    private long bytes;

    long count() {
      return count;
    }

    long bytes() {
      return bytes;
    }
  }

  /**
   * A run begins.
   *
   * @param restricted whether rows may be hidden from its user
   */
  public LoggedQuery begin(ClientIdentity client, Execution run, String sql, boolean restricted) {
    LoggedQuery query = new LoggedQuery(this, client, run.id(), sql, run, restricted);
    running.put(query.id(), query);
    return query;
  }

  /** A statement could not be prepared. */
  public void notPrepared(ClientIdentity client, String sql, Throwable error) {
    String id = UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    new LoggedQuery(this, client, id, sql, null, true).failed(error);
  }

  /** A query has ended. */
  void ended(LoggedQuery query) {
    synchronized (ended) {
      ended.add(query);
      count(query, 1);
      if (query.hasPlanObjects()) {
        withPlans.add(query);
        if (withPlans.size() > PLANS) {
          withPlans.remove().dropPlan();
        }
      }
      while (ended.size() > MOST_ENDED) {
        removeOf(Share::count);
      }
      while (bytes > MOST_BYTES) {
        removeOf(Share::bytes);
      }
    }
    running.remove(query.id());
  }

  private void count(LoggedQuery query, int sign) {
    String user = user(query);
    Share share = users.computeIfAbsent(user, key -> new Share());
    long size = sign * query.bytes();
    share.count += sign;
    share.bytes += size;
    bytes += size;
    if (share.count == 0) {
      users.remove(user);
    }
  }

  private static String user(LoggedQuery query) {
    return String.valueOf(query.client().user());
  }

  /** Forgets the oldest query of the user who has most. */
  private void removeOf(ToLongFunction<Share> measure) {
    String most =
        users.entrySet().stream()
            .max(Comparator.comparingLong(user -> measure.applyAsLong(user.getValue())))
            .orElseThrow()
            .getKey();
    for (Iterator<LoggedQuery> all = ended.iterator(); all.hasNext(); ) {
      LoggedQuery query = all.next();
      if (user(query).equals(most)) {
        all.remove();
        withPlans.remove(query);
        count(query, -1);
        return;
      }
    }
  }

  /** What somebody sees: what runs, and then what has ended, the newest first each. */
  List<LoggedQuery> seenBy(ConsoleViewer viewer) {
    // One that ends meanwhile is in both for a moment: it is taken once.
    Map<String, LoggedQuery> seen = new HashMap<>();
    List<LoggedQuery> list = new ArrayList<>();
    running.values().stream()
        .sorted(Comparator.comparing(LoggedQuery::began).reversed())
        .forEach(list::add);
    synchronized (ended) {
      ended.descendingIterator().forEachRemaining(list::add);
    }
    list.removeIf(query -> !viewer.sees(query) || seen.put(query.id(), query) != null);
    return list;
  }

  /** A query by its id; null if there is none that the viewer sees. */
  @Nullable LoggedQuery find(String id, ConsoleViewer viewer) {
    LoggedQuery found = running.get(id);
    if (found == null) {
      synchronized (ended) {
        found = ended.stream().filter(query -> query.id().equals(id)).findFirst().orElse(null);
      }
    }
    return found == null || !viewer.sees(found) ? null : found;
  }

  /** Queries that have had their turn and go on. */
  int running() {
    return (int) running.values().stream().filter(LoggedQuery::holdsSlot).count();
  }

  /** Queries that wait for their turn. */
  int waiting() {
    return (int) running.values().stream().filter(LoggedQuery::waits).count();
  }

  /** Bytes that are kept of queries that have ended, about. */
  long bytes() {
    synchronized (ended) {
      return bytes;
    }
  }
}
