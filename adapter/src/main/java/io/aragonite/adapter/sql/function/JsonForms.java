package io.aragonite.adapter.sql.function;

import static java.util.Objects.requireNonNull;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.JsonEdits;
import io.aragonite.rules.function.JsonFunctions;
import io.aragonite.rules.function.JsonRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlJsonConstructorNullClause;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/** Functions that make JSON, or look into it, under the names of DuckDB and PostgreSQL. */
final class JsonForms {
  private static final Set<String> ARRAYS_OF_ROWS =
      Set.of("JSON_GROUP_ARRAY", "JSON_AGG", "JSONB_AGG");

  private static final Set<String> OBJECTS_OF_ROWS =
      Set.of("JSON_GROUP_OBJECT", "JSON_OBJECT_AGG", "JSONB_OBJECT_AGG");

  /** A path of names and places of elements. */
  private static final Pattern PLAIN_PATH =
      Pattern.compile("(?:(?:lax|strict)\\s+)?(\\$(?:\\.[A-Za-z_][A-Za-z0-9_]*|\\[[0-9]{1,9}])*)");

  private JsonForms() {}

  /** Whether a name, in upper case, is of a function that makes JSON of rows. */
  static boolean isAggregate(String name) {
    return ARRAYS_OF_ROWS.contains(name) || OBJECTS_OF_ROWS.contains(name);
  }

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
    for (String name : ARRAYS_OF_ROWS) {
      forms.put(name, JsonForms::array);
    }
    for (String name : OBJECTS_OF_ROWS) {
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
    addPaths(forms);
    forms.put("JSON_SET", (trees, call) -> edited(trees, call, JsonEdits.SET));
    forms.put("JSON_INSERT", (trees, call) -> edited(trees, call, JsonEdits.INSERT));
    forms.put("JSON_REPLACE", (trees, call) -> edited(trees, call, JsonEdits.REPLACE));
    forms.put("JSON_REMOVE", JsonForms::removed);
    forms.put("JSON_KEYS", (trees, call) -> ofPart(trees, call, JsonEdits.NAMES));
    forms.put("JSON_LENGTH", (trees, call) -> ofPart(trees, call, JsonEdits.SIZE));
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

  private static void addPaths(Map<String, Form> forms) {
    forms.put("JSON_EXTRACT", (trees, call) -> parts(trees, call, JsonRows.PARTS));
    forms.put("JSON_EXTRACT_STRING", (trees, call) -> parts(trees, call, JsonRows.PART_TEXTS));
    for (String json : new String[] {"JSON", "JSONB"}) {
      forms.put(
          json + "_EXTRACT_PATH", (trees, call) -> steps(trees, call, JsonFunctions.JSON_EXTRACT));
      forms.put(
          json + "_EXTRACT_PATH_TEXT",
          (trees, call) -> steps(trees, call, JsonFunctions.JSON_EXTRACT_STRING));
    }
  }

  /**
   * Of a path of names and places; Calcite's of all others, and where errors are said to be else.
   */
  static SqlNode exists(Trees trees, SqlCall call) {
    if (call.operandCount() != 2 || !(call.operand(1) instanceof SqlCharStringLiteral path)) {
      return call;
    }
    Matcher plain = PLAIN_PATH.matcher(requireNonNull(path.getValueAs(String.class)));
    if (!plain.matches()) {
      return call;
    }
    SqlNode json = call.operand(0);
    boolean wrapped =
        json instanceof SqlCall value
            && value.getOperator().equals(SqlStdOperatorTable.JSON_VALUE_EXPRESSION);
    return trees.call(
        JsonFunctions.JSON_EXISTS,
        wrapped ? ((SqlCall) json).operand(0) : json,
        SqlLiteral.createCharString(plain.group(1), trees.at));
  }

  /** One pair of a path and a value behind the other, each in what the one before it has made. */
  private static SqlNode edited(Trees trees, SqlCall call, SqlOperator edit) {
    FunctionForms.require(call, 3, Integer.MAX_VALUE);
    if (call.operandCount() % 2 == 0) {
      throw FunctionForms.invalid(
          call, call.getOperator().getName() + " takes a JSON text, then paths and values in turn");
    }
    SqlNode json = call.operand(0);
    for (int i = 1; i < call.operandCount(); i += 2) {
      json = trees.call(edit, json, call.operand(i), json(trees, call.operand(i + 1)));
    }
    return json;
  }

  private static SqlNode removed(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, Integer.MAX_VALUE);
    SqlNode json = call.operand(0);
    for (SqlNode path : call.getOperandList().subList(1, call.operandCount())) {
      json = trees.call(JsonEdits.REMOVE, json, path);
    }
    return json;
  }

  /** Of all or of the part at a path of names and places; Calcite's of other paths. */
  private static SqlNode ofPart(Trees trees, SqlCall call, SqlOperator of) {
    FunctionForms.require(call, 1, 2);
    if (call.operandCount() == 1) {
      return trees.call(of, call.operand(0));
    }
    String path = Trees.literalText(call.operand(1));
    return path != null
            && (path.equals("$") || path.startsWith("$.") || path.startsWith("$["))
            && !path.contains("*")
        ? trees.call(of, trees.call(JsonFunctions.JSON_EXTRACT, call.operand(0), call.operand(1)))
        : call;
  }

  /** A list of the parts at a path with stars, or of those at several paths. */
  private static SqlNode parts(Trees trees, SqlCall call, SqlOperator several) {
    FunctionForms.require(call, 2, 2);
    SqlNode path = call.operand(1);
    if (path.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR) {
      List<SqlNode> values = new ArrayList<>();
      for (SqlNode each : ((SqlCall) path).getOperandList()) {
        values.add(trees.call(call.getOperator(), Trees.copy(call.operand(0)), each));
      }
      SqlNode list =
          trees.call(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, values.toArray(SqlNode[]::new));
      return trees.ifElse(
          trees.call(SqlStdOperatorTable.IS_NULL, call.operand(0)),
          SqlLiteral.createNull(trees.at),
          list);
    }
    String text = Trees.literalText(path);
    return text != null && text.startsWith("$") && text.contains("*")
        ? trees.call(several, call.operand(0), path)
        : call;
  }

  /** PostgreSQL's names and places in turn, as a pointer if they are written out; or one path. */
  private static SqlNode steps(Trees trees, SqlCall call, SqlOperator last) {
    FunctionForms.require(call, 2, Integer.MAX_VALUE);
    List<SqlNode> steps = call.getOperandList().subList(1, call.operandCount());
    if (steps.size() == 1
        && Trees.literalText(steps.getFirst()) instanceof String path
        && path.startsWith("$")) {
      return trees.call(last, call.operand(0), steps.getFirst());
    }
    if (steps.stream().allMatch(step -> Trees.literalText(step) != null)) {
      StringBuilder pointer = new StringBuilder();
      for (SqlNode step : steps) {
        String name = String.valueOf(Trees.literalText(step));
        pointer.append('/').append(name.replace("~", "~0").replace("/", "~1"));
      }
      return trees.call(last, call.operand(0), trees.text(pointer.toString()));
    }
    SqlNode part = call.operand(0);
    for (int i = 0; i < steps.size(); i++) {
      SqlOperator step = i + 1 < steps.size() ? JsonFunctions.JSON_EXTRACT : last;
      part = trees.call(step, part, steps.get(i));
    }
    return part;
  }

  private static SqlNode text(Trees trees, String text) {
    return trees.cast(trees.text(text), SqlTypeName.VARCHAR);
  }

  /** A value as JSON, which a null has too. */
  private static SqlNode json(Trees trees, SqlNode value) {
    SqlNode present = present(trees, value);
    return isNeverNull(value)
        ? present
        : trees.call(SqlStdOperatorTable.COALESCE, present, text(trees, "null"));
  }

  /** COALESCE has its operand twice: texts of nested calls would double with each level. */
  private static boolean isNeverNull(SqlNode value) {
    return value instanceof SqlCall call
        && (call.getOperator().equals(SqlStdOperatorTable.JSON_OBJECT)
            || call.getOperator().equals(SqlStdOperatorTable.JSON_ARRAY));
  }

  /** A value that is not null as JSON; what is JSON stays. */
  private static SqlNode present(Trees trees, SqlNode value) {
    if (value instanceof SqlCall call
        && call.getOperator().equals(SqlStdOperatorTable.JSON_VALUE_EXPRESSION)) {
      return trees.call(JsonFunctions.JSON_NORMALIZED, call.operand(0));
    }
    if (JsonMaker.isJson(value)) {
      return JsonMaker.isGiven(value) ? trees.call(JsonFunctions.JSON_NORMALIZED, value) : value;
    }
    if (!JsonMaker.hasJson(value)) {
      return trees.call(JsonMaker.OPERATOR, value);
    }
    List<SqlNode> parts = ((SqlCall) value).getOperandList();
    return value.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR
        ? array(trees, parts)
        : built(trees, (SqlCall) value);
  }

  /** {@code "key":value}; keys are texts. */
  private static SqlNode member(Trees trees, SqlNode key, SqlNode value) {
    SqlNode name = trees.call(JsonMaker.OPERATOR, trees.cast(key, SqlTypeName.VARCHAR));
    return trees.concat(List.of(name, text(trees, ":"), json(trees, value)));
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
    List<SqlNode> members = new ArrayList<>();
    for (int i = 0; i < call.operandCount(); i += 2) {
      members.add(member(trees, call.operand(i), call.operand(i + 1)));
    }
    return enclosed(trees, "{", members, "}");
  }

  /**
   * {@code JSON_OBJECT('a': x, 'b': y)} with its members as they are written. Calcite's own are in
   * the order of a hash table, times in them are numbers, and JSON is quoted.
   */
  static SqlNode standardObject(Trees trees, SqlCall call) {
    boolean nulls = hasNulls(call);
    List<SqlNode> members = new ArrayList<>();
    List<SqlNode> values = new ArrayList<>();
    for (int i = 1; i < call.operandCount(); i += 2) {
      SqlNode value = call.operand(i + 1);
      values.add(value);
      members.add(
          trees.concat(
              List.of(
                  trees.call(JsonMaker.KEY, (SqlNode) call.operand(i)),
                  text(trees, ":"),
                  nulls ? json(trees, value) : present(trees, value))));
    }
    return enclosed(trees, "{", nulls ? members : joinedPresent(trees, members, values), "}");
  }

  /** {@code JSON_ARRAY(x, y)}; Calcite's own has times as numbers, and quotes JSON. */
  static SqlNode standardArray(Trees trees, SqlCall call) {
    List<SqlNode> elements = call.getOperandList().subList(1, call.operandCount());
    if (hasNulls(call)) {
      return array(trees, elements);
    }
    List<SqlNode> present = elements.stream().map(element -> present(trees, element)).toList();
    return enclosed(trees, "[", joinedPresent(trees, present, elements), "]");
  }

  private static boolean hasNulls(SqlCall call) {
    return call.operand(0) instanceof SqlLiteral clause
        && clause.getValue() == SqlJsonConstructorNullClause.NULL_ON_NULL;
  }

  private static SqlNode builtArray(Trees trees, SqlCall call) {
    return array(trees, call.getOperandList());
  }

  private static SqlNode array(Trees trees, List<SqlNode> elements) {
    return enclosed(
        trees, "[", elements.stream().map(element -> json(trees, element)).toList(), "]");
  }

  private static SqlNode enclosed(Trees trees, String open, List<SqlNode> texts, String close) {
    List<SqlNode> parts = new ArrayList<>(List.of(text(trees, open)));
    for (int i = 0; i < texts.size(); i++) {
      if (i > 0) {
        parts.add(text(trees, ","));
      }
      parts.add(texts.get(i));
    }
    parts.add(text(trees, close));
    return trees.concat(parts);
  }

  /** The texts of those values that are not null, as one text. */
  private static List<SqlNode> joinedPresent(
      Trees trees, List<SqlNode> texts, List<SqlNode> values) {
    if (texts.isEmpty()) {
      return texts;
    }
    List<SqlNode> parts = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      SqlNode part = trees.concat(List.of(text(trees, ","), texts.get(i)));
      parts.add(
          isNeverNull(values.get(i))
              ? part
              : trees.call(SqlStdOperatorTable.COALESCE, part, text(trees, "")));
    }
    return List.of(trees.call(SqlStdOperatorTable.SUBSTRING, trees.concat(parts), trees.number(2)));
  }
}
