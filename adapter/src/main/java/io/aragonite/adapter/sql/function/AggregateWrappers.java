package io.aragonite.adapter.sql.function;

import io.aragonite.rules.function.ArrayAggFunction;
import io.aragonite.rules.function.ListFunctions;
import io.aragonite.rules.function.OrderedFunctions;
import io.aragonite.rules.function.RowAggregates;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.Optionality;
import org.jspecify.annotations.Nullable;

/**
 * What stands around aggregates: WITHIN GROUP, FILTER and OVER go to each aggregate that a call is
 * written by, and to the forms that Calcite has of them.
 */
final class AggregateWrappers {
  private static final Set<SqlKind> VALUES_OF_ROWS =
      Set.of(SqlKind.FIRST_VALUE, SqlKind.LAST_VALUE);

  private static final Set<SqlKind> NULL_TREATMENTS =
      Set.of(SqlKind.IGNORE_NULLS, SqlKind.RESPECT_NULLS);

  private AggregateWrappers() {}

  static boolean wraps(SqlCall call) {
    return switch (call.getKind()) {
      case WITHIN_GROUP, FILTER, OVER -> call.operand(0) instanceof SqlCall;
      default -> false;
    };
  }

  static SqlNode of(SqlCall call) {
    SqlCall inner = call.operand(0);
    Trees trees = new Trees(call);
    if (call.getKind() == SqlKind.WITHIN_GROUP) {
      return ordered(trees, call, inner, call.operand(1));
    }
    SqlNode rest = call.operand(1);
    if (call.getKind() == SqlKind.OVER
        && NULL_TREATMENTS.contains(inner.getKind())
        && inner.operand(0) instanceof SqlCall of
        && valueOf(of) instanceof SqlOperator value) {
      SqlNode values = trees.call(value, of.getOperandList().toArray(SqlNode[]::new));
      return trees.call(SqlStdOperatorTable.OVER, trees.call(inner.getOperator(), values), rest);
    }
    if (call.getKind() == SqlKind.OVER && valueOf(inner) instanceof SqlOperator value) {
      return trees.call(
          SqlStdOperatorTable.OVER,
          trees.call(value, inner.getOperandList().toArray(SqlNode[]::new)),
          rest);
    }
    SqlNode made = FunctionForms.of(inner);
    if (call.getKind() == SqlKind.OVER
        && rest instanceof SqlWindow window
        && ofPartition(trees, made, window) instanceof SqlNode list) {
      return list;
    }
    if (call.getKind() == SqlKind.OVER && isOrderedList(made)) {
      throw FunctionForms.invalid(
          inner, "ARRAY_AGG over a window takes its order from the window; write ORDER BY there");
    }
    if (call.getKind() == SqlKind.OVER && hasOrder(made)) {
      SqlNode quantile = ofFrame(trees, made);
      if (quantile == null) {
        throw ofWholePartition(inner);
      }
      return SqlStdOperatorTable.OVER.createCall(trees.at, quantile, rest);
    }
    if (call.getKind() == SqlKind.FILTER) {
      return made.equals(inner) && !isOfPairs(inner)
          ? call
          : each(made, aggregate -> filtered(trees, aggregate, Trees.copy(rest)));
    }
    boolean filter = made.getKind() == SqlKind.FILTER;
    return made.equals(inner) && !filter
        ? call
        : each(made, aggregate -> over(trees, inner, aggregate, Trees.copy(rest)));
  }

  /** An aggregate of an expression, which may be in an order of its own, over a window. */
  private static SqlNode over(Trees trees, SqlCall inner, SqlCall aggregate, SqlNode rest) {
    if (!hasOrder(aggregate)) {
      return SqlStdOperatorTable.OVER.createCall(trees.at, unfiltered(trees, aggregate), rest);
    }
    SqlNode ordered =
        rest instanceof SqlWindow window ? ofPartition(trees, aggregate, window) : null;
    if (ordered == null) {
      throw ofWholePartition(inner);
    }
    return ordered;
  }

  private static RuntimeException ofWholePartition(SqlCall inner) {
    return FunctionForms.invalid(
        inner,
        "%s with an order of its own is no window function, but of a whole partition, as OVER (PARTITION BY ...) without ORDER BY; join with a query that groups by what PARTITION BY has"
            .formatted(written(inner)));
  }

  /**
   * A text or list of a whole partition in an order of its own, which becomes the window's; null of
   * other aggregates, and over windows that have an order or a frame.
   */
  private static @Nullable SqlNode ofPartition(Trees trees, SqlNode made, SqlWindow window) {
    if (!(made instanceof SqlCall call)
        || window.getRefName() != null
        || !window.getOrderList().isEmpty()
        || window.getLowerBound() != null
        || window.getUpperBound() != null) {
      return null;
    }
    if (call.getKind() == SqlKind.FILTER) {
      return ofPartition(trees, call.operand(0), window) instanceof SqlCall over
              && !VALUES_OF_ROWS.contains(over.operand(0).getKind())
          ? trees.call(
              SqlStdOperatorTable.OVER,
              unfiltered(
                  trees, trees.call(SqlStdOperatorTable.FILTER, over.operand(0), call.operand(1))),
              over.operand(1))
          : null;
    }
    SqlNode aggregate = withoutOrder(trees, call);
    if (aggregate == null) {
      return null;
    }
    SqlNode order = call.operand(1);
    SqlWindow ordered = (SqlWindow) Trees.copy(window);
    ordered.setOperand(3, order);
    ordered.setOperand(4, SqlLiteral.createBoolean(true, trees.at));
    ordered.setOperand(5, SqlWindow.createUnboundedPreceding(trees.at));
    ordered.setOperand(6, SqlWindow.createUnboundedFollowing(trees.at));
    return trees.call(SqlStdOperatorTable.OVER, aggregate, ordered);
  }

  /** The aggregate of an ordered one that a window can have; null if there is none. */
  private static @Nullable SqlNode withoutOrder(Trees trees, SqlCall ordered) {
    SqlCall call =
        ordered.getKind() == SqlKind.WITHIN_GROUP && ordered.operand(0) instanceof SqlCall inner
            ? inner
            : ordered;
    if (call.getFunctionQuantifier() != null) {
      return null;
    }
    if (ordered.getKind() == SqlKind.WITHIN_GROUP) {
      SqlOperator value =
          call.getOperator().equals(OrderedFunctions.FIRST)
              ? SqlStdOperatorTable.FIRST_VALUE
              : call.getOperator().equals(OrderedFunctions.LAST)
                  ? SqlStdOperatorTable.LAST_VALUE
                  : null;
      return value != null
          ? trees.call(value, call.operand(0))
          : call.getKind() == SqlKind.LISTAGG ? call : null;
    }
    return call.getKind() == SqlKind.ARRAY_AGG
            && call.operandCount() == 2
            && call.operand(1) instanceof SqlNodeList
        ? trees.call(call.getOperator(), call.operand(0))
        : null;
  }

  /** Over a window FIRST and LAST are the values of its first and its last row. */
  private static @Nullable SqlOperator valueOf(SqlCall inner) {
    boolean plain = inner.getOperator() instanceof SqlFunction && inner.operandCount() == 1;
    return switch (plain ? inner.getOperator().getName().toUpperCase(Locale.ROOT) : "") {
      case "FIRST" -> SqlStdOperatorTable.FIRST_VALUE;
      case "LAST" -> SqlStdOperatorTable.LAST_VALUE;
      default -> null;
    };
  }

  /** The name of the function within WITHIN GROUP and FILTER. */
  private static String written(SqlCall call) {
    return wraps(call) ? written(call.operand(0)) : call.getOperator().getName();
  }

  private static boolean isOrderedList(SqlNode made) {
    return switch (made.getKind()) {
      case FILTER -> isOrderedList(((SqlCall) made).operand(0));
      case ARRAY_AGG -> ((SqlCall) made).operandCount() > 1;
      default ->
          made instanceof SqlCall call
              && call.getOperator().equals(ListFunctions.LIST_SLICE)
              && isOrderedList(call.operand(0));
    };
  }

  private static boolean hasOrder(SqlNode made) {
    return made.getKind() == SqlKind.WITHIN_GROUP
        || made.getKind() == SqlKind.FILTER && hasOrder(((SqlCall) made).operand(0));
  }

  /** A quantile as an aggregate of its value and its share; null if it is none, or of an order. */
  private static @Nullable SqlNode ofFrame(Trees trees, SqlNode made) {
    if (made.getKind() == SqlKind.FILTER) {
      SqlCall filter = (SqlCall) made;
      SqlNode inner = ofFrame(trees, filter.operand(0));
      return inner == null
          ? null
          : unfiltered(trees, trees.call(SqlStdOperatorTable.FILTER, inner, filter.operand(1)));
    }
    SqlCall ordered = (SqlCall) made;
    SqlCall quantile = ordered.operand(0);
    SqlNode value = ((SqlNodeList) ordered.operand(1)).get(0);
    boolean continuous = quantile.getOperator().equals(OrderedFunctions.QUANTILE_CONT);
    if (continuous) {
      AggregateForms.requireShare(quantile, quantile.operand(0));
    }
    return value.getKind() == SqlKind.DESCENDING || ((SqlNodeList) ordered.operand(1)).size() > 1
        ? null
        : continuous
            ? trees.call(RowAggregates.QUANTILE_CONT, value, quantile.operand(0))
            : quantile.getOperator().equals(OrderedFunctions.QUANTILE_DISC)
                ? trees.call(RowAggregates.QUANTILE_DISC, value, quantile.operand(1))
                : null;
  }

  /** Calcite forgets the FILTER of these when it makes sums of them (in 1.42). */
  private static boolean isOfPairs(SqlCall aggregate) {
    String name = aggregate.getOperator().getName().toUpperCase(Locale.ROOT);
    return name.startsWith("COVAR_") || name.startsWith("REGR_");
  }

  private static SqlNode filtered(Trees trees, SqlCall aggregate, SqlNode condition) {
    if (isOfPairs(aggregate)) {
      return unfiltered(trees, trees.call(SqlStdOperatorTable.FILTER, aggregate, condition));
    }
    return aggregate.getKind() == SqlKind.FILTER
        ? trees.call(
            SqlStdOperatorTable.FILTER,
            aggregate.operand(0),
            trees.call(SqlStdOperatorTable.AND, aggregate.operand(1), condition))
        : trees.call(SqlStdOperatorTable.FILTER, aggregate, condition);
  }

  /**
   * An aggregate that leaves out nulls over nulls in place of the rows that a FILTER leaves out; a
   * list, which has its nulls, with the condition.
   */
  private static SqlNode unfiltered(Trees trees, SqlCall aggregate) {
    if (aggregate.getKind() != SqlKind.FILTER || !(aggregate.operand(0) instanceof SqlCall plain)) {
      return aggregate;
    }
    List<SqlNode> operands = new ArrayList<>(plain.getOperandList());
    if (operands.isEmpty()) {
      return aggregate;
    }
    if (plain.getKind() == SqlKind.ARRAY_AGG) {
      operands.add(aggregate.operand(1));
      return ArrayAggFunction.ARRAY_AGG_IF.createCall(
          plain.getFunctionQuantifier(), trees.at, operands);
    }
    boolean star = operands.get(0) instanceof SqlIdentifier name && name.isStar();
    operands.set(
        0,
        trees.ifElse(
            aggregate.operand(1),
            star ? trees.number(1) : operands.get(0),
            SqlLiteral.createNull(trees.at)));
    return plain.getOperator().createCall(plain.getFunctionQuantifier(), trees.at, operands);
  }

  /** Changes each aggregate of an expression. */
  private static SqlNode each(SqlNode node, Function<SqlCall, SqlNode> change) {
    if (!(node instanceof SqlCall call)) {
      return node;
    }
    boolean aggregate =
        call.getKind() == SqlKind.FILTER
            || call.getKind() == SqlKind.WITHIN_GROUP
            || AggregateNames.isAggregate(call);
    if (aggregate) {
      return change.apply(call);
    }
    for (int i = 0; i < call.operandCount(); i++) {
      SqlNode operand = call.operand(i);
      if (operand instanceof SqlNodeList list) {
        list.replaceAll(item -> each(item, change));
      } else if (operand != null) {
        call.setOperand(i, each(operand, change));
      }
    }
    return call;
  }

  /** What an ORDER BY is of. */
  static SqlNode ordering(SqlNode order) {
    SqlNode value = order;
    while (value.getKind() == SqlKind.DESCENDING
        || value.getKind() == SqlKind.NULLS_FIRST
        || value.getKind() == SqlKind.NULLS_LAST) {
      value = ((SqlCall) value).operand(0);
    }
    return value;
  }

  private static SqlNode ordered(Trees trees, SqlCall call, SqlCall inner, SqlNode order) {
    String name = inner.getOperator().getName().toUpperCase(Locale.ROOT);
    if (name.startsWith("PERCENTILE_")
        && inner.operandCount() == 1
        && inner.operand(0) instanceof SqlCall shares
        && AggregateForms.areShares(shares)) {
      return ofShares(trees, call, inner, (SqlNodeList) order);
    }
    switch (name) {
      case "FIRST", "FIRST_VALUE" -> {
        return within(trees, OrderedFunctions.FIRST, inner, order);
      }
      case "ANY_VALUE", "ARBITRARY" -> {
        FunctionForms.require(inner, 1, 1);
        return trees.call(
            SqlStdOperatorTable.FILTER,
            within(trees, OrderedFunctions.FIRST, inner, order),
            trees.call(SqlStdOperatorTable.IS_NOT_NULL, Trees.copy(inner.operand(0))));
      }
      case "LAST", "LAST_VALUE" -> {
        return within(trees, OrderedFunctions.LAST, inner, order);
      }
      case "COLLECT" -> {
        return call;
      }
      case "MODE" -> {
        return mode(trees, call, inner, (SqlNodeList) order);
      }
      case "PERCENTILE_CONT" -> {
        return within(trees, OrderedFunctions.QUANTILE_CONT, inner, order);
      }
      case "PERCENTILE_DISC" -> {
        return inner.operandCount() == 1
            ? AggregateForms.discrete(trees, inner, inner.operand(0), (SqlNodeList) order)
            : call;
      }
      default -> {}
    }
    SqlNode made = FunctionForms.of(inner);
    boolean needed =
        inner.getOperator() instanceof SqlAggFunction function
            && function.requiresGroupOrder() == Optionality.MANDATORY;
    if (needed || !(made instanceof SqlCall)) {
      return call;
    }
    return JsonForms.isAggregate(name)
        ? each(made, aggregate -> inOrder(trees, call, aggregate, Trees.copy(order)))
        : inOrder(trees, call, (SqlCall) made, order);
  }

  private static SqlNode inOrder(Trees trees, SqlCall call, SqlCall aggregate, SqlNode order) {
    return switch (aggregate.getKind()) {
      case LISTAGG, PERCENTILE_DISC -> trees.call(call.getOperator(), aggregate, order);
      case STRING_AGG ->
          within(trees, (SqlAggFunction) SqlStdOperatorTable.LISTAGG, aggregate, order);
      case ARRAY_AGG, ARRAY_CONCAT_AGG -> {
        List<SqlNode> operands = new ArrayList<>(aggregate.getOperandList());
        operands.add(order);
        yield aggregate
            .getOperator()
            .createCall(aggregate.getFunctionQuantifier(), trees.at, operands);
      }
      // Sums and the like are the same in any order.
      default -> AggregateNames.isAggregate(aggregate) ? aggregate : call;
    };
  }

  /** Of values that are equally frequent the first in the order. */
  private static SqlNode mode(Trees trees, SqlCall call, SqlCall inner, SqlNodeList order) {
    boolean none = inner.operandCount() == 0 && order.size() == 1;
    SqlNode value = order.get(0);
    if (none && ordering(value).equals(value)) {
      return trees.call(inner.getOperator(), value);
    }
    boolean one = inner.operandCount() == 1 && !SqlUtil.isLiteral(inner.operand(0));
    return none || one
        ? trees.call(
            SqlStdOperatorTable.WITHIN_GROUP,
            trees.call(
                OrderedFunctions.MODE, none ? Trees.copy(ordering(value)) : inner.operand(0)),
            order)
        : call;
  }

  /** {@code percentile_cont([0.25, 0.5]) WITHIN GROUP (ORDER BY x)}: a list. */
  private static SqlNode ofShares(Trees trees, SqlCall call, SqlCall inner, SqlNodeList order) {
    List<SqlNode> each = new ArrayList<>();
    for (SqlNode share : ((SqlCall) inner.operand(0)).getOperandList()) {
      SqlCall one = inner.getOperator().createCall(inner.getParserPosition(), List.of(share));
      each.add(ordered(trees, call, one, Trees.copy(order)));
    }
    return AggregateForms.listOf(trees, ordering(order.get(0)), each);
  }

  private static SqlNode within(
      Trees trees, SqlAggFunction function, SqlCall inner, SqlNode order) {
    return trees.call(
        SqlStdOperatorTable.WITHIN_GROUP,
        trees.call(function, inner.getOperandList().toArray(SqlNode[]::new)),
        order);
  }
}
