package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.ArrayAggFunction;
import io.aragonite.rules.function.ListEdits;
import io.aragonite.rules.function.ListFunctions;
import io.aragonite.rules.function.VectorFunctions;
import java.math.BigDecimal;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/** Lists of parts of others, lists of numbers as vectors, and figures of lists. */
final class ListEditForms {
  private ListEditForms() {}

  static void add(Map<String, Form> forms) {
    same(forms, ListEdits.LIST_ZIP, 2, "ARRAY_ZIP");
    same(forms, ListEdits.LIST_WHERE, 2, "ARRAY_WHERE");
    same(forms, ListEdits.LIST_SELECT, 2, "ARRAY_SELECT");
    same(forms, ListEdits.LIST_INTERSECT, 2, "ARRAY_INTERSECT");
    same(forms, ListEdits.LIST_RESIZE, 2, "ARRAY_RESIZE");
    same(forms, ListEdits.LIST_GRADE_UP, 1, "ARRAY_GRADE_UP");
    forms.put(
        "LIST_CONTAINED_BY",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          return trees.call(ListFunctions.LIST_HAS_ALL, call.operand(1), call.operand(0));
        });
    forms.put("ARRAY_LENGTH", ListEditForms::length);
    forms.put("ARRAY_POP_BACK", (trees, call) -> slice(trees, call, 1, -2));
    forms.put("ARRAY_POP_FRONT", (trees, call) -> slice(trees, call, 2, -1));
    forms.put(
        "ARRAY_PUSH_FRONT",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          return trees.call(SqlLibraryOperators.ARRAY_PREPEND, call.operand(0), call.operand(1));
        });
    forms.put(
        "HISTOGRAM",
        (trees, call) ->
            call.operandCount() == 1 && call.getFunctionQuantifier() == null
                ? trees.call(
                    ListEdits.LIST_HISTOGRAM,
                    trees.call(ArrayAggFunction.ARRAY_AGG, call.operand(0)))
                : null);
    vectors(forms);
    figures(forms);
  }

  private static void vectors(Map<String, Form> forms) {
    same(
        forms,
        VectorFunctions.LIST_DOT_PRODUCT,
        2,
        "LIST_INNER_PRODUCT",
        "ARRAY_DOT_PRODUCT",
        "ARRAY_INNER_PRODUCT");
    same(forms, VectorFunctions.LIST_COSINE_SIMILARITY, 2, "ARRAY_COSINE_SIMILARITY");
    same(forms, VectorFunctions.LIST_DISTANCE, 2, "ARRAY_DISTANCE");
    for (String name : new String[] {"LIST_COSINE_DISTANCE", "ARRAY_COSINE_DISTANCE"}) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, 2, 2);
            return trees.minus(
                trees.number(1),
                trees.call(
                    VectorFunctions.LIST_COSINE_SIMILARITY, call.operand(0), call.operand(1)));
          });
    }
  }

  private static void figures(Map<String, Form> forms) {
    root(forms, "LIST_STDDEV_POP", VectorFunctions.LIST_VAR_POP);
    root(forms, "LIST_STDDEV_SAMP", VectorFunctions.LIST_VAR_SAMP);
    root(forms, "LIST_STDDEV", VectorFunctions.LIST_VAR_SAMP);
    forms.put("LIST_BOOL_AND", (trees, call) -> all(trees, call, true));
    forms.put("LIST_BOOL_OR", (trees, call) -> all(trees, call, false));
  }

  private static void root(Map<String, Form> forms, String name, SqlOperator variance) {
    forms.put(
        name,
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(SqlStdOperatorTable.SQRT, trees.call(variance, call.operand(0)));
        });
  }

  /** Nulls do not count: an empty list has no value. */
  private static SqlNode all(Trees trees, SqlCall call, boolean and) {
    FunctionForms.require(call, 1, 1);
    SqlNode values = trees.call(SqlLibraryOperators.ARRAY_COMPACT, call.operand(0));
    return trees.call(and ? SqlLibraryOperators.ARRAY_MIN : SqlLibraryOperators.ARRAY_MAX, values);
  }

  /** With PostgreSQL's number of the dimension, of which there is one. */
  private static @Nullable SqlNode length(Trees trees, SqlCall call) {
    if (call.operandCount() != 2) {
      return null;
    }
    if (!BigDecimal.ONE.equals(Trees.literalNumber(call.operand(1)))) {
      throw FunctionForms.invalid(call, "The dimension of ARRAY_LENGTH is 1");
    }
    return trees.call(SqlStdOperatorTable.CARDINALITY, call.operand(0));
  }

  private static SqlNode slice(Trees trees, SqlCall call, int first, int last) {
    FunctionForms.require(call, 1, 1);
    return trees.call(
        ListFunctions.LIST_SLICE, call.operand(0), trees.number(first), trees.number(last));
  }

  private static void same(
      Map<String, Form> forms, SqlOperator operator, int arguments, String... names) {
    for (String name : names) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, arguments, arguments);
            return trees.call(operator, call.getOperandList().toArray(SqlNode[]::new));
          });
    }
  }
}
