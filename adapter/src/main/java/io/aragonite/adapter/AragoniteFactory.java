package io.aragonite.adapter;

import io.aragonite.adapter.execution.Execution;
import java.sql.SQLException;
import java.util.TimeZone;
import org.apache.calcite.avatica.AvaticaConnection;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.QueryState;
import org.apache.calcite.jdbc.CalciteJdbc41Factory;
import org.apache.calcite.jdbc.CalciteResultSet;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's JDBC objects, but that a run with parameters has the result of the plan for their
 * types: Calcite has one plan for a prepared statement.
 */
public final class AragoniteFactory extends CalciteJdbc41Factory {
  /** Made by Avatica, by name. */
  public AragoniteFactory() {}

  /** Avatica numbers statements by a counter that two threads may see alike. */
  @Override
  public AvaticaPreparedStatement newPreparedStatement(
      AvaticaConnection connection,
      Meta.@Nullable StatementHandle handle,
      Meta.Signature signature,
      int resultSetType,
      int resultSetConcurrency,
      int resultSetHoldability)
      throws SQLException {
    synchronized (connection) {
      AvaticaPreparedStatement statement =
          super.newPreparedStatement(
              connection,
              handle,
              signature,
              resultSetType,
              resultSetConcurrency,
              resultSetHoldability);
      statement.handle.signature = signature; // its columns, for who has the statement only
      return statement;
    }
  }

  @Override
  public CalciteResultSet newResultSet(
      AvaticaStatement statement,
      QueryState state,
      Meta.Signature signature,
      TimeZone timeZone,
      Meta.Frame firstFrame)
      throws SQLException {
    Execution execution = Execution.current();
    Meta.Signature planned = execution == null ? null : execution.signature();
    return super.newResultSet(
        statement, state, planned != null ? planned : signature, timeZone, firstFrame);
  }
}
