package io.aragonite.adapter.sql.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.ArrayAggFunction;
import io.aragonite.rules.function.ListFunctions;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlPosixRegexOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Functions that are written by others, before a statement is validated: {@code date_trunc('month',
 * x)} is {@code FLOOR(x TO MONTH)}. So they run wherever those do, on every device.
 */
public final class FunctionForms {
  /** What a call is written as; null if it has arguments that the form is not for. */
  interface Form {
    @Nullable SqlNode of(Trees trees, SqlCall call);
  }

  /** Aggregates of which each row counts, and which know no DISTINCT. */
  private static final Set<String> OF_ALL_ROWS =
      Set.of(
          "APPROX_PERCENTILE",
          "APPROX_QUANTILE",
          "CORR",
          "COUNTIF",
          "COUNT_IF",
          "FAVG",
          "FSUM",
          "GEOMEAN",
          "GEOMETRIC_MEAN",
          "KAHAN_SUM",
          "KURTOSIS",
          "KURTOSIS_POP",
          "MEDIAN",
          "MODE",
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
          "SUMKAHAN",
          "WEIGHTED_AVG");

  private static final Map<String, Form> FORMS = forms();

  /** Operators that the parser makes of names. */
  private static final Set<SqlOperator> PARSED =
      Set.of(
          SqlLibraryOperators.MAP,
          SqlLibraryOperators.STRING_AGG,
          SqlLibraryOperators.GROUP_CONCAT,
          SqlLibraryOperators.DATE_TRUNC,
          SqlLibraryOperators.DATE_PART);

  private FunctionForms() {}

  private static Map<String, Form> forms() {
    Map<String, Form> forms = new TreeMap<>();
    DateForms.add(forms);
    Ages.add(forms);
    TextForms.add(forms);
    FormatForms.add(forms);
    NumberForms.add(forms);
    AggregateForms.add(forms);
    MomentForms.add(forms);
    ListForms.add(forms);
    ListEditForms.add(forms);
    JsonForms.add(forms);
    OtherForms.add(forms);
    return forms;
  }

  /** Their names, in upper case. */
  public static Collection<String> names() {
    return FORMS.keySet();
  }

  /**
   * The call, or what it is written as.
   *
   * @param randoms of which each has one value, however often it is read
   */
  public static SqlNode of(SqlCall call, RandomCalls randoms) {
    SqlNode made = of(call);
    int before = call.equals(made) ? 0 : randoms.count(call);
    return before > 0 && randoms.count(made) > before ? of(randoms.shared(call)) : made;
  }

  static SqlNode of(SqlCall call) {
    SqlOperator operator = call.getOperator();
    SqlNode ofAge = Ages.around(call);
    if (ofAge != null) {
      return ofAge;
    }
    if (operator.equals(SqlStdOperatorTable.EXTRACT)) {
      SqlNode extracted = DateParts.extract(new Trees(call), call);
      return extracted == null ? call : extracted;
    }
    if (operator.equals(SqlStdOperatorTable.JSON_OBJECT)) {
      return JsonForms.standardObject(new Trees(call), call);
    }
    if (operator.equals(SqlStdOperatorTable.JSON_ARRAY)) {
      return JsonForms.standardArray(new Trees(call), call);
    }
    if (operator.equals(SqlStdOperatorTable.JSON_EXISTS)) {
      return JsonForms.exists(new Trees(call), call);
    }
    if (operator instanceof SqlPosixRegexOperator) {
      return TextForms.matches(new Trees(call), call);
    }
    if (operator.equals(SqlLibraryOperators.ARRAY_AGG)) {
      return ArrayAggFunction.ARRAY_AGG.createCall(
          call.getFunctionQuantifier(), call.getParserPosition(), call.getOperandList());
    }
    if (operator.equals(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR) && call.operandCount() == 0) {
      return ListFunctions.EMPTY_LIST.createCall(call.getParserPosition());
    }
    if (operator.equals(SqlStdOperatorTable.MAP_VALUE_CONSTRUCTOR) && call.operandCount() == 0) {
      Trees trees = new Trees(call);
      return trees.call(
          SqlLibraryOperators.MAP_FROM_ARRAYS,
          trees.call(ListFunctions.EMPTY_LIST),
          trees.call(ListFunctions.EMPTY_LIST));
    }
    if (AggregateWrappers.wraps(call)) {
      return AggregateWrappers.of(call);
    }
    if (!(operator instanceof SqlFunction function)
        || isQualified(function)
        || !(operator instanceof SqlUnresolvedFunction || PARSED.contains(operator))) {
      return call;
    }
    if (function.getName().equals(StructPack.MARK)) {
      return StructPack.of(new Trees(call), call);
    }
    requireAllRows(call);
    Form form = FORMS.get(function.getName().toUpperCase(Locale.ROOT));
    SqlNode made = form == null ? null : form.of(new Trees(call), call);
    return made == null ? call : made;
  }

  /** Refuses DISTINCT where the sums or the order of rows that a call becomes would lack it. */
  private static void requireAllRows(SqlCall call) {
    String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
    SqlLiteral quantifier = call.getFunctionQuantifier();
    if (quantifier != null
        && quantifier.getValue() == SqlSelectKeyword.DISTINCT
        && OF_ALL_ROWS.contains(name)) {
      throw invalid(
          call,
          "%s(DISTINCT ...) is not possible; take the values from a SELECT DISTINCT in FROM"
              .formatted(name));
    }
  }

  private static boolean isQualified(SqlFunction function) {
    SqlIdentifier name = function.getSqlIdentifier();
    return name != null && !name.isSimple();
  }

  /** How many arguments a form needs. */
  static void require(SqlCall call, int least, int most) {
    int count = call.operandCount();
    if (count < least || count > most) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "%s takes %s, not %d (line %d, column %d)."
              .formatted(
                  call.getOperator().getName(),
                  least == most
                      ? "%d argument%s".formatted(least, least == 1 ? "" : "s")
                      : most == Integer.MAX_VALUE
                          ? "at least %d argument%s".formatted(least, least == 1 ? "" : "s")
                          : "%d to %d arguments".formatted(least, most),
                  count,
                  call.getParserPosition().getLineNum(),
                  call.getParserPosition().getColumnNum()));
    }
  }

  /** INVALID_STATEMENT, with where the node stands. */
  public static AragoniteException invalid(SqlNode node, String sentence) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "%s (line %d, column %d)."
            .formatted(
                sentence,
                node.getParserPosition().getLineNum(),
                node.getParserPosition().getColumnNum()));
  }
}
