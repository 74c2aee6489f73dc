package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.adapter.parameter.ParameterValue;
import io.aragonite.adapter.parameter.Parameters;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement. Its parameters' values are kept here, and each run has a plan for their
 * types; Calcite's statement only learns which parameters have one.
 */
public final class PreparedStatementGuard extends ParameterSetters {
  private final String sql;

  /**
   * Null if the statement has no parameters, or if Calcite plans for them before they are known.
   */
  private final @Nullable Parameters parameters;

  /** The parameters of the runs of a batch. */
  private final List<List<ParameterValue>> sets = new CopyOnWriteArrayList<>();

  private @Nullable ResultSetMetaData columns;

  /**
   * @param sql the statement's text
   */
  public PreparedStatementGuard(
      PreparedStatement target, Session session, Connection connection, String sql)
      throws SQLException {
    super(target, session, connection, sql);
    this.sql = sql;
    this.parameters = parameters(target, session);
  }

  private static @Nullable Parameters parameters(PreparedStatement target, Session session)
      throws SQLException {
    return target instanceof AvaticaPreparedStatement avatica && avatica.getParameterCount() > 0
        ? new Parameters(avatica.getParameterCount(), session::timeZone)
        : null;
  }

  @Override
  public boolean execute() throws SQLException {
    return execute("execute", null, prepared::execute);
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    return execute("executeQuery", null, prepared::executeQuery);
  }

  @Override
  public int executeUpdate() throws SQLException {
    return execute("executeUpdate", null, prepared::executeUpdate);
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    return execute("executeLargeUpdate", null, prepared::executeLargeUpdate);
  }

  @Override
  public void clearBatch() throws SQLException {
    sets.clear();
    super.clearBatch();
  }

  @Override
  long[] batchCounts(String method) throws SQLException {
    List<List<ParameterValue>> all = List.copyOf(sets);
    sets.clear();
    boolean query = !((AvaticaPreparedStatement) prepared).getStatementType().canUpdate();
    Execution run = Objects.requireNonNull(Execution.current());
    return counts(
        all.size(),
        i -> {
          if (query) {
            throw ofAQuery(method);
          }
          if (parameters != null) {
            run.parameters().set(all.get(i));
          }
          return prepared.executeLargeUpdate();
        });
  }

  @Override
  void plan(Execution run) throws SQLException {
    if (parameters != null) {
      run.parameters().set(parameters.values());
      plan(run, sql);
    } else if (tablesMayChange()) {
      plan(run, sql);
    }
  }

  @Override
  void ran() throws SQLException {
    if (parameters != null) {
      ResultSet rows = prepared.getResultSet();
      if (rows != null) {
        columns = new ColumnsGuard(rows.getMetaData());
      }
    }
  }

  /**
   * The columns of the last run, before the first one those that are described; null if unknown.
   */
  @Override
  public @Nullable ResultSetMetaData getMetaData() throws SQLException {
    return this.<@Nullable ResultSetMetaData>call(
        "getMetaData", () -> metaData(prepared.getMetaData()));
  }

  private @Nullable ResultSetMetaData metaData(@Nullable ResultSetMetaData described)
      throws SQLException {
    if (described == null) {
      return null;
    }
    if (columns != null) {
      return columns;
    }
    return parameters != null && described.getColumnCount() == 0
        ? null
        : new ColumnsGuard(described);
  }

  @Override
  public ParameterMetaData getParameterMetaData() throws SQLException {
    return call("getParameterMetaData", prepared::getParameterMetaData);
  }

  @Override
  public void addBatch() throws SQLException {
    run(
        "addBatch",
        () -> {
          checkTargetOpen();
          sets.add(parameters == null ? List.of() : parameters.values());
        });
  }

  /** A prepared statement has its text. */
  @Override
  public void addBatch(String other) throws SQLException {
    run(
        "addBatch",
        () -> {
          checkTargetOpen();
          throw new AragoniteException(
              ErrorCode.INVALID_CALL,
              "A prepared statement runs the text that it was prepared with; set its parameters and"
                  + " call addBatch without a text.");
        });
  }

  @Override
  public void clearParameters() throws SQLException {
    run(
        "clearParameters",
        () -> {
          if (parameters != null) {
            parameters.clear();
          }
          prepared.clearParameters();
        });
  }

  /** A server takes the columns from what was prepared if it is one of Avatica's. */
  @Override
  protected boolean hasInner(Class<?> wanted) throws SQLException {
    return !(wanted == AvaticaPreparedStatement.class && columns != null) && super.hasInner(wanted);
  }

  @Override
  final void set(String setter, JdbcAction ofTarget, @Nullable Object... arguments)
      throws SQLException {
    run(
        setter,
        () -> {
          if (parameters == null) {
            ofTarget.run();
            return;
          }
          checkTargetOpen();
          parameters.set(setter, arguments);
          prepared.setNull((Integer) Objects.requireNonNull(arguments[0]), Types.NULL);
        });
  }
}
