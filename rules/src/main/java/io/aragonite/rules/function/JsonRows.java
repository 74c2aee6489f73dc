package io.aragonite.rules.function;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.aragonite.exec.limit.StopCheck;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.jspecify.annotations.Nullable;

/**
 * Lists of what is in JSON texts, which statements unnest to rows, as PostgreSQL and DuckDB have
 * them; the methods are for Calcite's code. All take a path, {@code $} for the whole text; where
 * there is nothing the list is empty.
 */
@Strict
public final class JsonRows {
  /** {@code $JSON_KEYS(json, path)}: the names of an object's members; none of all else. */
  public static final SqlFunction KEYS = create("$JSON_KEYS", JsonRows::texts);

  /** {@code $JSON_ELEMENTS(json, path)}: the elements of an array, as JSON; none of all else. */
  public static final SqlFunction ELEMENTS = create("$JSON_ELEMENTS", JsonRows::texts);

  /** {@code $JSON_ELEMENT_TEXTS(json, path)}: the same as texts. */
  public static final SqlFunction ELEMENT_TEXTS = create("$JSON_ELEMENT_TEXTS", JsonRows::texts);

  /** {@code $JSON_PARTS(json, path)}: the parts at a path with stars, as JSON. */
  public static final SqlFunction PARTS = create("$JSON_PARTS", JsonRows::texts);

  /** {@code $JSON_PART_TEXTS(json, path)}: the same as texts. */
  public static final SqlFunction PART_TEXTS = create("$JSON_PART_TEXTS", JsonRows::texts);

  /** {@code $JSON_MEMBERS(json, path)}: rows of an object's names and values, as JSON. */
  public static final SqlFunction MEMBERS = create("$JSON_MEMBERS", JsonRows::members);

  /** {@code $JSON_MEMBER_TEXTS(json, path)}: the same with values as texts. */
  public static final SqlFunction MEMBER_TEXTS = create("$JSON_MEMBER_TEXTS", JsonRows::members);

  /** {@code $JSON_EACH(json, path)}: a row for each member or element, or for a plain value. */
  public static final SqlFunction EACH = create("$JSON_EACH", JsonRows::nodes);

  /** {@code $JSON_TREE(json, path)}: a row for the value and for all within it, from the top. */
  public static final SqlFunction TREE = create("$JSON_TREE", JsonRows::nodes);

  /** Names that a path has without quotes. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private JsonRows() {}

  /** All of them. */
  public static List<SqlFunction> all() {
    return List.of(
        KEYS, ELEMENTS, ELEMENT_TEXTS, PARTS, PART_TEXTS, MEMBERS, MEMBER_TEXTS, EACH, TREE);
  }

  private static SqlFunction create(String name, SqlReturnTypeInference type) {
    return SqlBasicFunction.create(
        name,
        type.andThen(SqlTypeTransforms.TO_NULLABLE),
        OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.CHARACTER),
        SqlFunctionCategory.STRING);
  }

  private static RelDataType text(RelDataTypeFactory types) {
    return types.createTypeWithNullability(types.createSqlType(SqlTypeName.VARCHAR), true);
  }

  private static RelDataType texts(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    return types.createArrayType(text(types), -1);
  }

  private static RelDataType members(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    RelDataType text = text(types);
    return types.createArrayType(
        types.createStructType(List.of(text, text), List.of("key", "value")), -1);
  }

  private static RelDataType nodes(SqlOperatorBinding binding) {
    RelDataTypeFactory types = binding.getTypeFactory();
    RelDataType text = text(types);
    RelDataType number =
        types.createTypeWithNullability(types.createSqlType(SqlTypeName.BIGINT), true);
    return types.createArrayType(
        types.createStructType(
            List.of(text, text, text, text, number, number, text, text),
            List.of("key", "value", "type", "atom", "id", "parent", "fullkey", "path")),
        -1);
  }

  public static List<String> keys(String json, String path) {
    JsonNode node = JsonFunctions.part(json, path);
    List<String> keys = new ArrayList<>();
    if (node != null) {
      node.fieldNames().forEachRemaining(keys::add);
    }
    return keys;
  }

  public static List<@Nullable String> elements(String json, String path) {
    return elements(json, path, false);
  }

  public static List<@Nullable String> elementTexts(String json, String path) {
    return elements(json, path, true);
  }

  private static List<@Nullable String> elements(String json, String path, boolean plain) {
    JsonNode node = JsonFunctions.part(json, path);
    List<@Nullable String> elements = new ArrayList<>();
    if (node != null && node.isArray()) {
      StopCheck.current().work(node.size());
      node.forEach(element -> elements.add(JsonFunctions.text(element, plain)));
    }
    return elements;
  }

  public static List<@Nullable String> parts(String json, String path) {
    return parts(json, path, false);
  }

  public static List<@Nullable String> partTexts(String json, String path) {
    return parts(json, path, true);
  }

  private static List<@Nullable String> parts(String json, String path, boolean plain) {
    List<@Nullable String> parts = new ArrayList<>();
    for (JsonNode part : JsonFunctions.parts(JsonFunctions.parse(json), path)) {
      parts.add(JsonFunctions.text(part, plain));
    }
    return parts;
  }

  public static List<@Nullable Object[]> members(String json, String path) {
    return members(json, path, false);
  }

  public static List<@Nullable Object[]> memberTexts(String json, String path) {
    return members(json, path, true);
  }

  private static List<@Nullable Object[]> members(String json, String path, boolean plain) {
    JsonNode node = JsonFunctions.part(json, path);
    List<@Nullable Object[]> rows = new ArrayList<>();
    if (node != null) {
      for (Map.Entry<String, JsonNode> member : node.properties()) {
        rows.add(
            new @Nullable Object[] {member.getKey(), JsonFunctions.text(member.getValue(), plain)});
      }
    }
    return rows;
  }

  public static List<@Nullable Object[]> each(String json, String path) {
    return new Walk(path, false).of(json);
  }

  public static List<@Nullable Object[]> tree(String json, String path) {
    return new Walk(path, true).of(json);
  }

  /** Values in the order in which they stand, numbered with the names before them. */
  private static final class Walk {
    private final String path;
    private final boolean deep;
    private final List<@Nullable Object[]> rows = new ArrayList<>();
    private long next;

    Walk(String path, boolean deep) {
      this.path = path;
      this.deep = deep;
    }

    List<@Nullable Object[]> of(String json) {
      JsonNode node = JsonFunctions.parse(json);
      for (JsonStep step : JsonStep.of(path)) {
        int place = step.place(node);
        if (place < 0) {
          return rows;
        }
        node = descend(node, place);
      }
      start(node, path.startsWith("$") || path.startsWith("/") ? path : "$" + step(path));
      return rows;
    }

    /** Numbers a value and what stands before one of its members or elements. */
    private JsonNode descend(JsonNode node, int place) {
      StopCheck.current().work(1 + place);
      next++;
      Iterator<JsonNode> children = node.iterator();
      for (int i = 0; i < place; i++) {
        next += node.isObject() ? 2 : 1;
        skip(children.next());
      }
      next += node.isObject() ? 1 : 0;
      return children.next();
    }

    private void start(JsonNode node, String at) {
      long id = next++;
      if (deep || !node.isContainerNode()) {
        row(null, node, id, null, at, at);
      }
      children(node, id, at);
    }

    private void children(JsonNode node, long id, String at) {
      StopCheck.current().work(1 + node.size());
      if (node.isObject()) {
        for (Map.Entry<String, JsonNode> member : node.properties()) {
          next++;
          child(member.getKey(), member.getValue(), id, at + step(member.getKey()), at);
        }
      }
      for (int i = 0; node.isArray() && i < node.size(); i++) {
        child(Integer.toString(i), node.get(i), id, at + "[" + i + "]", at);
      }
    }

    private void child(String key, JsonNode value, long parent, String at, String above) {
      long id = next++;
      row(key, value, id, deep ? (Long) parent : null, at, above);
      if (deep) {
        children(value, id, at);
      } else {
        skip(value);
      }
    }

    private void skip(JsonNode node) {
      for (JsonNode child : node) {
        next += node.isObject() ? 2 : 1;
        skip(child);
      }
    }

    private void row(
        @Nullable String key,
        JsonNode value,
        long id,
        @Nullable Long parent,
        String at,
        String above) {
      String json = JsonFunctions.written(value);
      StopCheck.current().make(64L + json.length());
      String atom = value.isContainerNode() || value.isNull() ? null : json;
      rows.add(new @Nullable Object[] {key, json, type(value), atom, id, parent, at, above});
    }

    private static String step(String name) {
      return "." + (PLAIN.matcher(name).matches() ? name : JsonNodeFactory.instance.textNode(name));
    }

    private static String type(JsonNode value) {
      return switch (value.getNodeType()) {
        case OBJECT -> "OBJECT";
        case ARRAY -> "ARRAY";
        case STRING -> "VARCHAR";
        case BOOLEAN -> "BOOLEAN";
        case NUMBER -> value.isIntegralNumber() ? integer(value.bigIntegerValue()) : "DOUBLE";
        default -> "NULL";
      };
    }

    private static String integer(BigInteger value) {
      if (value.signum() < 0) {
        return value.bitLength() < Long.SIZE ? "BIGINT" : "DOUBLE";
      }
      return value.bitLength() <= Long.SIZE ? "UBIGINT" : "DOUBLE";
    }
  }
}
