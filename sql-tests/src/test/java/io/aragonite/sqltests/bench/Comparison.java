package io.aragonite.sqltests.bench;

import io.aragonite.bench.cold.ColdQuery;
import io.aragonite.bench.timing.ProcessorClock;
import io.aragonite.dataset.Answer;
import io.aragonite.dataset.ErrorText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs queries on several engines by turns, so that whatever else the machine does hits all of them
 * alike. The first run of each is a warm-up that is not timed (but for slow engines): its result is
 * compared with that of the reference, the last engine of the list: all rows that there are without
 * a LIMIT, since which of equal ones that keeps is open.
 */
public final class Comparison {
  private final List<Contender> contenders;
  private final LongSupplier nanos;
  private final int repeats;

  /**
   * Prepares.
   *
   * @param contenders at least one; the last one is the reference
   * @param repeats timed runs of each query on each engine, at least 1
   * @param nanos the clock: {@link System#nanoTime}, or {@link ProcessorClock#nanos}
   */
  public Comparison(List<Contender> contenders, int repeats, LongSupplier nanos) {
    this.contenders = List.copyOf(contenders);
    this.repeats = repeats;
    this.nanos = nanos;
  }

  /**
   * Runs all queries on all engines but slow ones, untimed, so that a JVM has compiled what they
   * run. Failures show when the queries are timed.
   */
  public void warmUp(List<ColdQuery> queries, int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (ColdQuery query : queries) {
        for (Contender contender : contenders) {
          if (contender.slow() || Thread.currentThread().isInterrupted()) {
            continue;
          }
          try (Statement statement = contender.connection().createStatement();
              ResultSet result = statement.executeQuery(contender.dialect().apply(query.sql()))) {
            drain(result);
          } catch (SQLException | RuntimeException e) {
            // the timed run says so
          }
        }
      }
    }
  }

  /**
   * Runs the queries.
   *
   * @param listener is given the timings of a query, in the order of the engines, when it is done
   * @return what the listener was given; shorter than the queries if this thread was interrupted
   */
  public List<List<Timing>> run(List<ColdQuery> queries, Consumer<List<Timing>> listener) {
    List<List<Timing>> all = new ArrayList<>();
    for (ColdQuery query : queries) {
      if (Thread.currentThread().isInterrupted()) {
        break;
      }
      List<Timing> timings = run(query);
      all.add(timings);
      listener.accept(timings);
    }
    return all;
  }

  /** The state of one engine at one query. */
  private final class Lane {
    final Contender contender;
    double[] millis = new double[repeats];
    @Nullable Answer answer;
    long rows;
    @Nullable String complaint;

    Lane(Contender contender) {
      this.contender = contender;
    }

    void warmUp(String sql) {
      long start = nanos.getAsLong();
      try (Statement statement = contender.connection().createStatement();
          var _ = Timeout.of(statement, contender.timeoutSeconds());
          ResultSet result = statement.executeQuery(contender.dialect().apply(sql))) {
        answer = Answer.of(result);
        if (contender.slow()) {
          millis = new double[] {(nanos.getAsLong() - start) / 1e6};
        }
        rows = answer.rows().size();
      } catch (SQLException | RuntimeException e) {
        fail(e);
      }
    }

    void time(String sql, int turn) {
      if (answer == null || contender.slow()) {
        return;
      }
      long start = nanos.getAsLong();
      try (Statement statement = contender.connection().createStatement();
          ResultSet result = statement.executeQuery(contender.dialect().apply(sql))) {
        drain(result);
        millis[turn] = (nanos.getAsLong() - start) / 1e6;
      } catch (SQLException | RuntimeException e) {
        fail(e);
      }
    }

    private void fail(Exception error) {
      answer = null;
      complaint = "FAILED: " + ErrorText.brief(error);
    }

    void compare(@Nullable Answer reference, ColdQuery query) {
      if (answer != null && reference != null) {
        complaint =
            query
                .compareWithAll(reference, answer)
                .map(difference -> "DIFFERS: " + difference)
                .orElse(null);
      }
    }

    Timing timing(ColdQuery query) {
      return answer == null
          ? new Timing(query.name(), contender.name(), new double[0], 0, complaint)
          : new Timing(query.name(), contender.name(), millis, rows, complaint);
    }
  }

  private List<Timing> run(ColdQuery query) {
    String sql = query.sql();
    List<Lane> lanes = contenders.stream().map(Lane::new).toList();
    lanes.subList(0, lanes.size() - 1).forEach(lane -> lane.warmUp(sql));
    lanes.getLast().warmUp(query.unlimited());
    for (int turn = 0; turn < repeats; turn++) {
      for (int i = 0; i < lanes.size(); i++) {
        lanes.get((i + turn) % lanes.size()).time(sql, turn); // nobody is always first
      }
    }
    Answer reference = lanes.getLast().answer;
    lanes.subList(0, lanes.size() - 1).forEach(lane -> lane.compare(reference, query));
    return lanes.stream().map(lane -> lane.timing(query)).toList();
  }

  private static void drain(ResultSet result) throws SQLException {
    int columns = result.getMetaData().getColumnCount();
    while (result.next()) {
      for (int i = 1; i <= columns; i++) {
        result.getObject(i);
      }
    }
  }
}
