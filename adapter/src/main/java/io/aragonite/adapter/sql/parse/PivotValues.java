package io.aragonite.adapter.sql.parse;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.TypeKind;
import java.util.List;

/** Looks for the values that become columns of a PIVOT which does not list them. */
public interface PivotValues {
  /** A table of more columns nobody reads. */
  int MOST_COLUMNS = 1000;

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

  /**
   * The names of columns.
   *
   * @param with as of {@link #of}
   * @param selected what stands behind SELECT
   * @param table what stands in FROM
   */
  List<String> columns(String with, String selected, String table);

  /**
   * Refuses a PIVOT without columns, or with too many of them.
   *
   * @param expression what it is by
   */
  static void requireSome(long columns, String expression) {
    if (columns == 0 || columns > MOST_COLUMNS) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "PIVOT finds %s values of %s; list those that are to become columns: ON %s IN (...)."
              .formatted(columns == 0 ? "no" : "over " + MOST_COLUMNS, expression, expression));
    }
  }
}
