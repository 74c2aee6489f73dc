package io.aragonite.adapter.sql.function;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/** Which functions are aggregates, by their names alone: before a statement is validated. */
public final class AggregateNames {
  /** Those that are rewritten, which no table of Calcite's has. */
  private static final Set<String> OWN =
      Set.of(
          "ANY",
          "APPROX_PERCENTILE",
          "APPROX_QUANTILE",
          "ARBITRARY",
          "ARGMAX",
          "ARGMIN",
          "ARG_MAX",
          "ARG_MIN",
          "BOOL_AND",
          "BOOL_OR",
          "CORR",
          "COUNTIF",
          "COUNT_IF",
          "COUNT_STAR",
          "ENTROPY",
          "EVERY",
          "FAVG",
          "FIRST",
          "FSUM",
          "GEOMEAN",
          "GEOMETRIC_MEAN",
          "GROUP_CONCAT",
          "KAHAN_SUM",
          "KURTOSIS",
          "KURTOSIS_POP",
          "LAST",
          "LIST",
          "MAD",
          "MAX_BY",
          "MEAN",
          "MEDIAN",
          "MIN_BY",
          "MODE",
          "PRODUCT",
          "QUANTILE",
          "QUANTILE_CONT",
          "QUANTILE_DISC",
          "REGR_AVGX",
          "REGR_AVGY",
          "REGR_INTERCEPT",
          "REGR_R2",
          "REGR_SLOPE",
          "REGR_SXY",
          "SEM",
          "SKEWNESS",
          "STRING_AGG",
          "SUMKAHAN",
          "VAR_SAMP",
          "WEIGHTED_AVG");

  private static final Set<String> ALL = all();

  private AggregateNames() {}

  private static Set<String> all() {
    Set<String> names = new TreeSet<>(OWN);
    for (SqlOperator operator : SqlStdOperatorTable.instance().getOperatorList()) {
      if (operator.isAggregator()) {
        names.add(operator.getName());
      }
    }
    return names;
  }

  /** Whether an aggregate has a name. */
  public static boolean isName(String name) {
    return ALL.contains(name.toUpperCase(Locale.ROOT));
  }

  /** Whether a call is one of an aggregate. */
  public static boolean isAggregate(SqlCall call) {
    return call.getOperator() instanceof SqlFunction function
        && (function.isAggregator() || ALL.contains(function.getName().toUpperCase(Locale.ROOT)));
  }

  /** Whether there is an aggregate in an expression, outside of windows and subqueries. */
  public static boolean hasAggregate(SqlNode node) {
    try {
      node.accept(
          new SqlBasicVisitor<Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
              if (call.getKind().belongsTo(SqlKind.QUERY)) {
                return null;
              }
              if (call.getKind() == SqlKind.OVER) {
                // the aggregates that a window goes over are in its operands
                for (SqlNode operand : ((SqlCall) call.operand(0)).getOperandList()) {
                  if (operand != null) {
                    operand.accept(this);
                  }
                }
                call.operand(1).accept(this);
                return null;
              }
              if (isAggregate(call)) {
                throw Util.FoundOne.NULL;
              }
              return super.visit(call);
            }
          });
      return false;
    } catch (Util.FoundOne e) {
      return true;
    }
  }
}
