package io.aragonite.adapter.access;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An access file as it is written; {@link AccessReader} reads it.
 *
 * @param roles by their names
 * @param users by their names
 * @param limits of users that have none of their own
 */
record AccessFile(Map<String, UserRole> roles, Map<String, UserEntry> users, UserLimits limits) {

  /**
   * A role.
   *
   * @param everything whether its users have all rights, as if there were no access file
   * @param ownTables whether its users may make tables and views of their connections' own
   */
  record UserRole(
      String name, int line, boolean everything, boolean ownTables, List<Grant> grants) {}

  /**
   * The right to read.
   *
   * @param table null: all of the schema
   * @param columns null: all
   * @param rows an SQL condition, null: all
   */
  record Grant(
      int line,
      String schema,
      @Nullable String table,
      @Nullable List<String> columns,
      @Nullable String rows) {}

  /** A user. */
  record UserEntry(int line, List<String> roles, UserLimits limits) {}
}
