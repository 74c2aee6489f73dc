package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.adapter.sql.parse.Selects;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * Windows of functions that rank rows or look at others, as PostgreSQL has them: their frame means
 * nothing, and without ORDER BY all rows of a partition are peers. Calcite refuses both, and {@code
 * RANGE CURRENT ROW} of several keys where BETWEEN is left out. And frames that count groups of
 * peers.
 */
final class RankingWindows {
  private static final Set<String> RANKS =
      Set.of("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST");

  private static final Set<String> OTHERS = Set.of("LAG", "LEAD", "ROW_NUMBER", "NTILE");

  private final SqlNameMatcher matcher;

  RankingWindows(SqlNameMatcher matcher) {
    this.matcher = matcher;
  }

  /** Changes the windows of a SELECT's own expressions. */
  void complete(SqlSelect select) {
    SqlBasicVisitor<@Nullable Void> visitor = visitor(select);
    select.getSelectList().accept(visitor);
    if (select.getQualify() != null) {
      select.getQualify().accept(visitor);
    }
    if (select.getOrderList() != null) {
      select.getOrderList().accept(visitor);
    }
  }

  /** Changes the windows that the rows of a query are ordered by. */
  void complete(SqlOrderBy ordered) {
    SqlNode query = ordered.query instanceof SqlWith with ? with.body : ordered.query;
    if (query instanceof SqlSelect select) {
      ordered.orderList.accept(visitor(select));
    }
  }

  private SqlBasicVisitor<@Nullable Void> visitor(SqlSelect select) {
    GroupFrames groups = new GroupFrames(select, matcher);
    groups.ofNames();
    if (select.getWindowList() != null) {
      select.getWindowList().forEach(window -> between((SqlWindow) window));
    }
    return new SqlBasicVisitor<>() {
      @Override
      public @Nullable Void visit(SqlCall call) {
        if (call.getKind() == SqlKind.OVER) {
          groups.over(call);
          if (call.operand(1) instanceof SqlWindow window) {
            between(window);
          }
          over(call, select);
        }
        return call.getKind().belongsTo(SqlKind.QUERY) ? null : super.visit(call);
      }
    };
  }

  /** A frame with one bound ends with the current row. */
  private static void between(SqlWindow window) {
    if (window.getLowerBound() != null && window.getUpperBound() == null && !window.isRows()) {
      window.setUpperBound(SqlWindow.createCurrentRow(window.getParserPosition()));
    }
  }

  private void over(SqlCall over, SqlSelect select) {
    String name =
        function(over.operand(0)) instanceof SqlCall call
            ? call.getOperator().getName().toUpperCase(Locale.ROOT)
            : "";
    boolean ranks = RANKS.contains(name);
    SqlWindow window = ranks || OTHERS.contains(name) ? window(over.operand(1), select) : null;
    if (window == null || window.getRefName() != null) {
      return;
    }
    boolean framed = window.getLowerBound() != null || window.getUpperBound() != null;
    boolean peers = ranks && window.getOrderList().isEmpty();
    if (framed || peers) {
      over.setOperand(1, plain(window, peers));
    }
  }

  /** Without IGNORE NULLS and the like. */
  private static SqlNode function(SqlNode node) {
    return switch (node.getKind()) {
      case RESPECT_NULLS, IGNORE_NULLS, FILTER -> function(((SqlCall) node).operand(0));
      default -> node;
    };
  }

  private @Nullable SqlWindow window(SqlNode node, SqlSelect select) {
    if (node instanceof SqlWindow window) {
      return window;
    }
    SqlNodeList declared = select.getWindowList();
    if (node instanceof SqlIdentifier name && name.isSimple() && declared != null) {
      for (SqlNode each : declared) {
        SqlIdentifier other = ((SqlWindow) each).getDeclName();
        if (other != null && matcher.matches(other.getSimple(), name.getSimple())) {
          return (SqlWindow) each;
        }
      }
    }
    return null;
  }

  private static SqlWindow plain(SqlWindow window, boolean peers) {
    SqlParserPos at = window.getParserPosition();
    return Selects.window(
        copy(window.getPartitionList()),
        peers ? SqlNodeList.of(SqlLiteral.createNull(at)) : copy(window.getOrderList()),
        at);
  }

  private static SqlNodeList copy(SqlNodeList nodes) {
    return (SqlNodeList) Objects.requireNonNull(nodes.accept(new NodeCopy()));
  }
}
