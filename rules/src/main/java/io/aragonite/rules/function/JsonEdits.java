package io.aragonite.rules.function;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.List;
import java.util.Map;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.jspecify.annotations.Nullable;

/**
 * JSON texts with one part changed, as MySQL has them; the methods are for Calcite's code. Values
 * are JSON texts, too. A part whose parent is missing is not added. All other parts keep their
 * digits, and their equal names.
 */
@Strict
public final class JsonEdits {
  /** {@code $JSON_SET(json, path, value)}: with the value in place of a part, or as a new one. */
  public static final SqlFunction SET = editing("$JSON_SET");

  /** {@code $JSON_INSERT(json, path, value)}: with a new part; the same where there is one. */
  public static final SqlFunction INSERT = editing("$JSON_INSERT");

  /** {@code $JSON_REPLACE(json, path, value)}: with the value in place of a part. */
  public static final SqlFunction REPLACE = editing("$JSON_REPLACE");

  /** {@code $JSON_REMOVE(json, path)}: without a part. */
  public static final SqlFunction REMOVE =
      SqlBasicFunction.create(
          "$JSON_REMOVE",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
          SqlFunctionCategory.STRING);

  /** {@code $JSON_NAMES(json)}: an array of an object's names, as JSON; of all else null's. */
  public static final SqlFunction NAMES =
      SqlBasicFunction.create(
          "$JSON_NAMES",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.CHARACTER,
          SqlFunctionCategory.STRING);

  /** {@code $JSON_SIZE(json)}: how many members or elements there are; of a plain value 1. */
  public static final SqlFunction SIZE =
      SqlBasicFunction.create(
          "$JSON_SIZE",
          ReturnTypes.INTEGER_NULLABLE,
          OperandTypes.CHARACTER,
          SqlFunctionCategory.NUMERIC);

  private JsonEdits() {}

  /** All of them. */
  public static List<SqlFunction> all() {
    return List.of(SET, INSERT, REPLACE, REMOVE, NAMES, SIZE);
  }

  private static SqlFunction editing(String name) {
    return SqlBasicFunction.create(
        name,
        ReturnTypes.VARCHAR_NULLABLE,
        OperandTypes.family(
            SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
        SqlFunctionCategory.STRING);
  }

  public static String set(String json, String path, String value) {
    return edited(json, path, new Edit(JsonFunctions.parse(value), true, true));
  }

  public static String insert(String json, String path, String value) {
    return edited(json, path, new Edit(JsonFunctions.parse(value), true, false));
  }

  public static String replace(String json, String path, String value) {
    return edited(json, path, new Edit(JsonFunctions.parse(value), false, true));
  }

  public static String remove(String json, String path) {
    if (steps(path).isEmpty()) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "JSON_REMOVE leaves a part out; '%s' is the whole text, for which there is NULL."
              .formatted(path));
    }
    return edited(json, path, new Edit(null, false, true));
  }

  public static String names(String json) {
    JsonNode node = JsonFunctions.parse(json);
    if (!node.isObject()) {
      return "null";
    }
    ArrayNode names = JsonMembers.FACTORY.arrayNode(node.size());
    node.fieldNames().forEachRemaining(names::add);
    return names.toString();
  }

  public static int size(String json) {
    JsonNode node = JsonFunctions.parse(json);
    return node.isContainerNode() ? node.size() : 1;
  }

  private static String edited(String json, String path, Edit edit) {
    JsonNode node = JsonFunctions.parse(json);
    return JsonFunctions.written(edit.of(node, steps(path)));
  }

  private static List<JsonStep> steps(String path) {
    if (!path.startsWith("$") && !path.startsWith("/")) {
      throw JsonStep.noPath(path);
    }
    return JsonStep.of(path);
  }

  /**
   * What becomes of the part at a path.
   *
   * @param value that takes its place; null to leave it out
   * @param adds whether the value is added where there is no part
   * @param replaces whether a part that is there changes
   */
  private record Edit(@Nullable JsonNode value, boolean adds, boolean replaces) {
    /** A value with the part changed, as a new one: members of one that is parsed stay. */
    JsonNode of(JsonNode node, List<JsonStep> steps) {
      if (steps.isEmpty()) {
        return replaces && value != null ? value : node;
      }
      StopCheck.current().work(1 + node.size());
      JsonStep step = steps.getFirst();
      int place = step.place(node);
      boolean last = steps.size() == 1;
      if (place < 0 && !(last && adds) || last && place >= 0 && !replaces) {
        return node;
      }
      List<JsonStep> rest = steps.subList(1, steps.size());
      return switch (node) {
        case ObjectNode object when place >= 0 || step.name() != null ->
            ofObject(object, step, place, rest);
        case ArrayNode array when place >= 0 || step.index() >= 0 -> ofArray(array, place, rest);
        default -> node;
      };
    }

    private ObjectNode ofObject(ObjectNode object, JsonStep step, int place, List<JsonStep> rest) {
      ObjectNode changed = JsonMembers.FACTORY.objectNode();
      boolean removes = rest.isEmpty() && value == null;
      int at = 0;
      for (Map.Entry<String, JsonNode> member : object.properties()) {
        String name = member.getKey();
        if (at == place && !removes) {
          changed.set(name, of(member.getValue(), rest));
        } else if (!removes || !name.equals(step.name())) {
          changed.set(name, member.getValue());
        }
        at++;
      }
      if (place < 0) {
        changed.set(step.name(), value);
      }
      return changed;
    }

    private ArrayNode ofArray(ArrayNode array, int place, List<JsonStep> rest) {
      ArrayNode changed = JsonMembers.FACTORY.arrayNode(array.size() + 1);
      for (int i = 0; i < array.size(); i++) {
        if (i != place) {
          changed.add(array.get(i));
        } else if (!rest.isEmpty() || value != null) {
          changed.add(of(array.get(i), rest));
        }
      }
      if (place < 0) {
        changed.add(value);
      }
      return changed;
    }
  }
}
