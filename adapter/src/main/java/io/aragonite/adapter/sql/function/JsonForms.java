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
    for (String name :
        new String[] {"TO_JSON", "ROW_TO_JSON", "ARRAY_TO_JSON", "TO_JSONB", "JSON_QUOTE"}) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, 1, 1);
            SqlNode made = present(trees, call.operand(0));
            return made instanceof SqlCall inner ? FunctionForms.of(inner) : made;
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
    return trees.call(SqlStdOperatorTable.COALESCE, present(trees, value), text(trees, "null"));
  }

  /** A value that is not null as JSON; what is JSON stays. */
  private static SqlNode present(Trees trees, SqlNode value) {
    return JsonMaker.isJson(value) ? value : trees.call(JsonMaker.OPERATOR, value);
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
   * the order of a hash table. Those with nulls that are left out, and one of one member, stay.
   */
  static SqlNode inOrder(Trees trees, SqlCall call) {
    List<SqlNode> members = call.getOperandList().subList(1, call.operandCount());
    boolean ordered = hasNulls(call, SqlJsonConstructorNullClause.NULL_ON_NULL);
    boolean json = false;
    for (int i = 0; i < members.size(); i += 2) {
      ordered &= members.get(i) instanceof SqlCharStringLiteral;
      json |= JsonMaker.isJson(members.get(i + 1));
    }
    return ordered && (json || members.size() > 2) ? built(trees, members) : call;
  }

  /** {@code JSON_ARRAY(x, y)} where one of them is JSON, which Calcite's would quote. */
  static SqlNode ofJson(Trees trees, SqlCall call) {
    List<SqlNode> elements = call.getOperandList().subList(1, call.operandCount());
    if (elements.stream().noneMatch(JsonMaker::isJson)) {
      return call;
    }
    if (hasNulls(call, SqlJsonConstructorNullClause.NULL_ON_NULL)) {
      return array(trees, elements);
    }
    List<SqlNode> parts = new ArrayList<>();
    for (SqlNode element : elements) {
      SqlNode part = trees.concat(List.of(text(trees, ","), present(trees, element)));
      parts.add(trees.call(SqlStdOperatorTable.COALESCE, part, text(trees, "")));
    }
    SqlNode joined =
        trees.call(SqlStdOperatorTable.SUBSTRING, trees.concat(parts), trees.number(2));
    return trees.concat(List.of(text(trees, "["), joined, text(trees, "]")));
  }

  private static boolean hasNulls(SqlCall call, SqlJsonConstructorNullClause nulls) {
    return call.operand(0) instanceof SqlLiteral clause && clause.getValue() == nulls;
  }

  private static SqlNode builtArray(Trees trees, SqlCall call) {
    return array(trees, call.getOperandList());
  }

  private static SqlNode array(Trees trees, List<SqlNode> elements) {
    List<SqlNode> parts = new ArrayList<>(List.of(text(trees, "[")));
    for (int i = 0; i < elements.size(); i++) {
      if (i > 0) {
        parts.add(text(trees, ","));
      }
      parts.add(json(trees, elements.get(i)));
    }
    parts.add(text(trees, "]"));
    return trees.concat(parts);
  }
}
