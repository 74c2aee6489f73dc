package io.aragonite.sqltests.bench;

import io.aragonite.dataset.Answer;
import io.aragonite.dataset.ErrorText;
import io.aragonite.tpch.TpchQuery;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs queries on several engines by turns, so that whatever else the machine does hits all of them
 * alike. The first run of each is a warm-up that is not timed (but for slow engines): its result is
 * compared with that of the reference, the last engine of the list.
 */
public final class Comparison {
  private final List<Contender> contenders;
  private final double scale;
  private final int repeats;

  /**
   * Prepares.
   *
   * @param contenders at least one; the last one is the reference
   * @param scale scale factor of their tables
   * @param repeats timed runs of each query on each engine, at least 1
   */
  public Comparison(List<Contender> contenders, double scale, int repeats) {
    this.contenders = List.copyOf(contenders);
    this.scale = scale;
    this.repeats = repeats;
  }

  /**
   * Runs the queries.
   *
   * @param listener is given the timings of a query, in the order of the engines, when it is done
   * @return what the listener was given; shorter than the queries if this thread was interrupted
   */
  public List<List<Timing>> run(List<TpchQuery> queries, Consumer<List<Timing>> listener) {
    List<List<Timing>> all = new ArrayList<>();
    for (TpchQuery query : queries) {
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
    @Nullable String complaint;

    Lane(Contender contender) {
      this.contender = contender;
    }

    void warmUp(String sql) {
      long start = System.nanoTime();
      try (Statement statement = contender.connection().createStatement();
          var _ = Timeout.of(statement, contender.timeoutSeconds());
          ResultSet result = statement.executeQuery(sql)) {
        answer = Answer.of(result);
        if (contender.slow()) {
          millis = new double[] {(System.nanoTime() - start) / 1e6};
        }
      } catch (SQLException | RuntimeException e) {
        fail(e);
      }
    }

    void time(String sql, int turn) {
      if (answer == null || contender.slow()) {
        return;
      }
      long start = System.nanoTime();
      try (Statement statement = contender.connection().createStatement();
          ResultSet result = statement.executeQuery(sql)) {
        drain(result);
        millis[turn] = (System.nanoTime() - start) / 1e6;
      } catch (SQLException | RuntimeException e) {
        fail(e);
      }
    }

    private void fail(Exception error) {
      answer = null;
      complaint = "FAILED: " + ErrorText.brief(error);
    }

    void compare(@Nullable Answer reference, TpchQuery query) {
      if (answer != null && reference != null) {
        complaint =
            query
                .compare(reference, answer)
                .map(difference -> "DIFFERS: " + difference)
                .orElse(null);
      }
    }

    Timing timing(TpchQuery query) {
      return answer == null
          ? new Timing(query.number(), contender.name(), new double[0], 0, complaint)
          : new Timing(query.number(), contender.name(), millis, answer.rows().size(), complaint);
    }
  }

  private List<Timing> run(TpchQuery query) {
    String sql = query.sql(scale);
    List<Lane> lanes = contenders.stream().map(Lane::new).toList();
    lanes.forEach(lane -> lane.warmUp(sql));
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
