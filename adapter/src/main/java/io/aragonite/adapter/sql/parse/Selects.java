package io.aragonite.adapter.sql.parse;

import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** Makes queries that nobody wrote. */
final class Selects {
  private Selects() {}

  static SqlSelect of(
      SqlParserPos at, SqlNodeList columns, @Nullable SqlNode from, @Nullable SqlNode where) {
    return new SqlSelect(
        at, null, columns, from, where, null, null, null, null, null, null, null, null);
  }
}
