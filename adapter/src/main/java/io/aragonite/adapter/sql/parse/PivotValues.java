package io.aragonite.adapter.sql.parse;

import io.aragonite.exec.type.TypeKind;
import java.util.List;

/** Looks for the values that become columns of a PIVOT which does not list them. */
public interface PivotValues {
  /** The one of the statement that is being parsed; without one the values must be listed. */
  ScopedValue<PivotValues> CURRENT = ScopedValue.newInstance();

  /**
   * A value.
   *
   * @param kind its type
   * @param text as a cast to VARCHAR has it
   */
  record Value(TypeKind kind, String text) {}

  /**
   * The distinct values of an expression that are not null, in order.
   *
   * @param with the queries of WITH that FROM may name, with that word; empty: none
   * @param table what stands in FROM
   */
  List<Value> of(String with, String table, String expression);
}
