package io.aragonite.dataset;

import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A query to run.
 *
 * @param name what reports call it, as {@code Q7}
 * @param sql one statement, no semicolon
 * @param source of what it must return; asked only if the answer is to be checked
 */
public record BenchmarkQuery(String name, String sql, AnswerSource source) {
  /** Where right answers come from. */
  @FunctionalInterface
  public interface AnswerSource {
    /**
     * The answer; empty if there is none.
     *
     * @throws SQLException if the engine that answers refuses; for a division by zero its SQLSTATE
     *     is 22012, and that is what is expected then
     */
    Optional<ExpectedAnswer> answer() throws SQLException;
  }

  /** The same query, whose answer is asked for once, by whichever thread wants it first. */
  public BenchmarkQuery remembering() {
    return new BenchmarkQuery(name, sql, new RememberedAnswer(source));
  }

  private static final class RememberedAnswer implements AnswerSource {
    private final AnswerSource source;
    private @Nullable Optional<ExpectedAnswer> answer;

    RememberedAnswer(AnswerSource source) {
      this.source = source;
    }

    @Override
    public synchronized Optional<ExpectedAnswer> answer() throws SQLException {
      Optional<ExpectedAnswer> known = answer;
      if (known == null) {
        known = source.answer();
        answer = known;
      }
      return known;
    }
  }
}
