package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;

/**
 * A window whose named one has been looked up. Its own frame is kept, and it knows that EXCLUDE may
 * leave it without a row.
 */
final class ResolvedWindow extends SqlWindow {
  private ResolvedWindow(SqlWindow window) {
    super(
        window.getParserPosition(),
        window.getDeclName(),
        window.getRefName(),
        window.getPartitionList(),
        window.getOrderList(),
        (SqlLiteral) window.getOperandList().get(4),
        window.getLowerBound(),
        window.getUpperBound(),
        (SqlLiteral) window.getOperandList().get(7),
        window.getExclude());
  }

  @Override
  public boolean isAlwaysNonEmpty() {
    String exclude = getExclude().toValue();
    boolean keepsCurrentRow =
        exclude == null || exclude.contains("NO OTHER") || exclude.contains("TIES");
    return keepsCurrentRow && super.isAlwaysNonEmpty();
  }

  /** Calcite's way. */
  interface Resolver {
    SqlWindow resolve(SqlNode window, SqlValidatorScope scope);
  }

  /**
   * @param original the window, or its name
   * @param calcite asked where there is no window of a name, which is an error
   */
  static ResolvedWindow of(
      SqlWindow window,
      SqlNode original,
      SqlValidatorScope scope,
      SqlValidator validator,
      Resolver calcite) {
    return new ResolvedWindow(complete(window, original, scope, validator, calcite));
  }

  private static SqlWindow complete(
      SqlWindow window,
      SqlNode original,
      SqlValidatorScope scope,
      SqlValidator validator,
      Resolver calcite) {
    SqlIdentifier name = window.getRefName();
    if (name == null) {
      return window;
    }
    SqlWindow named = scope.lookupWindow(name.getSimple());
    if (named == null) {
      return calcite.resolve(original, scope); // which says that there is no such window
    }
    // Calcite checks what may be added to a named window, but takes the frame from the named one.
    SqlWindow merged = window.overlay(complete(named, named, scope, validator, calcite), validator);
    return new SqlWindow(
        window.getParserPosition(),
        window.getDeclName(),
        null,
        merged.getPartitionList(),
        merged.getOrderList(),
        (SqlLiteral) window.getOperandList().get(4),
        window.getLowerBound(),
        window.getUpperBound(),
        (SqlLiteral) window.getOperandList().get(7),
        window.getExclude());
  }

  /** Enumerable's collections over growing windows are one, which has all values in each row. */
  static void requireWholePartition(SqlCall call, SqlWindow window) {
    if (!window.getOrderList().isEmpty()
        || window.getLowerBound() != null
        || window.getUpperBound() != null) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "%s over a window with ORDER BY or a frame is not possible; group, or join with a query"
                  .formatted(call.getOperator().getName())
              + " that groups.");
    }
  }
}
