package io.aragonite.rules.function;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.jspecify.annotations.Nullable;

/** Parts of JSON texts, as PostgreSQL and DuckDB have them; the methods are for Calcite's code. */
@Strict
public final class JsonFunctions {
  /** {@code JSON_EXTRACT(json, path)} and {@code json -> path}: JSON, null if there is no part. */
  public static final SqlFunction JSON_EXTRACT = create("JSON_EXTRACT");

  /** {@code json ->> path}: the part as a text; of JSON's null null. */
  public static final SqlFunction JSON_EXTRACT_STRING = create("JSON_EXTRACT_STRING");

  /** {@code JSON_ARRAY_LENGTH(json)}: how many elements an array has; null of all else. */
  public static final SqlFunction JSON_ARRAY_LENGTH =
      SqlBasicFunction.create(
          "JSON_ARRAY_LENGTH",
          ReturnTypes.BIGINT.andThen(SqlTypeTransforms.FORCE_NULLABLE),
          OperandTypes.CHARACTER,
          SqlFunctionCategory.NUMERIC);

  /** {@code JSON(text)}: the same without blanks between its parts. */
  public static final SqlFunction JSON_NORMALIZED =
      SqlBasicFunction.create(
          "JSON_NORMALIZED",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.CHARACTER,
          SqlFunctionCategory.STRING);

  /** {@code .name}, {@code ."name"}, {@code [1]} or {@code ["name"]}; a name ends at a dot or [. */
  private static final Pattern STEP =
      Pattern.compile(
          "\\.([^.\\[\"*]+)|\\.\"([^\"]*)\"|\\[(-?[0-9]{1,9})]|\\[\"([^\"]*)\"]|\\['([^']*)']");

  private JsonFunctions() {}

  /** Made for the first text: each process names these functions, but few have JSON. */
  private static final class Json {
    private static final ObjectMapper MAPPER =
        new ObjectMapper()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .setNodeFactory(JsonNodeFactory.withExactBigDecimals(true));
  }

  private static SqlFunction create(String name) {
    return SqlBasicFunction.create(
        name,
        ReturnTypes.explicit(SqlTypeName.VARCHAR).andThen(SqlTypeTransforms.FORCE_NULLABLE),
        OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER)
            .or(OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.INTEGER)),
        SqlFunctionCategory.STRING);
  }

  public static @Nullable String extract(String json, String path) {
    return text(part(json, path), false);
  }

  public static @Nullable String extract(String json, long index) {
    return text(element(parse(json), index), false);
  }

  public static @Nullable String extractString(String json, String path) {
    return text(part(json, path), true);
  }

  public static @Nullable String extractString(String json, long index) {
    return text(element(parse(json), index), true);
  }

  public static @Nullable Long arrayLength(String json) {
    JsonNode node = parse(json);
    return node.isArray() ? (Long) (long) node.size() : null;
  }

  public static String normalized(String json) {
    return parse(json).toString();
  }

  /** Whether a text is JSON, of which these functions take parts. */
  public static boolean isValid(String json) {
    try {
      return !Json.MAPPER.readTree(json).isMissingNode();
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  static @Nullable String text(@Nullable JsonNode node, boolean plain) {
    if (node == null || node.isMissingNode() || plain && node.isNull()) {
      return null;
    }
    return plain && node.isTextual() ? node.textValue() : node.toString();
  }

  static JsonNode parse(String json) {
    JsonNode node;
    try {
      node = Json.MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw noJson(e.getOriginalMessage(), e);
    }
    if (node.isMissingNode()) {
      throw noJson("it is empty", null);
    }
    return node;
  }

  private static AragoniteException noJson(String reason, @Nullable Exception cause) {
    return new AragoniteException(
        ErrorCode.INVALID_ARGUMENT,
        "A text is no JSON: %s; CASE WHEN x IS JSON THEN ... END leaves such texts out."
            .formatted(reason),
        cause);
  }

  /** A path begins with $, a pointer with /; all else is a field's name. */
  static @Nullable JsonNode part(String json, String path) {
    return part(parse(json), path);
  }

  /** The part of a value at a path; null or a missing node if there is none. */
  static @Nullable JsonNode part(JsonNode node, String path) {
    if (path.startsWith("/")) {
      return pointed(node, path);
    }
    return path.startsWith("$") ? stepped(node, path) : node.get(path);
  }

  private static JsonNode pointed(JsonNode node, String path) {
    try {
      return node.at(path);
    } catch (IllegalArgumentException e) {
      throw noPath(path);
    }
  }

  private static @Nullable JsonNode stepped(JsonNode json, String path) {
    Matcher step = STEP.matcher(path);
    JsonNode node = json;
    int at = 1;
    while (at < path.length()) {
      at = next(step, at, path);
      if (node != null) {
        node = step(node, step);
      }
    }
    return node;
  }

  /** Where the step at a place ends, which is found then. */
  private static int next(Matcher step, int at, String path) {
    if (!step.find(at) || step.start() != at) {
      throw noPath(path);
    }
    return step.end();
  }

  private static @Nullable JsonNode step(JsonNode node, Matcher step) {
    return step.group(3) != null ? element(node, Long.parseLong(step.group(3))) : field(node, step);
  }

  /** All parts at a path, whose stars stand for every element or member. */
  static List<JsonNode> parts(JsonNode json, String path) {
    List<JsonNode> nodes = List.of(json);
    Matcher step = STEP.matcher(path);
    int at = 1;
    while (at < path.length()) {
      List<JsonNode> found = new ArrayList<>();
      boolean elements = path.startsWith("[*]", at);
      boolean members = path.startsWith(".*", at);
      if (elements || members) {
        at += elements ? 3 : 2;
        for (JsonNode node : nodes) {
          if (elements ? node.isArray() : node.isObject()) {
            node.forEach(found::add);
          }
        }
      } else {
        at = next(step, at, path);
        for (JsonNode node : nodes) {
          JsonNode part = step(node, step);
          if (part != null) {
            found.add(part);
          }
        }
      }
      StopCheck.current().work(1 + found.size());
      nodes = found;
    }
    return nodes;
  }

  private static @Nullable JsonNode field(JsonNode node, Matcher step) {
    for (int group : new int[] {1, 2, 4, 5}) {
      if (step.group(group) != null) {
        return node.get(step.group(group));
      }
    }
    return null;
  }

  /** The first is 0, the last -1. */
  private static @Nullable JsonNode element(JsonNode node, long index) {
    long at = index < 0 ? node.size() + index : index;
    return node.isArray() && at >= 0 && at < node.size() ? node.get((int) at) : null;
  }

  private static AragoniteException noPath(String path) {
    return new AragoniteException(
        ErrorCode.INVALID_ARGUMENT,
        "'%s' is no path into JSON; write '$.name[0]', '/name/0', or the name of a field."
            .formatted(path));
  }
}
