package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.ArrayAggFunction;
import io.aragonite.rules.function.ListFunctions;
import io.aragonite.rules.function.OrderedFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Aggregates. */
final class AggregateForms {
  private AggregateForms() {}

  static void add(Map<String, Form> forms) {
    same(forms, "MEAN", SqlStdOperatorTable.AVG, 1);
    same(forms, "ANY", SqlStdOperatorTable.ANY_VALUE, 1);
    same(forms, "ARBITRARY", SqlStdOperatorTable.ANY_VALUE, 1);
    same(forms, "FIRST", OrderedFunctions.FIRST_OF_ROWS, 1);
    same(forms, "LAST", OrderedFunctions.LAST_OF_ROWS, 1);
    same(forms, "LIST", ArrayAggFunction.ARRAY_AGG, 1);
    same(forms, "ARG_MIN", OrderedFunctions.MIN_BY, 2);
    same(forms, "ARGMIN", OrderedFunctions.MIN_BY, 2);
    same(forms, "MIN_BY", OrderedFunctions.MIN_BY, 2);
    same(forms, "ARG_MAX", OrderedFunctions.MAX_BY, 2);
    same(forms, "ARGMAX", OrderedFunctions.MAX_BY, 2);
    same(forms, "MAX_BY", OrderedFunctions.MAX_BY, 2);
    for (String name : new String[] {"STRING_AGG", "GROUP_CONCAT", "LISTAGG"}) {
      forms.put(name, AggregateForms::joined);
    }
    ofSeveral(forms);
    for (String name : new String[] {"COUNT_IF", "COUNTIF"}) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, 1, 1);
            return trees.call(
                SqlStdOperatorTable.FILTER,
                trees.call(SqlStdOperatorTable.COUNT, SqlIdentifier.star(trees.at)),
                call.operand(0));
          });
    }
    forms.put("MEDIAN", (trees, call) -> quantile(trees, call, "0.5", true));
    forms.put("QUANTILE_CONT", (trees, call) -> quantile(trees, call, null, true));
    forms.put("APPROX_QUANTILE", (trees, call) -> quantile(trees, call, null, true));
    forms.put("APPROX_PERCENTILE", (trees, call) -> quantile(trees, call, null, true));
    forms.put("QUANTILE_DISC", (trees, call) -> quantile(trees, call, null, false));
    forms.put("QUANTILE", (trees, call) -> quantile(trees, call, null, false));
    for (String name : new String[] {"GEOMEAN", "GEOMETRIC_MEAN"}) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, 1, 1);
            return trees.call(
                SqlStdOperatorTable.EXP,
                trees.call(
                    SqlStdOperatorTable.AVG, trees.call(SqlStdOperatorTable.LN, call.operand(0))));
          });
    }
    for (String name : new String[] {"BOOL_AND", "BOOL_OR"}) {
      forms.put(name, (trees, call) -> ofNull(trees, call, SqlTypeName.BOOLEAN));
    }
    moments(forms);
  }

  private static void ofSeveral(Map<String, Form> forms) {
    for (String name : new String[] {"MIN", "MAX", "ARG_MIN", "ARG_MAX", "MIN_BY", "MAX_BY"}) {
      Form plain = forms.get(name);
      forms.put(
          name,
          (trees, call) -> {
            int values = plain == null ? 1 : 2;
            return call.operandCount() == values + 1
                ? most(trees, call, name.contains("MAX"))
                : plain == null ? null : plain.of(trees, call);
          });
    }
    forms.put(
        "COUNT_STAR",
        (trees, call) -> {
          FunctionForms.require(call, 0, 0);
          return trees.call(SqlStdOperatorTable.COUNT, SqlIdentifier.star(trees.at));
        });
  }

  private static void same(
      Map<String, Form> forms, String name, SqlOperator operator, int arguments) {
    forms.put(
        name,
        (trees, call) ->
            call.operandCount() == arguments
                ? operator.createCall(call.getFunctionQuantifier(), trees.at, call.getOperandList())
                : null);
  }

  /**
   * Texts with a comma between them if nothing else is given; other values become texts. Calcite
   * takes the aggregate of no rows for not null where its values are not: a TRY_CAST may be.
   */
  private static @Nullable SqlNode joined(Trees trees, SqlCall call) {
    if (call.operandCount() < 1 || call.operandCount() > 2) {
      return null;
    }
    SqlNode value = trees.tryCast(call.operand(0), SqlTypeName.VARCHAR);
    SqlNode separator = call.operandCount() == 2 ? call.operand(1) : trees.text(",");
    return SqlStdOperatorTable.LISTAGG.createCall(
        call.getFunctionQuantifier(), trees.at, List.of(value, separator));
  }

  /** An aggregate of NULL alone, whose type nothing says otherwise; null if it is of more. */
  private static @Nullable SqlNode ofNull(Trees trees, SqlCall call, SqlTypeName type) {
    return call.operandCount() > 0 && Trees.isNull(call.operand(0))
        ? trees.call(SqlStdOperatorTable.MAX, trees.cast(call.operand(0), type))
        : null;
  }

  /** {@code max(x, n)}, {@code arg_max(x, y, n)}: a list of the n greatest, or of those beside. */
  private static SqlNode most(Trees trees, SqlCall call, boolean greatest) {
    SqlNode value = call.operand(0);
    SqlNode key = call.operand(call.operandCount() - 2);
    SqlNode count = call.operand(call.operandCount() - 1);
    BigDecimal known = Trees.literalNumber(count);
    if (known == null || known.signum() <= 0 || known.scale() > 0) {
      throw FunctionForms.invalid(
          call,
          "The number of values of %s is a literal from 1".formatted(call.getOperator().getName()));
    }
    SqlNode there = trees.call(SqlStdOperatorTable.IS_NOT_NULL, Trees.copy(key));
    if (call.operandCount() > 2) {
      there =
          trees.call(
              SqlStdOperatorTable.AND,
              there,
              trees.call(SqlStdOperatorTable.IS_NOT_NULL, Trees.copy(value)));
    }
    SqlNode order =
        greatest ? trees.call(SqlStdOperatorTable.DESC, Trees.copy(key)) : Trees.copy(key);
    SqlNode list =
        ArrayAggFunction.ARRAY_AGG.createCall(
            call.getFunctionQuantifier(), trees.at, List.of(value, SqlNodeList.of(order)));
    return trees.call(
        ListFunctions.LIST_SLICE,
        trees.call(SqlStdOperatorTable.FILTER, list, there),
        trees.number(1),
        count);
  }

  private static SqlNode quantile(
      Trees trees, SqlCall call, @Nullable String fraction, boolean continuous) {
    FunctionForms.require(call, fraction == null ? 2 : 1, fraction == null ? 2 : 1);
    if (continuous && ofNull(trees, call, SqlTypeName.DOUBLE) instanceof SqlNode none) {
      return none;
    }
    if (fraction == null && call.operand(1) instanceof SqlCall shares && areShares(shares)) {
      return ofEach(trees, call, shares, continuous);
    }
    SqlNode share =
        fraction == null ? call.operand(1) : SqlLiteral.createExactNumeric(fraction, trees.at);
    return continuous
        ? trees.call(
            SqlStdOperatorTable.WITHIN_GROUP,
            trees.call(OrderedFunctions.QUANTILE_CONT, share),
            SqlNodeList.of(call.operand(0)))
        : discrete(trees, call, share, SqlNodeList.of(call.operand(0)));
  }

  /** {@code quantile_cont(x, [0.25, 0.5])}: a list. */
  private static SqlNode ofEach(Trees trees, SqlCall call, SqlCall shares, boolean continuous) {
    List<SqlNode> each = new ArrayList<>();
    for (SqlNode share : shares.getOperandList()) {
      SqlNode value = Trees.copy(call.operand(0));
      SqlCall one =
          call.getOperator()
              .createCall(
                  call.getFunctionQuantifier(), call.getParserPosition(), List.of(value, share));
      each.add(quantile(trees, one, null, continuous));
    }
    return listOf(trees, call.operand(0), each);
  }

  /** A list of aggregates of a value, null where no value is there. */
  static SqlNode listOf(Trees trees, SqlNode value, List<SqlNode> each) {
    SqlNode count = trees.call(SqlStdOperatorTable.COUNT, Trees.copy(value));
    return trees.ifElse(
        trees.call(SqlStdOperatorTable.EQUALS, count, trees.number(0)),
        SqlLiteral.createNull(trees.at),
        SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR.createCall(trees.at, each));
  }

  /** Whether an argument is a list of shares. */
  static boolean areShares(SqlCall argument) {
    return argument.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR && argument.operandCount() > 0;
  }

  /** Refuses a share that is no literal from 0 to 1. */
  static void requireShare(SqlCall call, SqlNode share) {
    BigDecimal known = Trees.literalNumber(share);
    if (known == null || known.signum() < 0 || known.compareTo(BigDecimal.ONE) > 0) {
      throw FunctionForms.invalid(
          call, "The share of %s is a literal from 0 to 1".formatted(call.getOperator().getName()));
    }
  }

  /** The value behind a share of rows in an order, which begins with the value. */
  static SqlNode discrete(Trees trees, SqlCall call, SqlNode share, SqlNodeList order) {
    requireShare(call, share);
    SqlNode value = AggregateWrappers.ordering(order.get(0));
    return trees.call(
        SqlStdOperatorTable.WITHIN_GROUP,
        trees.call(OrderedFunctions.QUANTILE_DISC, Trees.copy(value), share),
        order);
  }

  /** Of pairs (y, x) neither of which is null. */
  private static void moments(Map<String, Form> forms) {
    forms.put(
        "CORR",
        (trees, call) -> {
          Pairs pairs = new Pairs(trees, call);
          return trees.over(
              pairs.sxy(),
              trees.call(
                  SqlStdOperatorTable.NULLIF,
                  trees.call(SqlStdOperatorTable.SQRT, trees.times(pairs.sxx(), pairs.syy())),
                  trees.number(0)));
        });
    forms.put("REGR_SXY", (trees, call) -> new Pairs(trees, call).sxy());
    forms.put("REGR_SLOPE", (trees, call) -> new Pairs(trees, call).slope());
    forms.put("REGR_AVGX", (trees, call) -> new Pairs(trees, call).average(1));
    forms.put("REGR_AVGY", (trees, call) -> new Pairs(trees, call).average(0));
    forms.put(
        "REGR_INTERCEPT",
        (trees, call) -> {
          Pairs pairs = new Pairs(trees, call);
          return trees.minus(pairs.average(0), trees.times(pairs.slope(), pairs.average(1)));
        });
    forms.put(
        "REGR_R2",
        (trees, call) -> {
          // one where all y are equal, null where all x are
          Pairs pairs = new Pairs(trees, call);
          SqlNode square =
              trees.over(
                  trees.times(pairs.sxy(), pairs.sxy()),
                  trees.times(pairs.sxx(), pairs.nonZero(pairs.syy())));
          return trees.ifElse(
              trees.call(SqlStdOperatorTable.EQUALS, pairs.sxx(), trees.number(0)),
              trees.cast(SqlLiteral.createNull(trees.at), SqlTypeName.DOUBLE),
              trees.ifElse(
                  trees.call(SqlStdOperatorTable.EQUALS, pairs.syy(), trees.number(0)),
                  trees.cast(trees.number(1), SqlTypeName.DOUBLE),
                  square));
        });
  }

  private static final class Pairs {
    private final Trees trees;
    private final SqlCall call;

    Pairs(Trees trees, SqlCall call) {
      FunctionForms.require(call, 2, 2);
      this.trees = trees;
      this.call = call;
    }

    private SqlNode operand(int i) {
      return trees.cast(Trees.copy(call.operand(i)), SqlTypeName.DOUBLE);
    }

    private SqlNode of(SqlOperator aggregate) {
      return trees.call(aggregate, operand(0), operand(1));
    }

    SqlNode sxx() {
      return of(SqlStdOperatorTable.REGR_SXX);
    }

    SqlNode syy() {
      return of(SqlStdOperatorTable.REGR_SYY);
    }

    SqlNode sxy() {
      return trees.times(of(SqlStdOperatorTable.COVAR_POP), of(SqlStdOperatorTable.REGR_COUNT));
    }

    SqlNode nonZero(SqlNode value) {
      return trees.call(SqlStdOperatorTable.NULLIF, value, trees.number(0));
    }

    SqlNode slope() {
      return trees.over(sxy(), nonZero(sxx()));
    }

    SqlNode average(int which) {
      return trees.call(
          SqlStdOperatorTable.AVG,
          trees.ifElse(
              trees.call(SqlStdOperatorTable.IS_NOT_NULL, operand(1 - which)),
              operand(which),
              SqlLiteral.createNull(trees.at)));
    }
  }
}
