package io.aragonite.adapter.catalog;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a connection sees whose user has not all rights. Nothing else is there for it.
 *
 * @param user the user's name
 * @param schemas what is granted, by the names of schemas
 * @param ownTables whether the connection may make tables and views of its own
 */
public record ConnectionAccess(String user, Map<String, SchemaGrant> schemas, boolean ownTables) {

  /**
   * What of a schema is granted.
   *
   * @param all whether all of its tables are; then {@code tables} is of no account
   * @param tables by their names
   */
  public record SchemaGrant(boolean all, Map<String, TableGrant> tables) {}

  /**
   * What of a table is granted.
   *
   * @param columns their names, in the order of the table; null: all
   * @param rows null: all
   */
  public record TableGrant(@Nullable List<String> columns, @Nullable RowCondition rows) {}

  /**
   * Which rows of a table are granted.
   *
   * @param names of the table's columns when the condition was read
   * @param types of the table's columns then
   * @param read the columns that the condition is over, by their places
   * @param condition true of the rows that are granted; it is over {@code read}
   */
  public record RowCondition(
      List<String> names, List<DataType> types, List<Integer> read, Expr condition) {}

  /** The error of what this connection may not do. */
  public AragoniteException refused(String what) {
    return new AragoniteException(
        ErrorCode.NOT_GRANTED,
        "User '%s' may not %s: no role of the server's access file grants that."
            .formatted(user, what));
  }
}
