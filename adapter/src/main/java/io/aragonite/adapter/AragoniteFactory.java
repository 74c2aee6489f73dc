package io.aragonite.adapter;

import java.sql.SQLException;
import java.util.TimeZone;
import org.apache.calcite.avatica.AvaticaStatement;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.QueryState;
import org.apache.calcite.jdbc.CalciteJdbc41Factory;
import org.apache.calcite.jdbc.CalciteResultSet;

/**
 * Calcite's JDBC objects, but that a run with parameters has the result of the plan for their
 * types: Calcite has one plan for a prepared statement.
 */
public final class AragoniteFactory extends CalciteJdbc41Factory {
  /** Made by Avatica, by name. */
  public AragoniteFactory() {}

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
