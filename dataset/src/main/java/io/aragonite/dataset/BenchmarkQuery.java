package io.aragonite.dataset;

import java.sql.SQLException;
import java.util.Optional;

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
}
