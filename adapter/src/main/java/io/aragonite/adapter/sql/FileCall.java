package io.aragonite.adapter.sql;

import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.adapter.format.iceberg.IcebergOptions;
import io.aragonite.adapter.format.json.JsonForm;
import io.aragonite.adapter.format.json.JsonOptions;
import io.aragonite.adapter.table.FileRequest;
import io.aragonite.adapter.table.TableFormat;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link FileReferences} made a name of: a path in quotes, or a call of {@code
 * read_parquet}, {@code read_csv}, {@code read_json}, {@code read_arrow} or {@code read_iceberg},
 * whose further arguments have names, with {@code =}, {@code :=} or {@code =>}.
 */
public final class FileCall {
  private static final Map<String, TableFormat> FUNCTIONS =
      Map.of(
          "read_parquet", TableFormat.PARQUET,
          "parquet_scan", TableFormat.PARQUET,
          "read_csv", TableFormat.CSV,
          "read_csv_auto", TableFormat.CSV,
          "read_arrow", TableFormat.ARROW,
          "read_json", TableFormat.JSON,
          "read_json_auto", TableFormat.JSON,
          "read_ndjson", TableFormat.JSON);
  private static final Set<String> ICEBERG = Set.of("read_iceberg", "iceberg_scan");
  private static final List<String> CSV_OPTIONS =
      List.of(
          "all_varchar",
          "delim",
          "filename",
          "header",
          "hive_partitioning",
          "ignore_errors",
          "nullstr",
          "quote",
          "skip",
          "types");
  private static final List<String> OTHER_OPTIONS = List.of("filename", "hive_partitioning");

  private final String text;
  private final List<String> tokens;
  private int at;

  private FileCall(String text) {
    this.text = text;
    this.tokens = tokens(text);
  }

  /** Whether a word is the name of a function that reads files. */
  static boolean isFunction(String word) {
    String name = word.toLowerCase(Locale.ROOT);
    return FUNCTIONS.containsKey(name) || ICEBERG.contains(name);
  }

  /** Whether a name of a table stands for files. */
  public static boolean isFiles(String name) {
    if (name.startsWith("'") && name.endsWith("'") && name.length() > 2) {
      return true;
    }
    int open = name.indexOf('(');
    return open > 0 && name.endsWith(")") && isFunction(name.substring(0, open).strip());
  }

  /**
   * The files that a name stands for.
   *
   * @throws AragoniteException INVALID_ARGUMENT, naming what is wrong
   */
  public static FileRequest parse(String name) {
    FileCall call = new FileCall(name);
    return name.startsWith("'")
        ? new FileRequest(
            null, List.of(call.string()), null, JsonOptions.NONE, null, null, false, false)
        : call.call();
  }

  private static List<String> tokens(String text) {
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < text.length(); ) {
      int end = SqlTokens.end(text, i);
      String token = text.substring(i, end);
      if (!SqlTokens.isBlank(token)) {
        tokens.add(token);
      }
      i = end;
    }
    return tokens;
  }

  private FileRequest call() {
    String function = next().toLowerCase(Locale.ROOT);
    TableFormat format = FUNCTIONS.get(function);
    expect("(");
    List<String> patterns = patterns();
    Map<String, Object> options = new LinkedHashMap<>();
    while (peek().equals(",")) {
      at++;
      String option = next().toLowerCase(Locale.ROOT);
      if (peek().equals(":")) {
        at++;
      }
      expect("=");
      if (peek().equals(">")) {
        at++;
      }
      options.put(option, value());
    }
    expect(")");
    if (ICEBERG.contains(function)) {
      return iceberg(patterns, options);
    }
    Boolean partitioned = choice(options, "hive_partitioning");
    boolean fileNames = Boolean.TRUE.equals(choice(options, "filename"));
    if (Boolean.FALSE.equals(choice(options, "union_by_name"))) {
      throw wrong("columns are matched by their names; leave union_by_name out");
    }
    if (function.equals("read_ndjson")) {
      options.putIfAbsent("format", JsonForm.LINES.option());
    }
    JsonOptions json = format == TableFormat.JSON ? json(options) : JsonOptions.NONE;
    if (format != TableFormat.CSV && format != TableFormat.JSON && !options.isEmpty()) {
      throw unknown(options.keySet().iterator().next(), OTHER_OPTIONS);
    }
    boolean csv = format == TableFormat.CSV;
    boolean allTexts = csv && Boolean.TRUE.equals(choice(options, "all_varchar"));
    if (csv && Boolean.FALSE.equals(choice(options, "auto_detect"))) {
      throw wrong("what is not given is always found out; leave auto_detect out");
    }
    boolean delimited = csv && !options.isEmpty();
    return new FileRequest(
        format,
        patterns,
        delimited ? csv(options) : null,
        json,
        null,
        partitioned,
        fileNames,
        allTexts);
  }

  /** Takes an option out that is true or false; null without it. */
  private @Nullable Boolean choice(Map<String, Object> options, String name) {
    Object value = options.remove(name);
    if (value != null && !(value instanceof Boolean)) {
      throw wrong(name + " must be true or false");
    }
    return (Boolean) value;
  }

  private FileRequest iceberg(List<String> tables, Map<String, Object> options) {
    if (tables.size() != 1) {
      throw wrong("it reads one table");
    }
    for (String option : options.keySet()) {
      if (!IcebergOptions.isKnown(option)) {
        throw unknown(option, IcebergOptions.NAMES);
      }
    }
    try {
      return new FileRequest(
          null, tables, null, JsonOptions.NONE, IcebergOptions.of(options), null, false, false);
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private JsonOptions json(Map<String, Object> options) {
    for (String option : options.keySet()) {
      if (!JsonOptions.NAMES.contains(option)) {
        throw unknown(
            option, Stream.concat(JsonOptions.NAMES.stream(), OTHER_OPTIONS.stream()).toList());
      }
    }
    try {
      return JsonOptions.of(options);
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private List<String> patterns() {
    if (!peek().equals("[")) {
      return List.of(string());
    }
    List<String> patterns = new ArrayList<>();
    do {
      at++;
      patterns.add(string());
    } while (peek().equals(","));
    expect("]");
    return List.copyOf(patterns);
  }

  private CsvOptions csv(Map<String, Object> options) {
    Map<String, Object> declared = new LinkedHashMap<>();
    for (Map.Entry<String, Object> option : options.entrySet()) {
      String key =
          switch (option.getKey()) {
            case "delim", "delimiter", "sep" -> "delimiter";
            case "nullstr", "null" -> "null";
            case "quote", "header", "skip" -> option.getKey();
            case "types", "columns", "dtypes" -> "columns";
            case "ignore_errors" -> "ignoreErrors";
            default -> throw unknown(option.getKey(), CSV_OPTIONS);
          };
      declared.put(key, key.equals("columns") ? columns(option.getValue()) : option.getValue());
    }
    try {
      return CsvOptions.of(declared);
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private List<Map<String, Object>> columns(Object value) {
    if (!(value instanceof Map<?, ?> types)) {
      throw wrong("types must be given by the columns' names, as {'id': 'BIGINT'}");
    }
    List<Map<String, Object>> columns = new ArrayList<>();
    types.forEach((name, type) -> columns.add(Map.of("name", name, "type", type)));
    return columns;
  }

  /** A text, a number, a truth value, a list or names with values. */
  private Object value() {
    String token = peek();
    switch (token.toLowerCase(Locale.ROOT)) {
      case "true", "false" -> {
        at++;
        return Boolean.valueOf(token);
      }
      case "[" -> {
        return patterns();
      }
      case "{" -> {
        return names();
      }
      default -> {
        if (token.isEmpty() || !Character.isDigit(token.charAt(0)) && !token.equals("-")) {
          return string();
        }
      }
    }
    at++;
    if (token.equals("-")) {
      token += next();
    }
    try {
      long number = Long.parseLong(token);
      if (number != (int) number && ICEBERG.contains(tokens.getFirst().toLowerCase(Locale.ROOT))) {
        return number;
      }
      return Integer.valueOf(token);
    } catch (NumberFormatException e) {
      throw wrong(token + " is no number, or too large");
    }
  }

  private Map<String, Object> names() {
    Map<String, Object> values = new LinkedHashMap<>();
    do {
      at++;
      String token = peek();
      String name = token.startsWith("'") || token.startsWith("\"") ? string() : next();
      if (!peek().equals(":")) {
        expect("=");
      } else {
        at++;
      }
      values.put(name, value());
    } while (peek().equals(","));
    expect("}");
    return values;
  }

  /** A text, or a name, in its quotes. */
  private String string() {
    String token = peek();
    if (token.length() < 2 || token.charAt(0) != '\'' && token.charAt(0) != '"') {
      throw wrong(token.isEmpty() ? "it ends too early" : "a text in quotes is wanted at " + token);
    }
    at++;
    String quote = token.substring(0, 1);
    return token.substring(1, token.length() - 1).replace(quote + quote, quote);
  }

  private String peek() {
    return at < tokens.size() ? tokens.get(at) : "";
  }

  private String next() {
    String token = peek();
    at++;
    return token;
  }

  private void expect(String token) {
    if (!peek().equals(token)) {
      throw wrong(
          "'%s' is wanted %s"
              .formatted(token, peek().isEmpty() ? "at its end" : "in place of " + peek()));
    }
    at++;
  }

  private AragoniteException wrong(String what) {
    return new AragoniteException(
        ErrorCode.INVALID_ARGUMENT, "%s is not understood: %s.".formatted(text, what));
  }

  private AragoniteException unknown(String option, List<String> known) {
    @Nullable String nearest = NearestName.of(option, known);
    return wrong(
        "there is no option %s; %s"
            .formatted(
                option,
                nearest == null
                    ? "there are " + String.join(", ", known)
                    : "did you mean " + nearest + "?"));
  }
}
