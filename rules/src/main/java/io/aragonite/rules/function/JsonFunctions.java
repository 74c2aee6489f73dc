package io.aragonite.rules.function;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
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

  /**
   * {@code $JSON_EXISTS(json, path)}: whether there is a part at a path without stars, a JSON null
   * too, which Calcite's JSON_EXISTS takes for none; false of what is no JSON.
   */
  public static final SqlFunction JSON_EXISTS =
      SqlBasicFunction.create(
          "$JSON_EXISTS",
          ReturnTypes.BOOLEAN_NULLABLE,
          OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
          SqlFunctionCategory.STRING);

  /** {@code JSON(text)}: the same without blanks between its parts. */
  public static final SqlFunction JSON_NORMALIZED =
      SqlBasicFunction.create(
          "JSON_NORMALIZED",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.CHARACTER,
          SqlFunctionCategory.STRING);

  /** What Java writes behind the digits of a number. */
  private static final Pattern EXPONENT = Pattern.compile("[0-9]E[+-][0-9]");

  private static final int PLAIN_DIGITS = 21;

  private JsonFunctions() {}

  /** Made for the first text: each process names these functions, but few have JSON. */
  private static final class Json {
    private static final ObjectMapper MAPPER =
        new ObjectMapper()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .setNodeFactory(JsonMembers.FACTORY);
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
    return text(new JsonStep(null, index).from(parse(json)), false);
  }

  public static @Nullable String extractString(String json, String path) {
    return text(part(json, path), true);
  }

  public static @Nullable String extractString(String json, long index) {
    return text(new JsonStep(null, index).from(parse(json)), true);
  }

  public static @Nullable Long arrayLength(String json) {
    JsonNode node = parse(json);
    return node.isArray() ? (Long) (long) node.size() : null;
  }

  public static boolean exists(String json, String path) {
    try {
      JsonNode node = Json.MAPPER.readTree(json);
      return !node.isMissingNode() && part(node, path) != null;
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  public static String normalized(String json) {
    return written(parse(json));
  }

  /** Whether a text is JSON, of which these functions take parts. */
  public static boolean isValid(String json) {
    try {
      return !Json.MAPPER.readTree(json).isMissingNode();
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  /**
   * Does nothing with a text that is JSON.
   *
   * @throws AragoniteException INVALID_ARGUMENT of another one
   */
  public static void requireValid(String text) {
    parse(text);
  }

  static @Nullable String text(@Nullable JsonNode node, boolean plain) {
    if (node == null || plain && node.isNull()) {
      return null;
    }
    return plain && node.isTextual() ? node.textValue() : written(node);
  }

  /** A value as JSON; its numbers have no exponent up to twenty digits before the point. */
  static String written(JsonNode node) {
    String text = node.toString();
    if (!EXPONENT.matcher(text).find()) {
      return text;
    }
    StringWriter writer = new StringWriter();
    try (JsonGenerator generator = Json.MAPPER.createGenerator(writer)) {
      Json.MAPPER.writeValue(
          new JsonGeneratorDelegate(generator, false) {
            @Override
            public void writeNumber(BigDecimal number) throws IOException {
              writeNumber(text(number));
            }
          },
          node);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toString();
  }

  /** 100000.0 of 1e5, but 1e30. */
  private static String text(BigDecimal number) {
    String text = number.toString();
    boolean exponent = text.indexOf('E') >= 0;
    return exponent && number.scale() < 0 && number.precision() - number.scale() <= PLAIN_DIGITS
        ? number.toPlainString() + ".0"
        : text.replace("E+", "e").replace('E', 'e');
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

  /** The part at a path, as {@link JsonStep} has them; null if there is none. */
  static @Nullable JsonNode part(String json, String path) {
    return part(parse(json), path);
  }

  /** The part of a value at a path; null if there is none. */
  static @Nullable JsonNode part(JsonNode json, String path) {
    JsonNode node = json;
    for (JsonStep step : JsonStep.of(path)) {
      node = node == null ? null : step.from(node);
    }
    return node;
  }

  /** All parts at a path, whose stars stand for every element or member. */
  static List<JsonNode> parts(JsonNode json, String path) {
    List<JsonNode> nodes = List.of(json);
    Matcher step = JsonStep.matcher(path);
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
        at = JsonStep.next(step, at, path);
        JsonStep next = JsonStep.of(step);
        for (JsonNode node : nodes) {
          JsonNode part = next.from(node);
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
}
