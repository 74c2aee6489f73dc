package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.CallFinder;
import io.aragonite.adapter.sql.function.NodeCopy;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.validate.SqlConformance;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/** Keys of GROUP BY that stand for a column of their SELECT. */
final class GroupByColumns {
  private final SqlConformance conformance;
  private final SqlNameMatcher matcher;

  GroupByColumns(SqlConformance conformance, SqlNameMatcher matcher) {
    this.conformance = conformance;
    this.matcher = matcher;
  }

  /** Grouping by a column's number or alias stands for the column, and would share its subquery. */
  void copySubQueries(SqlSelect select) {
    SqlNodeList group = select.getGroup();
    if (group == null) {
      return;
    }
    for (int i = 0; i < group.size(); i++) {
      SqlNode column = column(group.get(i), select.getSelectList());
      if (column != null && CallFinder.hasSubQuery(column)) {
        group.set(i, SqlUtil.stripAs(column).accept(new NodeCopy()));
      }
    }
  }

  private @Nullable SqlNode column(SqlNode key, List<SqlNode> columns) {
    if (key instanceof SqlNumericLiteral number && conformance.isGroupByOrdinal()) {
      int place = number.isInteger() ? number.intValue(false) : 0;
      return place >= 1 && place <= columns.size() ? columns.get(place - 1) : null;
    }
    if (key instanceof SqlIdentifier name && name.isSimple() && conformance.isGroupByAlias()) {
      for (SqlNode column : columns) {
        boolean named =
            column.getKind() == SqlKind.AS
                && matcher.matches(((SqlCall) column).operand(1).toString(), name.getSimple());
        if (named) {
          return column;
        }
      }
    }
    return null;
  }
}
