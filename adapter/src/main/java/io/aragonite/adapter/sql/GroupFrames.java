package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.GroupNumber;
import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.adapter.sql.parse.TokenForms;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * Frames that count peer groups, which Calcite has not: {@code ORDER BY x GROUPS 2 PRECEDING} is a
 * RANGE of two over the groups' numbers.
 */
final class GroupFrames {
  private final SqlSelect select;
  private final SqlNameMatcher matcher;

  GroupFrames(SqlSelect select, SqlNameMatcher matcher) {
    this.select = select;
    this.matcher = matcher;
  }

  /** Changes the windows that have names. */
  void ofNames() {
    SqlNodeList declared = select.getWindowList();
    for (int i = 0; declared != null && i < declared.size(); i++) {
      SqlWindow window = (SqlWindow) declared.get(i);
      if (isMarked(window)) {
        declared.set(i, ranged(window, declared.subList(0, i)));
      }
    }
  }

  /** Changes the window of a function. */
  void over(SqlCall over) {
    if (over.operand(1) instanceof SqlWindow window && isMarked(window)) {
      SqlNodeList declared = select.getWindowList();
      over.setOperand(1, ranged(window, declared == null ? List.of() : declared));
    }
  }

  private static boolean isMarked(SqlWindow window) {
    return isMarked(window.getLowerBound()) || isMarked(window.getUpperBound());
  }

  private static boolean isMarked(@Nullable SqlNode bound) {
    return bound instanceof SqlCall call
        && call.operandCount() == 1
        && call.operand(0) instanceof SqlCall offset
        && offset.getOperator().getName().equals(TokenForms.GROUP_OFFSET);
  }

  private SqlWindow ranged(SqlWindow window, List<SqlNode> declared) {
    SqlNodeList partition = window.getPartitionList();
    SqlNodeList orders = window.getOrderList();
    SqlIdentifier name = window.getRefName();
    for (SqlWindow base = base(name, declared); base != null; base = base(name, declared)) {
      if (!partition.isEmpty()
          || !orders.isEmpty() && !base.getOrderList().isEmpty()
          || base.getLowerBound() != null) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            ("A window of window %s has no PARTITION BY of its own, no ORDER BY if that has one,"
                    + " and that has no frame.")
                .formatted(Objects.requireNonNull(base.getDeclName())));
      }
      declared = declared.subList(0, declared.indexOf(base));
      partition = base.getPartitionList();
      orders = orders.isEmpty() ? base.getOrderList() : orders;
      name = base.getRefName();
    }
    if (name == null && orders.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT, "A frame of GROUPS needs ORDER BY in its window.");
    }
    return new SqlWindow(
        window.getParserPosition(),
        window.getDeclName(),
        name, // of no window, which Calcite says
        copy(partition),
        SqlNodeList.of(GroupNumber.of(copy(partition), copy(orders), window.getParserPosition())),
        (SqlLiteral) window.getOperandList().get(4),
        unmarked(window.getLowerBound()),
        unmarked(window.getUpperBound()),
        (SqlLiteral) window.getOperandList().get(7),
        window.getExclude());
  }

  private @Nullable SqlWindow base(@Nullable SqlIdentifier name, List<SqlNode> declared) {
    for (SqlNode each : declared) {
      SqlIdentifier other = ((SqlWindow) each).getDeclName();
      if (name != null && other != null && matcher.matches(other.getSimple(), name.getSimple())) {
        return (SqlWindow) each;
      }
    }
    return null;
  }

  private static @Nullable SqlNode unmarked(@Nullable SqlNode bound) {
    if (!isMarked(bound)) {
      return bound;
    }
    SqlCall call = (SqlCall) Objects.requireNonNull(bound);
    SqlCall mark = call.operand(0);
    if (mark.operand(0) instanceof SqlNumericLiteral number && !number.isInteger()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The offset of a frame of GROUPS is a whole number, not %s.".formatted(number));
    }
    return call.getOperator().createCall(call.getParserPosition(), (SqlNode) mark.operand(0));
  }

  private static SqlNodeList copy(SqlNodeList nodes) {
    return (SqlNodeList) Objects.requireNonNull(nodes.accept(new NodeCopy()));
  }
}
