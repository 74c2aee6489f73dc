package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.nested.NestedType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a statement says of JSON files.
 *
 * @param form how objects follow each other; null: as found
 * @param columns the only columns, with their types; null: those of the sample
 * @param types types of some columns of the sample
 * @param common types that files of one table have together, of some columns that are not declared
 * @param sampleRows objects that columns and types are found from; -1: all; 0: those of the first
 *     megabytes
 * @param ignoreErrors whether lines that are no objects, and values of other types, are null
 */
public record JsonOptions(
    @Nullable JsonForm form,
    @Nullable Map<String, NestedType> columns,
    Map<String, NestedType> types,
    Map<String, NestedType> common,
    int sampleRows,
    boolean ignoreErrors) {
  public static final JsonOptions NONE = new JsonOptions(null, null, Map.of(), Map.of(), 0, false);

  /** Names of the options. */
  public static final List<String> NAMES =
      List.of("columns", "format", "ignore_errors", "sample_size", "types");

  /**
   * @param given values by the options' names: texts, numbers, truth values and maps of texts
   * @throws IllegalArgumentException with a sentence for the user
   */
  public static JsonOptions of(Map<String, ?> given) {
    return new JsonOptions(
        form(given.get("format")),
        given.containsKey("columns") ? types("columns", given.get("columns")) : null,
        given.containsKey("types") ? types("types", given.get("types")) : Map.of(),
        Map.of(),
        sampleRows(given.get("sample_size")),
        flag(given.get("ignore_errors")));
  }

  /** The same, with types of some columns in place of those that the sample gives. */
  JsonOptions withCommon(Map<String, NestedType> given) {
    return new JsonOptions(form, columns, types, Map.copyOf(given), sampleRows, ignoreErrors);
  }

  private static @Nullable JsonForm form(@Nullable Object given) {
    if (given == null || given.equals("auto")) {
      return null;
    }
    return Stream.of(JsonForm.values())
        .filter(form -> given instanceof String name && form.option().equals(lower(name)))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "format must be 'auto', 'newline_delimited', 'array' or 'unstructured', not "
                    + given));
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static int sampleRows(@Nullable Object given) {
    if (given == null) {
      return 0;
    }
    if (given instanceof Integer rows && (rows == -1 || rows > 0)) {
      return rows;
    }
    throw new IllegalArgumentException(
        "sample_size must be a number of objects, or -1 for all, not " + given);
  }

  private static boolean flag(@Nullable Object given) {
    if (given == null || given instanceof Boolean) {
      return given != null && (Boolean) given;
    }
    throw new IllegalArgumentException("ignore_errors must be true or false, not " + given);
  }

  private static Map<String, NestedType> types(String option, @Nullable Object given) {
    if (!(given instanceof Map<?, ?> names) || names.isEmpty()) {
      throw new IllegalArgumentException(
          "%s must be given by the columns' names, as {'id': 'BIGINT'}".formatted(option));
    }
    Map<String, NestedType> types = new LinkedHashMap<>();
    List<String> wrong = new ArrayList<>();
    names.forEach((name, type) -> {
      NestedType parsed = JsonTypeNames.parse(String.valueOf(type));
      if (parsed == null) {
        wrong.add(
            "column \"%s\" has the type %s, but a JSON file can have %s"
                .formatted(name, type, JsonTypeNames.ALL));
      } else {
        types.put(String.valueOf(name), parsed);
      }
    });
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(wrong.getFirst());
    }
    return types;
  }
}
