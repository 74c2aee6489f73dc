package io.aragonite.bench.duckdb;

import io.aragonite.dataset.Answer;
import io.aragonite.dataset.BenchmarkQuery;
import io.aragonite.dataset.ExpectedAnswer;
import io.aragonite.tpcds.TpcdsQuery;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The answers of TPC-DS's queries, by DuckDB over the same files. */
public final class DuckDbTpcds implements AutoCloseable {
  /** What DuckDB's parser does not take as the authors wrote it. */
  private static final Pattern DAYS = Pattern.compile("([+-])\\s*(\\d+) days\\b");

  private static final Pattern AT = Pattern.compile("\\) at\\b");

  private final Connection connection;

  /**
   * @param directory what {@code TpcdsData.ensure} returned
   */
  public DuckDbTpcds(Path directory, int threads) throws SQLException, IOException {
    connection = DuckDbTables.open(directory, threads);
    try (Statement statement = connection.createStatement()) {
      set(statement);
    }
  }

  /** Has a connection divide integers and sort nulls as the standard and we do. */
  public static void set(Statement statement) throws SQLException {
    statement.execute("set integer_division = true");
    statement.execute("set default_null_order = 'nulls_last_on_asc_first_on_desc'");
  }

  /** A statement as DuckDB's parser takes it. */
  public static String text(String sql) {
    return AT.matcher(DAYS.matcher(sql).replaceAll("$1 interval $2 day")).replaceAll(") \"at\"");
  }

  /** An error with the standard's SQLSTATE, which DuckDB's driver does not give, if it is a division by zero. */
  public static SQLException coded(SQLException error) {
    return String.valueOf(error.getMessage()).contains("Division by zero")
        ? new SQLException(error.getMessage(), "22012", error)
        : error;
  }

  /** A query whose answer DuckDB knows. */
  public BenchmarkQuery checked(TpcdsQuery query) {
    return new BenchmarkQuery(query.name(), query.sql(), () -> Optional.of(answer(query)));
  }

  /** All rows in the order of the query, because which of equal ones a LIMIT keeps is open. */
  private ExpectedAnswer answer(TpcdsQuery query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(text(query.unlimited()))) {
      Answer answer = Answer.of(result);
      List<Integer> sortedOn =
          query.sortedOn(answer.columns().stream().map(Answer.AnswerColumn::name).toList());
      return new ExpectedAnswer(answer, sortedOn, query.limit());
    } catch (SQLException e) {
      throw coded(e);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
