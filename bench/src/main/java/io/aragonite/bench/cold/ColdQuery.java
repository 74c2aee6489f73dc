package io.aragonite.bench.cold;

import io.aragonite.dataset.Answer;
import io.aragonite.dataset.AnswerCheck;
import io.aragonite.dataset.ExpectedAnswer;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A statement of a workload.
 *
 * @param number of its query
 * @param name as reports show it
 * @param sql what is timed
 * @param unlimited the same without its LIMIT
 * @param limit how many rows it wants at most
 * @param sortedOn which columns, from 0, its rows are sorted on, by the names of its columns
 * @param stored the right answer, if it is known without another engine
 */
public record ColdQuery(
    int number,
    String name,
    String sql,
    String unlimited,
    long limit,
    Function<List<String>, List<Integer>> sortedOn,
    Supplier<Optional<Answer>> stored) {

  /** Whether a LIMIT may keep either of several rows. */
  boolean isLimited() {
    return limit != Long.MAX_VALUE;
  }

  /** The first difference of an answer from another one of the same statement. */
  Optional<String> compare(Answer expected, Answer actual) {
    return compare(expected, actual, Long.MAX_VALUE);
  }

  /** The first difference of an answer from all rows that there are without the LIMIT. */
  public Optional<String> compareWithAll(Answer all, Answer actual) {
    return compare(all, actual, limit);
  }

  private Optional<String> compare(Answer expected, Answer actual, long rows) {
    List<String> labels = expected.columns().stream().map(Answer.AnswerColumn::name).toList();
    return AnswerCheck.compare(
        new ExpectedAnswer(expected, sortedOn.apply(labels), rows), actual);
  }
}
