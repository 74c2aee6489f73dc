package io.aragonite.adapter.sql.parse;

import io.aragonite.adapter.sql.function.FunctionForms;
import io.aragonite.adapter.sql.function.NodeCopy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * {@code CUBE (a, a)} and {@code ROLLUP (a, a)}, which have sets of columns more than once, as
 * {@code GROUPING SETS}. Calcite would have each set once.
 */
final class RepeatedGroups {
  /** Columns of a CUBE that is written so. */
  private static final int MOST = 10;

  /** What an alias of the SELECT stands for. */
  private final Map<String, String> aliased = new HashMap<>();

  private RepeatedGroups(SqlNodeList columns) {
    for (SqlNode column : columns) {
      if (column != null && column.getKind() == SqlKind.AS) {
        SqlCall as = (SqlCall) column;
        aliased.put(name(as.operand(1)), name(as.operand(0)));
      }
    }
  }

  /**
   * Changes the items of a GROUP BY or of GROUPING SETS.
   *
   * @param columns of the SELECT, whose aliases may be items
   */
  static void expand(@Nullable SqlNodeList group, SqlNodeList columns) {
    if (group != null) {
      group.replaceAll(new RepeatedGroups(columns)::expanded);
    }
  }

  private SqlNode expanded(SqlNode item) {
    if (!(item instanceof SqlCall call)) {
      return item;
    }
    switch (call.getKind()) {
      case GROUPING_SETS -> {
        for (int i = 0; i < call.operandCount(); i++) {
          call.setOperand(i, expanded(call.operand(i)));
        }
        return call;
      }
      case CUBE, ROLLUP -> {
        return mayRepeat(call) ? sets(call) : call;
      }
      default -> {
        return call;
      }
    }
  }

  /**
   * Whether two columns may be one: by their names, by what they are aliases of, or since they are
   * numbers of columns.
   */
  private boolean mayRepeat(SqlCall call) {
    Set<String> seen = new HashSet<>();
    for (SqlNode item : call.getOperandList()) {
      for (SqlNode column : columns(item)) {
        if (column instanceof SqlLiteral && call.operandCount() > 1) {
          return true;
        }
        for (String name : names(column)) {
          if (!seen.add(name)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** The name of a column, and what it is an alias of, be it of an alias. */
  private Set<String> names(SqlNode column) {
    Set<String> names = new HashSet<>();
    String name = name(column);
    while (name != null && names.add(name)) {
      name = aliased.get(name);
    }
    return names;
  }

  private static String name(SqlNode column) {
    return (column instanceof SqlIdentifier name ? Util.last(name.names) : column.toString())
        .toLowerCase(Locale.ROOT);
  }

  private static List<SqlNode> columns(SqlNode item) {
    if (item instanceof SqlNodeList list) {
      List<SqlNode> columns = new ArrayList<>();
      for (SqlNode column : list) {
        columns.add(column);
      }
      return columns;
    }
    return item.getKind() == SqlKind.ROW ? ((SqlCall) item).getOperandList() : List.of(item);
  }

  private static SqlNode sets(SqlCall call) {
    List<SqlNode> items = call.getOperandList();
    List<SqlNode> sets = new ArrayList<>();
    if (call.getKind() == SqlKind.ROLLUP) {
      for (int i = items.size(); i >= 0; i--) {
        sets.add(set(items.subList(0, i), call.getParserPosition()));
      }
    } else if (items.size() > MOST) {
      throw FunctionForms.invalid(
          call,
          "CUBE of more than %d items has one of them once; leave the others out".formatted(MOST));
    } else {
      for (int bits = (1 << items.size()) - 1; bits >= 0; bits--) {
        List<SqlNode> chosen = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
          if ((bits >> i & 1) != 0) {
            chosen.add(items.get(i));
          }
        }
        sets.add(set(chosen, call.getParserPosition()));
      }
    }
    return SqlStdOperatorTable.GROUPING_SETS.createCall(call.getParserPosition(), sets);
  }

  private static SqlNode set(List<SqlNode> items, SqlParserPos at) {
    SqlNodeList set = new SqlNodeList(at);
    for (SqlNode item : items) {
      for (SqlNode column : columns(item)) {
        set.add(Objects.requireNonNull(column.accept(new NodeCopy())));
      }
    }
    return set.size() == 1
        ? set.get(0)
        : set.isEmpty() ? set : SqlStdOperatorTable.ROW.createCall(at, set.getList());
  }
}
