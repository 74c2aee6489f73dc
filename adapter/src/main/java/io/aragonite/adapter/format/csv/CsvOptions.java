package io.aragonite.adapter.format.csv;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.aragonite.adapter.format.FileKinds;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.format.ForeignKeyHint;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is declared about a delimited file, in {@code <its name>.json} beside it; what is not
 * declared is found out from a sample.
 *
 * <pre>{@code
 * {
 *   "delimiter": ";", "quote": "\"", "header": true, "null": ["NULL", "-"],
 *   "skip": 2, "columns": [{"name": "id", "type": "BIGINT", "nullable": false}],
 *   "primaryKey": ["id"],
 *   "foreignKeys": [{"columns": ["nation"], "table": "nation", "references": ["id"]}]
 * }
 * }</pre>
 *
 * @param delimiter one ASCII character
 * @param quote one ASCII character, or the empty string for none
 * @param header whether the first record has the columns' names
 * @param nulls texts that stand for null
 * @param columns by name if there is a header, by position if not
 * @param skip lines in front of everything else that are not read
 * @param ignoreErrors whether records with other fields, or values of other types, are left out
 */
public record CsvOptions(
    @Nullable Character delimiter,
    @Nullable String quote,
    @Nullable Boolean header,
    @Nullable List<String> nulls,
    List<DeclaredColumn> columns,
    List<String> primaryKey,
    List<ForeignKeyHint> foreignKeys,
    int skip,
    boolean ignoreErrors) {
  public static final CsvOptions NONE =
      new CsvOptions(null, null, null, null, List.of(), List.of(), List.of(), 0, false);

  private static final Set<String> KEYS =
      Set.of(
          "delimiter",
          "quote",
          "header",
          "null",
          "columns",
          "primaryKey",
          "foreignKeys",
          "skip",
          "ignoreErrors");
  private static final long MAX_BYTES = 16 << 20;

  /**
   * A declared column.
   *
   * @param type nullable unless declared otherwise
   */
  public record DeclaredColumn(String name, DataType type) {}

  /** Where a file's options are, if there are any; null of remote files, which have none. */
  public static @Nullable Path sideCar(Path file) {
    return RemotePath.is(file) ? null : file.resolveSibling(file.getFileName() + ".json");
  }

  /** Where people say what is in a file: the name of its side-car file, or the function. */
  static String declaredIn(Path file) {
    Path path = sideCar(file);
    return path == null ? "read_csv(...)" : String.valueOf(path.getFileName());
  }

  /** The options beside a file, NONE if there are none. */
  public static CsvOptions beside(Path file) {
    Path path = sideCar(file);
    if (path == null) {
      return NONE;
    }
    try {
      if (!FileKinds.exists(path)) {
        return NONE;
      }
      FileScope.requireInside(Objects.requireNonNull(path.toAbsolutePath().getParent()), path);
      if (Files.size(path) > MAX_BYTES) {
        throw new IllegalArgumentException("it has more than %,d bytes".formatted(MAX_BYTES));
      }
      return of(new ObjectMapper().readTree(Files.readString(path)));
    } catch (JsonProcessingException e) {
      throw broken(path, "it is not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException | IllegalArgumentException e) {
      throw broken(path, e.getMessage() == null ? e.toString() : e.getMessage(), e);
    }
  }

  /**
   * Options from a map of the form that the side-car file has, for instance of a model file.
   *
   * @throws IllegalArgumentException with a sentence for the user
   */
  public static CsvOptions of(Map<String, ?> options) {
    return of(new ObjectMapper().<JsonNode>valueToTree(options));
  }

  private static AragoniteException broken(Path path, String what, Exception cause) {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN, "%s does not describe its file: %s".formatted(path, what), cause);
  }

  private static CsvOptions of(JsonNode root) {
    if (!root.isObject()) {
      throw new IllegalArgumentException("it must be an object, {…}");
    }
    root.fieldNames()
        .forEachRemaining(key -> {
          if (!KEYS.contains(key)) {
            throw new IllegalArgumentException(
                "the key \"%s\" is none of %s".formatted(key, KEYS.stream().sorted().toList()));
          }
        });
    String written = text(root.get("delimiter"), "delimiter");
    String delimiter = written == null ? null : delimiter(written);
    String quote = text(root.get("quote"), "quote");
    if (delimiter != null && !isOneCharacter(delimiter)) {
      throw new IllegalArgumentException(
          "\"delimiter\" must be one ASCII character and no line end, not \"" + delimiter + "\"");
    }
    if (quote != null && !quote.isEmpty() && !isOneCharacter(quote)) {
      throw new IllegalArgumentException(
          "\"quote\" must be one ASCII character, or \"\" for none, not \"" + quote + "\"");
    }
    Boolean header = flag(root.get("header"), "header");
    return new CsvOptions(
        delimiter == null ? null : delimiter.charAt(0),
        quote,
        header,
        root.has("null") ? texts(root.get("null"), "null") : null,
        columns(root.get("columns")),
        texts(root.get("primaryKey"), "primaryKey"),
        foreignKeys(root.get("foreignKeys")),
        skip(root.get("skip")),
        Boolean.TRUE.equals(flag(root.get("ignoreErrors"), "ignoreErrors")));
  }

  private static @Nullable Boolean flag(@Nullable JsonNode node, String key) {
    if (node != null && !node.isBoolean()) {
      throw new IllegalArgumentException("\"" + key + "\" must be true or false");
    }
    return node == null ? null : node.booleanValue();
  }

  private static int skip(@Nullable JsonNode node) {
    if (node != null && (!node.canConvertToInt() || !node.isInt() || node.intValue() < 0)) {
      throw new IllegalArgumentException("\"skip\" must be a number of lines, 0 or more");
    }
    return node == null ? 0 : node.intValue();
  }

  /** The same with other columns declared. */
  public CsvOptions withColumns(List<DeclaredColumn> declared) {
    return new CsvOptions(
        delimiter, quote, header, nulls, declared, primaryKey, foreignKeys, skip, ignoreErrors);
  }

  /** A delimiter as an option has it, where a backslash and a t are a tab. */
  public static String delimiter(String written) {
    return written.equals("\\t") ? "\t" : written;
  }

  private static boolean isOneCharacter(String text) {
    return text.length() == 1
        && text.charAt(0) < 128
        && text.charAt(0) != '\n'
        && text.charAt(0) != '\r';
  }

  private static @Nullable String text(@Nullable JsonNode node, String key) {
    if (node != null && !node.isTextual()) {
      throw new IllegalArgumentException("\"" + key + "\" must be a string");
    }
    return node == null ? null : node.textValue();
  }

  /** A list of strings, or one string. */
  private static List<String> texts(@Nullable JsonNode node, String key) {
    List<String> texts = new ArrayList<>();
    if (node != null && node.isTextual()) {
      texts.add(node.textValue());
    } else if (node != null) {
      if (!node.isArray()) {
        throw new IllegalArgumentException("\"" + key + "\" must be a list of strings");
      }
      for (JsonNode element : node) {
        texts.add(required(text(element, key), key));
      }
    }
    return List.copyOf(texts);
  }

  private static String required(@Nullable String text, String key) {
    if (text == null) {
      throw new IllegalArgumentException("\"" + key + "\" is missing");
    }
    return text;
  }

  private static List<DeclaredColumn> columns(@Nullable JsonNode node) {
    List<DeclaredColumn> columns = new ArrayList<>();
    if (node != null && !node.isArray()) {
      throw new IllegalArgumentException("\"columns\" must be a list");
    }
    for (JsonNode column : node == null ? JsonNodeFactory.instance.arrayNode() : node) {
      String name = required(text(column.get("name"), "name"), "name");
      String type = required(text(column.get("type"), "type"), "type");
      JsonNode nullable = column.get("nullable");
      if (nullable != null && !nullable.isBoolean()) {
        throw new IllegalArgumentException(
            "\"nullable\" of the column \"%s\" must be true or false".formatted(name));
      }
      DataType parsed = CsvTypes.parse(type);
      if (parsed == null) {
        throw new IllegalArgumentException(
            "column \"%s\" has the type %s, but a delimited file can have %s"
                .formatted(name, type, CsvTypes.NAMES));
      }
      columns.add(
          new DeclaredColumn(
              name, parsed.withNullable(nullable == null || nullable.booleanValue())));
    }
    return List.copyOf(columns);
  }

  private static List<ForeignKeyHint> foreignKeys(@Nullable JsonNode node) {
    List<ForeignKeyHint> keys = new ArrayList<>();
    for (JsonNode key : node == null ? JsonNodeFactory.instance.arrayNode() : node) {
      keys.add(
          new ForeignKeyHint(
              texts(key.get("columns"), "columns"),
              required(text(key.get("table"), "table"), "table"),
              texts(key.get("references"), "references")));
    }
    return List.copyOf(keys);
  }
}
