package io.aragonite.adapter.sql;

import org.apache.calcite.sql.validate.SqlConformance;
import org.apache.calcite.sql.validate.SqlDelegatingConformance;

/** Any conformance, but a number in GROUP BY is that of a column, as it is in ORDER BY. */
final class GroupByOrdinal extends SqlDelegatingConformance {
  GroupByOrdinal(SqlConformance conformance) {
    super(conformance);
  }

  @Override
  public boolean isGroupByOrdinal() {
    return true;
  }
}
