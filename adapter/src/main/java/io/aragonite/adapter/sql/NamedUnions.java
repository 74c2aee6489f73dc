package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.adapter.sql.parse.UnionByName;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** Writes {@link UnionByName} as UNION of queries with the same columns in the same order. */
final class NamedUnions {
  private final Function<SqlNode, List<String>> columnsOf;

  /** What WITH names around the node at work, the outermost last. */
  private final Deque<SqlNodeList> withs = new ArrayDeque<>();

  /** The names that Calcite gives to expressions. */
  private static final Pattern UNNAMED = Pattern.compile("EXPR\\$\\d+");

  /**
   * @param columnsOf the columns' names of a query, which it may change
   */
  NamedUnions(Function<SqlNode, List<String>> columnsOf) {
    this.columnsOf = columnsOf;
  }

  /** Before what is in a node is looked at. */
  void enter(@Nullable SqlNode node) {
    if (node instanceof SqlWith with) {
      withs.push(with.withList);
    }
    if (node instanceof SqlBasicCall call && call.getOperator() instanceof UnionByName union) {
      write(call, union);
    }
  }

  void leave(@Nullable SqlNode node) {
    if (node instanceof SqlWith) {
      withs.pop();
    }
  }

  private void write(SqlBasicCall call, UnionByName union) {
    List<String> left = columns(call.operand(0));
    List<String> right = columns(call.operand(1));
    for (String name : left) {
      if (UNNAMED.matcher(name).matches() && right.contains(name)) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "Both sides of UNION BY NAME have a column without a name; name it with AS (line %d, column %d)."
                .formatted(
                    call.getParserPosition().getLineNum(),
                    call.getParserPosition().getColumnNum()));
      }
    }
    Map<String, String> names = new LinkedHashMap<>();
    left.forEach(name -> names.putIfAbsent(key(name), name));
    right.forEach(name -> names.putIfAbsent(key(name), name));
    call.setOperator(union.byPlace());
    call.setOperand(0, side(call.operand(0), left, names.values()));
    call.setOperand(1, side(call.operand(1), right, names.values()));
  }

  private static String key(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  private List<String> columns(SqlNode query) {
    SqlNode copy = query.accept(new NodeCopy());
    for (SqlNodeList with : withs) {
      copy =
          new SqlWith(query.getParserPosition(), (SqlNodeList) with.accept(new NodeCopy()), copy);
    }
    return columnsOf.apply(copy);
  }

  /** A query with all columns; null where it has none of the name. */
  private static SqlNode side(SqlNode query, List<String> own, Collection<String> names) {
    SqlParserPos at = query.getParserPosition();
    SqlNodeList columns = new SqlNodeList(at);
    for (String name : names) {
      String mine =
          own.stream().filter(each -> key(each).equals(key(name))).findFirst().orElse(null);
      SqlNode value = mine == null ? SqlLiteral.createNull(at) : new SqlIdentifier(mine, at);
      columns.add(SqlStdOperatorTable.AS.createCall(at, value, new SqlIdentifier(name, at)));
    }
    SqlNode from = SqlStdOperatorTable.AS.createCall(at, query, new SqlIdentifier("$side", at));
    return new SqlSelect(
        at, null, columns, from, null, null, null, null, null, null, null, null, null);
  }
}
