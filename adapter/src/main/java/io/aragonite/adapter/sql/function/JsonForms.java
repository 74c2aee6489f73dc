package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.JsonFunctions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlJsonConstructorNullClause;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/** Functions that make JSON, or look into it, under the names of DuckDB and PostgreSQL. */
final class JsonForms {
  private JsonForms() {}

  static void add(Map<String, Form> forms) {
    for (String name : new String[] {"ROW_TO_JSON", "ARRAY_TO_JSON", "TO_JSONB", "JSON_QUOTE"}) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, 1, 1);
            return trees.call(JsonMaker.OPERATOR, call.operand(0));
          });
    }
    for (String name : new String[] {"JSON_GROUP_ARRAY", "JSON_AGG", "JSONB_AGG"}) {
      forms.put(name, JsonForms::array);
    }
    for (String name : new String[] {"JSON_GROUP_OBJECT", "JSON_OBJECT_AGG", "JSONB_OBJECT_AGG"}) {
      forms.put(name, JsonForms::object);
    }
    for (String name : new String[] {"JSON_BUILD_OBJECT", "JSONB_BUILD_OBJECT"}) {
      forms.put(name, JsonForms::built);
    }
    for (String name : new String[] {"JSON_BUILD_ARRAY", "JSONB_BUILD_ARRAY"}) {
      forms.put(name, JsonForms::builtArray);
    }
    forms.put(
        "JSON",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(JsonFunctions.JSON_NORMALIZED, call.operand(0));
        });
    forms.put(
        "JSON_VALID",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(SqlStdOperatorTable.IS_JSON_VALUE, call.operand(0));
        });
    forms.put(
        "JSON_ARRAY_LENGTH",
        (trees, call) -> {
          FunctionForms.require(call, 1, 2);
          SqlNode json =
              call.operandCount() == 1
                  ? call.operand(0)
                  : trees.call(JsonFunctions.JSON_EXTRACT, call.operand(0), call.operand(1));
          return trees.call(JsonFunctions.JSON_ARRAY_LENGTH, json);
        });
  }

  private static SqlNode text(Trees trees, String text) {
    return trees.cast(trees.text(text), SqlTypeName.VARCHAR);
  }

  /** A value as JSON, which a null has too. */
  private static SqlNode json(Trees trees, SqlNode value) {
    return trees.call(
        SqlStdOperatorTable.COALESCE, trees.call(JsonMaker.OPERATOR, value), text(trees, "null"));
  }

  /** {@code "key":value}; keys are texts. */
  private static SqlNode member(Trees trees, SqlNode key, SqlNode value) {
    return trees.concat(
        List.of(
            trees.call(JsonMaker.OPERATOR, trees.cast(key, SqlTypeName.VARCHAR)),
            text(trees, ":"),
            json(trees, value)));
  }

  private static SqlNode joined(Trees trees, SqlNode element) {
    return trees.call(SqlLibraryOperators.STRING_AGG, element, trees.text(","));
  }

  private static SqlNode array(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, 1);
    requireAll(call);
    return trees.concat(
        List.of(text(trees, "["), joined(trees, json(trees, call.operand(0))), text(trees, "]")));
  }

  private static SqlNode object(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    requireAll(call);
    SqlNode member = member(trees, call.operand(0), call.operand(1));
    return trees.concat(List.of(text(trees, "{"), joined(trees, member), text(trees, "}")));
  }

  private static void requireAll(SqlCall call) {
    if (call.getFunctionQuantifier() != null) {
      throw FunctionForms.invalid(
          call,
          call.getOperator().getName()
              + " takes no DISTINCT; select the distinct values in a subquery");
    }
  }

  private static SqlNode built(Trees trees, SqlCall call) {
    if (call.operandCount() % 2 != 0) {
      throw FunctionForms.invalid(
          call, call.getOperator().getName() + " takes names and values in turn");
    }
    return built(trees, call.getOperandList());
  }

  private static SqlNode built(Trees trees, List<SqlNode> members) {
    List<SqlNode> parts = new ArrayList<>(List.of(text(trees, "{")));
    for (int i = 0; i < members.size(); i += 2) {
      if (i > 0) {
        parts.add(text(trees, ","));
      }
      parts.add(member(trees, members.get(i), members.get(i + 1)));
    }
    parts.add(text(trees, "}"));
    return trees.concat(parts);
  }

  /**
   * {@code JSON_OBJECT('a': x, 'b': y)} with its members as they are written; Calcite's own are in
   * the order of a hash table. Those that are JSON themselves, and nulls that are left out, stay.
   */
  static SqlNode inOrder(Trees trees, SqlCall call) {
    boolean nulls =
        call.operand(0) instanceof SqlLiteral clause
            && clause.getValue() == SqlJsonConstructorNullClause.NULL_ON_NULL;
    List<SqlNode> members = call.getOperandList().subList(1, call.operandCount());
    for (int i = 0; i < members.size(); i += 2) {
      boolean plain = members.get(i) instanceof SqlCharStringLiteral && !isJson(members.get(i + 1));
      nulls &= plain;
    }
    return nulls && members.size() > 2 ? built(trees, members) : call;
  }

  private static boolean isJson(SqlNode value) {
    return value instanceof SqlCall call && call.getOperator().getName().startsWith("JSON");
  }

  private static SqlNode builtArray(Trees trees, SqlCall call) {
    List<SqlNode> parts = new ArrayList<>(List.of(text(trees, "[")));
    for (int i = 0; i < call.operandCount(); i++) {
      if (i > 0) {
        parts.add(text(trees, ","));
      }
      parts.add(json(trees, call.operand(i)));
    }
    parts.add(text(trees, "]"));
    return trees.concat(parts);
  }
}
