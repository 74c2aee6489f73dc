package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.LambdaFunctions;
import io.aragonite.rules.function.ListEdits;
import io.aragonite.rules.function.ListFunctions;
import io.aragonite.rules.function.MomentLists;
import io.aragonite.rules.function.VectorFunctions;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Functions of lists, under the names of PostgreSQL and DuckDB; they are host functions. */
final class ListForms {
  private ListForms() {}

  static void add(Map<String, Form> forms) {
    same(forms, SqlLibraryOperators.ARRAY_CONTAINS, 2, "ARRAY_CONTAINS", "ARRAY_HAS");
    same(forms, SqlLibraryOperators.ARRAY_CONTAINS, 2, "LIST_CONTAINS", "LIST_HAS");
    for (String name : new String[] {"ARRAY_APPEND", "LIST_APPEND", "ARRAY_PUSH_BACK"}) {
      forms.put(name, (trees, call) -> withElement(trees, call, false));
    }
    for (String name : new String[] {"ARRAY_PREPEND", "LIST_PREPEND"}) {
      forms.put(name, (trees, call) -> withElement(trees, call, true));
    }
    for (String name : new String[] {"ARRAY_CONCAT", "LIST_CONCAT", "ARRAY_CAT", "LIST_CAT"}) {
      forms.put(name, ListForms::concat);
    }
    same(forms, SqlLibraryOperators.ARRAY_DISTINCT, 1, "ARRAY_DISTINCT");
    forms.put("LIST_DISTINCT", ListForms::distinct);
    same(forms, SqlLibraryOperators.ARRAY_REVERSE, 1, "ARRAY_REVERSE", "LIST_REVERSE");
    same(forms, SqlLibraryOperators.ARRAY_MIN, 1, "ARRAY_MIN", "LIST_MIN");
    same(forms, SqlLibraryOperators.ARRAY_MAX, 1, "ARRAY_MAX", "LIST_MAX");
    same(forms, LambdaFunctions.LIST_TRANSFORM, 2, "LIST_APPLY", "ARRAY_APPLY", "ARRAY_TRANSFORM");
    same(forms, LambdaFunctions.LIST_FILTER, 2, "ARRAY_FILTER");
    makers(forms);
    orders(forms);
    for (String name : new String[] {"LIST_REDUCE", "ARRAY_REDUCE", "REDUCE"}) {
      forms.put(name, ListForms::reduce);
    }
    same(
        forms,
        SqlStdOperatorTable.ITEM,
        2,
        "LIST_EXTRACT",
        "ARRAY_EXTRACT",
        "LIST_ELEMENT",
        "STRUCT_EXTRACT",
        "ELEMENT_AT",
        "MAP_EXTRACT_VALUE");
    same(forms, ListFunctions.LIST_SUM, 1, "ARRAY_SUM");
    same(forms, ListFunctions.LIST_AVG, 1, "ARRAY_AVG");
    same(forms, ListFunctions.LIST_SLICE, 3, "ARRAY_SLICE");
    same(forms, SqlStdOperatorTable.CARDINALITY, 1, "ARRAY_SIZE", "LIST_LENGTH");
    elements(forms);
    for (String name :
        new String[] {"ARRAY_POSITION", "ARRAY_INDEXOF", "LIST_POSITION", "LIST_INDEXOF"}) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, 2, 2);
            SqlNode place =
                trees.call(SqlLibraryOperators.ARRAY_POSITION, call.operand(0), call.operand(1));
            return trees.call(SqlStdOperatorTable.NULLIF, place, trees.number(0));
          });
    }
    for (String name : new String[] {"LIST_UNIQUE", "ARRAY_UNIQUE"}) {
      forms.put(
          name,
          (trees, call) -> trees.call(SqlStdOperatorTable.CARDINALITY, distinct(trees, call)));
    }
  }

  /** One of the elements, or a count or text of them. */
  private static void elements(Map<String, Form> forms) {
    forms.put("LIST_FIRST", (trees, call) -> element(trees, list(call), 1));
    forms.put("LIST_LAST", (trees, call) -> element(trees, list(call), -1));
    forms.put("LIST_ANY_VALUE", (trees, call) -> element(trees, given(trees, call), 1));
    forms.put(
        "LIST_COUNT",
        (trees, call) -> trees.call(SqlStdOperatorTable.CARDINALITY, given(trees, call)));
    forms.put(
        "LIST_STRING_AGG",
        (trees, call) -> {
          FunctionForms.require(call, 1, 2);
          return joined(
              trees, call.operand(0), call.operandCount() == 2 ? call.operand(1) : trees.text(","));
        });
  }

  /** The texts of a list as one; null, as STRING_AGG is, where there is none that is not null. */
  private static SqlNode joined(Trees trees, SqlNode list, SqlNode separator) {
    SqlNode given = trees.call(SqlLibraryOperators.ARRAY_COMPACT, Trees.copy(list));
    return trees.ifElse(
        trees.call(
            SqlStdOperatorTable.GREATER_THAN,
            trees.call(SqlStdOperatorTable.CARDINALITY, given),
            trees.number(0)),
        trees.call(SqlLibraryOperators.ARRAY_TO_STRING, list, separator),
        SqlLiteral.createNull(trees.at));
  }

  private static SqlNode list(SqlCall call) {
    FunctionForms.require(call, 1, 1);
    return call.operand(0);
  }

  private static SqlNode element(Trees trees, SqlNode list, int place) {
    return trees.call(SqlStdOperatorTable.ITEM, list, trees.number(place));
  }

  /** The elements that are not null. */
  private static SqlNode given(Trees trees, SqlCall call) {
    return trees.call(SqlLibraryOperators.ARRAY_COMPACT, list(call));
  }

  /** Orders of lists, and what is asked of two lists or of all elements. */
  private static void orders(Map<String, Form> forms) {
    for (String name : new String[] {"LIST_SORT", "ARRAY_SORT"}) {
      forms.put(name, (trees, call) -> sorted(trees, call, false));
    }
    for (String name : new String[] {"LIST_REVERSE_SORT", "ARRAY_REVERSE_SORT"}) {
      forms.put(name, (trees, call) -> sorted(trees, call, true));
    }
    same(forms, ListFunctions.FLATTEN, 1, "FLATTEN");
    same(forms, ListFunctions.LIST_HAS_ALL, 2, "ARRAY_HAS_ALL");
    same(forms, ListFunctions.LIST_HAS_ANY, 2, "ARRAY_HAS_ANY");
    forms.put(
        "MAP_CONTAINS",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          SqlNode keys = trees.call(SqlLibraryOperators.MAP_KEYS, call.operand(0));
          return trees.call(SqlLibraryOperators.ARRAY_CONTAINS, keys, call.operand(1));
        });
    for (String name : new String[] {"LIST_AGGREGATE", "LIST_AGGR", "ARRAY_AGGREGATE"}) {
      forms.put(name, ListForms::aggregate);
    }
  }

  /** Lists and maps of other values. */
  private static void makers(Map<String, Form> forms) {
    same(forms, SqlLibraryOperators.MAP_CONCAT, 2, "MAP_CONCAT");
    for (String name : new String[] {"LIST_VALUE", "LIST_PACK", "ARRAY_VALUE"}) {
      forms.put(
          name,
          (trees, call) ->
              trees.call(
                  call.operandCount() == 0
                      ? ListFunctions.EMPTY_LIST
                      : SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR,
                  call.getOperandList().toArray(SqlNode[]::new)));
    }
    same(forms, SqlLibraryOperators.SPLIT, 2, "STRING_TO_ARRAY");
    forms.put("STRING_SPLIT", ListForms::split);
    forms.put("STR_SPLIT", ListForms::split);
    same(forms, ListFunctions.REGEXP_SPLIT, 2, "STRING_SPLIT_REGEX", "STR_SPLIT_REGEX");
    forms.put("MAP", (trees, call) -> null); // its arguments' types decide
    forms.put(
        "REGEXP_EXTRACT_ALL",
        (trees, call) -> {
          FunctionForms.require(call, 2, 3);
          SqlNode group = call.operandCount() == 3 ? call.operand(2) : trees.number(0);
          return trees.call(
              ListFunctions.REGEXP_EXTRACT_ALL, call.operand(0), call.operand(1), group);
        });
    forms.put(
        "REGEXP_COUNT",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          SqlNode found =
              trees.call(
                  ListFunctions.REGEXP_EXTRACT_ALL,
                  call.operand(0),
                  call.operand(1),
                  trees.number(0));
          return trees.call(SqlStdOperatorTable.CARDINALITY, found);
        });
    forms.put("RANGE", (trees, call) -> series(trees, call, ListFunctions.RANGE));
    forms.put(
        "GENERATE_SERIES", (trees, call) -> series(trees, call, ListFunctions.GENERATE_SERIES));
  }

  /**
   * An empty text is its one part, as in DuckDB; PostgreSQL's STRING_TO_ARRAY has none then. An
   * empty separator is between all characters.
   */
  private static @Nullable SqlNode split(Trees trees, SqlCall call) {
    if (call.operandCount() != 2) {
      return null;
    }
    SqlNode empty =
        trees.call(
            SqlStdOperatorTable.EQUALS,
            trees.cast(Trees.copy(call.operand(0)), SqlTypeName.VARCHAR),
            trees.text(""));
    return trees.ifElse(
        empty,
        trees.call(
            SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR,
            trees.cast(trees.text(""), SqlTypeName.VARCHAR)),
        "".equals(Trees.literalText(call.operand(1)))
            ? trees.call(
                ListFunctions.REGEXP_EXTRACT_ALL,
                call.operand(0),
                trees.text("(?s)."),
                trees.number(0))
            : trees.call(SqlLibraryOperators.SPLIT, call.operand(0), call.operand(1)));
  }

  /** By the words for an order, and for the place of nulls, which is that of ORDER BY. */
  private static SqlNode sorted(Trees trees, SqlCall call, boolean reverse) {
    FunctionForms.require(call, 1, reverse ? 2 : 3);
    boolean descending = reverse;
    Boolean first = null;
    for (SqlNode word : call.getOperandList().subList(1, call.operandCount())) {
      switch (String.valueOf(Trees.literalText(word)).toUpperCase(Locale.ROOT)) {
        case "ASC" -> descending = false;
        case "DESC" -> descending = true;
        case "NULLS FIRST" -> first = true;
        case "NULLS LAST" -> first = false;
        default ->
            throw FunctionForms.invalid(
                call,
                "%s takes the words 'ASC' or 'DESC', and 'NULLS FIRST' or 'NULLS LAST', not %s"
                    .formatted(call.getOperator().getName(), word));
      }
    }
    SqlNode list = call.operand(0);
    boolean nullsFirst = first == null ? descending : first;
    if (descending != nullsFirst) {
      return trees.call(
          SqlLibraryOperators.SORT_ARRAY, list, SqlLiteral.createBoolean(!descending, trees.at));
    }
    SqlNode sorted = trees.call(ListFunctions.LIST_SORT, list);
    return descending ? trees.call(SqlLibraryOperators.ARRAY_REVERSE, sorted) : sorted;
  }

  /** {@code list_aggregate(x, 'sum')}. */
  private static SqlNode aggregate(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 3);
    SqlNode list = call.operand(0);
    String name = String.valueOf(Trees.literalText(call.operand(1))).toLowerCase(Locale.ROOT);
    if (name.equals("string_agg")) {
      SqlNode separator = call.operandCount() == 3 ? call.operand(2) : trees.text(",");
      return joined(trees, list, separator);
    }
    FunctionForms.require(call, 2, 2);
    return switch (name) {
      case "sum" -> trees.call(ListFunctions.LIST_SUM, list);
      case "avg", "mean" -> trees.call(ListFunctions.LIST_AVG, list);
      case "min" -> trees.call(SqlLibraryOperators.ARRAY_MIN, list);
      case "max" -> trees.call(SqlLibraryOperators.ARRAY_MAX, list);
      case "count" ->
          trees.call(
              SqlStdOperatorTable.CARDINALITY, trees.call(SqlLibraryOperators.ARRAY_COMPACT, list));
      case "product" -> trees.call(VectorFunctions.LIST_PRODUCT, list);
      case "median" -> trees.call(VectorFunctions.LIST_MEDIAN, list);
      case "var_pop" -> trees.call(VectorFunctions.LIST_VAR_POP, list);
      case "var_samp", "variance" -> trees.call(VectorFunctions.LIST_VAR_SAMP, list);
      case "stddev_pop" ->
          trees.call(SqlStdOperatorTable.SQRT, trees.call(VectorFunctions.LIST_VAR_POP, list));
      case "stddev_samp", "stddev" ->
          trees.call(SqlStdOperatorTable.SQRT, trees.call(VectorFunctions.LIST_VAR_SAMP, list));
      case "histogram" -> trees.call(ListEdits.LIST_HISTOGRAM, list);
      default ->
          throw FunctionForms.invalid(
              call,
              "%s takes 'sum', 'avg', 'min', 'max', 'count', 'product', 'median', 'histogram', 'string_agg', variances and deviations, not %s; UNNEST the list for others"
                  .formatted(call.getOperator().getName(), call.operand(1)));
    };
  }

  /** The lists one after another; a null is an empty list, as in DuckDB. */
  private static @Nullable SqlNode concat(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, Integer.MAX_VALUE);
    SqlNode all = null;
    for (SqlNode list : call.getOperandList()) {
      if (!SqlUtil.isNullLiteral(list, false)) {
        SqlNode part = orEmpty(trees, list);
        all = all == null ? part : trees.call(SqlLibraryOperators.ARRAY_CONCAT, all, part);
      }
    }
    return all == null ? call.operand(0) : all;
  }

  /** From 0, by steps of 1, if nothing else is given. */
  private static SqlNode series(Trees trees, SqlCall call, SqlOperator operator) {
    FunctionForms.require(call, 1, 3);
    boolean one = call.operandCount() == 1;
    SqlNode moments = call.operandCount() == 3 ? moments(trees, call, operator) : null;
    if (moments != null) {
      return moments;
    }
    return trees.call(
        operator,
        one ? trees.number(0) : call.operand(0),
        call.operand(one ? 0 : 1),
        call.operandCount() == 3 ? call.operand(2) : trees.number(1));
  }

  /** A series whose step is an interval that is written out; null of another one. */
  private static @Nullable SqlNode moments(Trees trees, SqlCall call, SqlOperator operator) {
    SqlNode given = call.operand(2);
    boolean negative = given.getKind() == SqlKind.MINUS_PREFIX;
    SqlNode step = negative ? ((SqlCall) given).operand(0) : given;
    SqlNode count;
    boolean months;
    if (step instanceof SqlIntervalLiteral literal
        && literal.getValue() instanceof SqlIntervalLiteral.IntervalValue interval) {
      months = interval.getIntervalQualifier().isYearMonth();
      long units =
          months
              ? SqlParserUtil.intervalToMonths(interval)
              : SqlParserUtil.intervalToMillis(interval);
      count = trees.number(interval.getSign() * units);
    } else if (step.getKind() == SqlKind.INTERVAL
        && ((SqlCall) step).operand(1) instanceof SqlIntervalQualifier unit) {
      months = unit.isYearMonth();
      count =
          trees.times(
              trees.cast(((SqlCall) step).operand(0), SqlTypeName.BIGINT),
              trees.number(unit.getStartUnit().multiplier.longValue()));
    } else {
      return null;
    }
    if (negative) {
      count = trees.call(SqlStdOperatorTable.UNARY_MINUS, count);
    }
    return trees.call(
        MomentLists.MOMENT_SERIES,
        trees.cast(call.operand(0), SqlTypeName.TIMESTAMP),
        trees.cast(call.operand(1), SqlTypeName.TIMESTAMP),
        months ? count : trees.number(0),
        months ? trees.number(0) : count,
        SqlLiteral.createBoolean(operator.equals(ListFunctions.GENERATE_SERIES), trees.at));
  }

  /** A value to begin with is the first of the list. */
  private static SqlNode reduce(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 3);
    SqlNode list = call.operand(0);
    if (call.operandCount() == 3) {
      SqlNode first = trees.call(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, call.operand(2));
      list = trees.call(SqlLibraryOperators.ARRAY_CONCAT, first, list);
    }
    return trees.call(LambdaFunctions.LIST_REDUCE, list, call.operand(1));
  }

  private static @Nullable SqlNode withElement(Trees trees, SqlCall call, boolean first) {
    if (call.operandCount() != 2) {
      return null;
    }
    SqlNode list = orEmpty(trees, call.operand(first ? 1 : 0));
    SqlNode element =
        trees.call(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, call.operand(first ? 0 : 1));
    return first
        ? trees.call(SqlLibraryOperators.ARRAY_CONCAT, element, list)
        : trees.call(SqlLibraryOperators.ARRAY_CONCAT, list, element);
  }

  private static SqlNode orEmpty(Trees trees, SqlNode list) {
    if (SqlUtil.isNullLiteral(list, false)) {
      return trees.call(ListFunctions.EMPTY_LIST);
    }
    return list.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR
        ? list
        : trees.call(SqlStdOperatorTable.COALESCE, list, trees.call(ListFunctions.EMPTY_LIST));
  }

  /** The values that differ, without nulls, as in DuckDB. */
  private static SqlNode distinct(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, 1);
    SqlNode values = trees.call(SqlLibraryOperators.ARRAY_COMPACT, call.operand(0));
    return trees.call(SqlLibraryOperators.ARRAY_DISTINCT, values);
  }

  private static void same(
      Map<String, Form> forms, SqlOperator operator, int arguments, String... names) {
    for (String name : names) {
      forms.put(
          name,
          (trees, call) ->
              call.operandCount() == arguments
                  ? trees.call(operator, call.getOperandList().toArray(SqlNode[]::new))
                  : null);
    }
  }
}
