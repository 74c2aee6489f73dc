package io.aragonite.adapter.options;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.File;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a model before Calcite reads it. A class named in a model is code that would run, and a
 * model is data that may come from elsewhere: only our own classes are let through.
 */
public final class ConnectionModel {
  private static final String INLINE = "inline:";

  /** What Calcite tells factories of a model's folder, where the model does not. */
  private static final String BASE = "baseDirectory";

  private static final String OURS = "io.aragonite.adapter.";
  private static final Set<String> CLASS_KEYS =
      Set.of(
          "factory",
          "className",
          "jdbcDriver",
          "dataSource",
          "sqlDialectFactory",
          "statisticProvider",
          "rowCountEstimator");
  private static final String FACTORY = OURS + "GpuSchemaFactory";
  private static final List<AragoniteProperty> ENGINE =
      List.of(
          AragoniteProperty.DEVICE,
          AragoniteProperty.MEMORY,
          AragoniteProperty.GPU_MEMORY,
          AragoniteProperty.SPILL,
          AragoniteProperty.SPILL_LIMIT,
          AragoniteProperty.THREADS);
  private static final Set<String> CODE_TYPES = Set.of("jdbc");

  private ConnectionModel() {}

  /**
   * Checks the model that the properties name, if there is one, and adds to the properties what
   * schemas of ours ask of the engine (device, memory, gpuMemory, threads): a connection has one
   * engine, and what its URL says of it is stronger.
   *
   * @throws AragoniteException MODEL_INVALID or CLASS_NOT_ALLOWED
   */
  public static void prepare(Properties properties) {
    Map<AragoniteProperty, Asked> asked = new EnumMap<>(AragoniteProperty.class);
    String model = get(properties, "model");
    if (model != null) {
      JsonNode root = read(model);
      visit(root, model);
      for (JsonNode schema : root.path("schemas")) {
        if (FACTORY.equals(schema.path("factory").asText())) {
          collect(schema, model, properties, asked);
        }
      }
      if (!model.startsWith(INLINE)) {
        keep(root, new File(model).getAbsoluteFile().getParent(), properties);
      }
    }
    asked.forEach((property, value) -> properties.setProperty(property.camelName(), value.value));
    if (FACTORY.equals(get(properties, "schemaFactory"))) {
      for (AragoniteProperty property : ENGINE) {
        String value = get(properties, "schema." + property.camelName());
        if (value != null && get(properties, property.camelName()) == null) {
          properties.setProperty(property.camelName(), value);
        }
      }
    }
  }

  /** Has Calcite read what was looked at: the file may be another one by then. */
  private static void keep(JsonNode root, String folder, Properties properties) {
    for (JsonNode schema : root.path("schemas")) {
      if (schema instanceof ObjectNode custom && "custom".equals(schema.path("type").asText())) {
        ObjectNode operand = custom.withObject("/operand");
        if (!operand.has(BASE)) {
          operand.put(BASE, folder);
        }
      }
    }
    for (String name : properties.stringPropertyNames()) {
      if (name.equalsIgnoreCase("model")) {
        properties.setProperty(name, INLINE + root);
      }
    }
  }

  /** What a schema asks of the engine. */
  private record Asked(String schema, String value) {}

  private static void collect(
      JsonNode schema, String model, Properties given, Map<AragoniteProperty, Asked> asked) {
    String name = schema.path("name").asText();
    for (Map.Entry<String, JsonNode> operand : schema.path("operand").properties()) {
      for (AragoniteProperty property : ENGINE) {
        if (!property.camelName().equalsIgnoreCase(operand.getKey())
            || get(given, property.camelName()) != null) {
          continue;
        }
        Asked mine = new Asked(name, operand.getValue().asText());
        Asked other = asked.putIfAbsent(property, mine);
        if (other != null && !other.value.equals(mine.value)) {
          throw new AragoniteException(
              ErrorCode.MODEL_INVALID,
              "Schemas '%s' and '%s' of the model %s want %s=%s and %s=%s, but a connection has one engine; give %s= in the URL."
                  .formatted(
                      other.schema,
                      name,
                      title(model),
                      property.camelName(),
                      other.value,
                      property.camelName(),
                      mine.value,
                      property.camelName()));
        }
      }
    }
  }

  private static JsonNode read(String model) {
    try {
      JsonNode root;
      if (model.startsWith(INLINE)) {
        String text = model.substring(INLINE.length()).trim();
        boolean json = text.startsWith("{") || text.startsWith("/*");
        root = mapper(!json).readTree(text);
      } else {
        File file = new File(model);
        if (!file.isFile()) {
          throw new AragoniteException(
              ErrorCode.MODEL_INVALID,
              "There is no model file %s; model= names a JSON or YAML file."
                  .formatted(file.getAbsolutePath()));
        }
        root = mapper(model.endsWith(".yaml") || model.endsWith(".yml")).readTree(file);
      }
      if (root == null || !root.isObject()) {
        throw new AragoniteException(
            ErrorCode.MODEL_INVALID,
            "The model %s is empty; it must be an object with schemas.".formatted(title(model)));
      }
      return root;
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.MODEL_INVALID,
          "The model %s cannot be read: %s".formatted(title(model), FileErrors.reason(e)),
          e);
    }
  }

  private static ObjectMapper mapper(boolean yaml) {
    ObjectMapper mapper = yaml ? new YAMLMapper() : new ObjectMapper();
    return mapper
        .configure(JsonParser.Feature.ALLOW_UNQUOTED_FIELD_NAMES, true)
        .configure(JsonParser.Feature.ALLOW_SINGLE_QUOTES, true)
        .configure(JsonParser.Feature.ALLOW_COMMENTS, true)
        // of a key that is there twice Calcite may take the other one
        .configure(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY, true);
  }

  private static String title(String model) {
    return model.startsWith(INLINE) ? "given inline" : model;
  }

  private static void visit(JsonNode node, String model) {
    if (node.isObject()) {
      JsonNode type = node.get("type");
      if (type != null && CODE_TYPES.contains(type.asText())) {
        throw notAllowed("a schema of type '" + type.asText() + "'", model);
      }
      for (Iterator<Map.Entry<String, JsonNode>> fields = node.fields(); fields.hasNext(); ) {
        Map.Entry<String, JsonNode> field = fields.next();
        if (CLASS_KEYS.contains(field.getKey())
            && field.getValue().isTextual()
            && !field.getValue().asText().startsWith(OURS)) {
          throw notAllowed("the class '" + field.getValue().asText() + "'", model);
        }
        visit(field.getValue(), model);
      }
    } else if (node.isArray()) {
      node.forEach(child -> visit(child, model));
    }
  }

  private static AragoniteException notAllowed(String what, String model) {
    return new AragoniteException(
        ErrorCode.CLASS_NOT_ALLOWED,
        "The model %s names %s; under jdbc:aragonite: a model may name %sGpuSchemaFactory only (open"
                .formatted(title(model), what, OURS)
            + " it with jdbc:calcite: if you trust it).");
  }

  private static @Nullable String get(Properties properties, String wanted) {
    for (String name : properties.stringPropertyNames()) {
      if (name.equalsIgnoreCase(wanted)) {
        return properties.getProperty(name);
      }
    }
    return null;
  }
}
