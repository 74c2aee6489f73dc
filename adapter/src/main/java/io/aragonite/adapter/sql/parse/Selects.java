package io.aragonite.adapter.sql.parse;

import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** Makes queries, and windows of them, that nobody wrote. */
public final class Selects {
  private Selects() {}

  static SqlSelect of(
      SqlParserPos at, SqlNodeList columns, @Nullable SqlNode from, @Nullable SqlNode where) {
    return new SqlSelect(
        at, null, columns, from, where, null, null, null, null, null, null, null, null);
  }

  /** A window without a frame. */
  public static SqlWindow window(SqlNodeList partition, SqlNodeList orders, SqlParserPos at) {
    return SqlWindow.create(
        null,
        null,
        partition,
        orders,
        SqlLiteral.createBoolean(false, at),
        null,
        null,
        null,
        SqlWindow.createExcludeNoOthers(at),
        at);
  }
}
