package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.jdbc.DelegatingStatement;
import io.aragonite.adapter.metadata.MetaRows;
import io.aragonite.adapter.result.ResultSetGuard;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** What a statement says that does not depend on its runs: sizes, directions, hints, keys. */
abstract class StatementSettings extends DelegatingStatement {
  static final String CLOSED = "The statement is closed.";

  StatementSettings(Class<? extends Statement> type, Statement target) {
    super(type, target);
  }

  /** Refuses what Calcite's statement is closed for. */
  final void checkTargetOpen() throws SQLException {
    if (target.isClosed()) {
      throw new AragoniteException(ErrorCode.INVALID_CALL, CLOSED);
    }
  }

  @Override
  public ResultSet getGeneratedKeys() throws SQLException {
    return call(
        "getGeneratedKeys",
        () -> {
          checkTargetOpen();
          return new ResultSetGuard(
              new MetaRows(List.of(new MetaRows.MetaColumn("GENERATED_KEY", Long.class)))
                  .resultSet(),
              this,
              new Execution(null),
              () -> {});
        });
  }

  @Override
  public int getFetchDirection() throws SQLException {
    return call(
        "getFetchDirection",
        () -> {
          checkTargetOpen();
          return ResultSet.FETCH_FORWARD;
        });
  }

  /** A hint, which results that are read forwards do not take. */
  @Override
  public void setFetchDirection(int direction) throws SQLException {
    run(
        "setFetchDirection",
        () -> {
          checkTargetOpen();
          if (direction < ResultSet.FETCH_FORWARD || direction > ResultSet.FETCH_UNKNOWN) {
            throw new AragoniteException(
                ErrorCode.INVALID_CALL,
                "%d is no fetch direction; they are constants of java.sql.ResultSet."
                    .formatted(direction));
          }
        });
  }

  @Override
  public void setFetchSize(int rows) throws SQLException {
    run(
        "setFetchSize",
        () -> {
          if (rows < 0) {
            throw new AragoniteException(
                ErrorCode.INVALID_CALL,
                "A fetch size is a number of rows, or 0 for any; %d is neither.".formatted(rows));
          }
          target.setFetchSize(rows);
        });
  }

  @Override
  public void setMaxFieldSize(int bytes) throws SQLException {
    run(
        "setMaxFieldSize",
        () -> {
          checkTargetOpen();
          if (bytes != 0) {
            throw new AragoniteException(
                ErrorCode.INVALID_CALL,
                "Values are never cut: the maximal size of a field is 0, for no limit, not %d."
                    .formatted(bytes));
          }
        });
  }

  // Hints; Avatica refuses them, and pools call them.

  @Override
  public void setEscapeProcessing(boolean enable) throws SQLException {
    run("setEscapeProcessing", this::checkTargetOpen);
  }

  @Override
  public void setPoolable(boolean poolable) throws SQLException {
    run("setPoolable", this::checkTargetOpen);
  }
}
