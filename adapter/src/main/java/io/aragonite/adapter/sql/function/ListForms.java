package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.LambdaFunctions;
import io.aragonite.rules.function.ListFunctions;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/** Functions of lists, under the names of PostgreSQL and DuckDB; they are host functions. */
final class ListForms {
  private ListForms() {}

  static void add(Map<String, Form> forms) {
    for (String name : new String[] {"LIST_VALUE", "LIST_PACK"}) {
      forms.put(
          name,
          (trees, call) ->
              trees.call(
                  call.operandCount() == 0
                      ? ListFunctions.EMPTY_LIST
                      : SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR,
                  call.getOperandList().toArray(SqlNode[]::new)));
    }
    same(forms, SqlLibraryOperators.ARRAY_CONTAINS, 2, "ARRAY_CONTAINS", "ARRAY_HAS");
    same(forms, SqlLibraryOperators.ARRAY_CONTAINS, 2, "LIST_CONTAINS", "LIST_HAS");
    same(forms, SqlLibraryOperators.ARRAY_APPEND, 2, "ARRAY_APPEND", "LIST_APPEND");
    same(forms, SqlLibraryOperators.ARRAY_DISTINCT, 1, "ARRAY_DISTINCT");
    forms.put("LIST_DISTINCT", ListForms::distinct);
    same(forms, ListFunctions.LIST_SORT, 1, "ARRAY_SORT");
    same(forms, SqlLibraryOperators.ARRAY_REVERSE, 1, "ARRAY_REVERSE", "LIST_REVERSE");
    same(forms, SqlLibraryOperators.ARRAY_CONCAT, 2, "ARRAY_CONCAT", "LIST_CONCAT");
    same(forms, SqlLibraryOperators.ARRAY_CONCAT, 2, "ARRAY_CAT", "LIST_CAT");
    same(forms, SqlLibraryOperators.ARRAY_MIN, 1, "ARRAY_MIN", "LIST_MIN");
    same(forms, SqlLibraryOperators.ARRAY_MAX, 1, "ARRAY_MAX", "LIST_MAX");
    same(forms, LambdaFunctions.LIST_TRANSFORM, 2, "LIST_APPLY", "ARRAY_APPLY", "ARRAY_TRANSFORM");
    same(forms, LambdaFunctions.LIST_FILTER, 2, "ARRAY_FILTER");
    same(forms, ListFunctions.LIST_SUM, 1, "ARRAY_SUM");
    same(forms, ListFunctions.LIST_AVG, 1, "ARRAY_AVG");
    same(forms, ListFunctions.LIST_SLICE, 3, "ARRAY_SLICE");
    same(forms, SqlStdOperatorTable.CARDINALITY, 1, "ARRAY_SIZE", "LIST_LENGTH");
    for (String name : new String[] {"ARRAY_POSITION", "LIST_POSITION", "LIST_INDEXOF"}) {
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
    for (String name : new String[] {"ARRAY_PREPEND", "LIST_PREPEND"}) {
      forms.put(
          name,
          (trees, call) ->
              call.operandCount() == 2
                  ? trees.call(SqlLibraryOperators.ARRAY_PREPEND, call.operand(1), call.operand(0))
                  : null);
    }
    for (String name : new String[] {"STRING_SPLIT", "STR_SPLIT", "STRING_TO_ARRAY"}) {
      same(forms, SqlLibraryOperators.SPLIT, 2, name);
    }
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
