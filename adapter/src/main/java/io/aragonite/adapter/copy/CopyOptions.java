package io.aragonite.adapter.copy;

import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.format.csv.CsvOptions;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How COPY writes.
 *
 * @param partitionBy columns whose values become folders {@code key=value}; none: one file
 * @param overwrite whether what is at the target may be replaced
 * @param header whether a delimited file begins with the columns' names
 * @param nullText what stands for null in a delimited file
 * @param array whether a JSON file is one array, rather than an object a line
 */
public record CopyOptions(
    CopyFormat format,
    PageCompression compression,
    List<String> partitionBy,
    boolean overwrite,
    boolean header,
    char delimiter,
    char quote,
    String nullText,
    boolean array) {
  private static final Set<String> NAMES =
      Set.of(
          "format",
          "compression",
          "partition_by",
          "overwrite",
          "header",
          "delimiter",
          "quote",
          "null",
          "array");

  /** What values have that stand without quotes, beside letters and digits. */
  private static final String IN_VALUES = "+-.: ";

  private static final Set<String> OF_CSV = Set.of("header", "delimiter", "quote", "null");

  /**
   * @param target the path that is written to, whose end says the format if no option does
   * @param given values by the options' names in lower case; an option without a value is true
   * @throws AragoniteException INVALID_ARGUMENT, naming the option
   */
  public static CopyOptions of(String target, Map<String, List<String>> given) {
    Map<String, List<String>> options = new HashMap<>();
    given.forEach((name, values) -> options.put(name(name), values));
    CopyFormat format = format(target, options.get("format"));
    for (String name : options.keySet()) {
      if (format != CopyFormat.CSV && OF_CSV.contains(name)) {
        throw wrong("%s is an option of the format csv".formatted(name));
      }
      if (format != CopyFormat.JSON && name.equals("array")) {
        throw wrong("array is an option of the format json");
      }
    }
    options.computeIfPresent(
        "delimiter", (_, values) -> values.stream().map(CsvOptions::delimiter).toList());
    char delimiter = character(options, "delimiter", ',');
    char quote = character(options, "quote", '"');
    if (delimiter == quote || isInValues(delimiter)) {
      throw wrong(
          "delimiter must be a character that is neither the quote nor in numbers and dates, not '%s'"
              .formatted(delimiter));
    }
    if (isInValues(quote)) {
      throw wrong(
          "quote must be a character that is not in numbers and dates, not '%s'".formatted(quote));
    }
    return new CopyOptions(
        format,
        compression(format, options),
        options.getOrDefault("partition_by", List.of()),
        flag(options, "overwrite", false),
        flag(options, "header", true),
        delimiter,
        quote,
        nullText(single("null", options.getOrDefault("null", List.of(""))), delimiter, quote),
        flag(options, "array", false));
  }

  /** Whether texts may come as codes of a dictionary. */
  public boolean takesCodes() {
    return (format == CopyFormat.PARQUET || format == CopyFormat.CSV) && partitionBy.isEmpty();
  }

  private static boolean isInValues(char character) {
    return Character.isLetterOrDigit(character) || IN_VALUES.indexOf(character) >= 0;
  }

  private static String nullText(String text, char delimiter, char quote) {
    if (text.chars().anyMatch(c -> c == delimiter || c == quote || c == '\n' || c == '\r')) {
      throw wrong(
          "null '%s' has a delimiter, a quote or a line end in it, and would not be read as null"
              .formatted(text));
    }
    return text;
  }

  private static String name(String name) {
    String known =
        switch (name) {
          case "delim", "sep" -> "delimiter";
          case "nullstr" -> "null";
          case "codec" -> "compression";
          default -> name;
        };
    if (!NAMES.contains(known)) {
      String nearest = NearestName.of(name, NAMES);
      throw wrong(
          "there is no option %s; %s"
              .formatted(
                  name,
                  nearest == null
                      ? "there are " + String.join(", ", NAMES.stream().sorted().toList())
                      : "did you mean " + nearest + "?"));
    }
    return known;
  }

  private static CopyFormat format(String target, @Nullable List<String> given) {
    String name = given == null ? "" : single("format", given).toUpperCase(Locale.ROOT);
    for (CopyFormat format : CopyFormat.values()) {
      if (given == null
          ? format.isNameOf(target.toLowerCase(Locale.ROOT))
          : name.equals(format.name())) {
        return format;
      }
    }
    throw wrong(
        given == null
            ? "the format of '%s' is not known by its name; give it, as (format parquet)"
                .formatted(target)
            : "the format %s is none of parquet, csv, json and arrow".formatted(given));
  }

  private static PageCompression compression(CopyFormat format, Map<String, List<String>> options) {
    List<String> given = options.get("compression");
    if (given == null) {
      return format == CopyFormat.PARQUET ? PageCompression.SNAPPY : PageCompression.NONE;
    }
    PageCompression compression = PageCompression.of(single("compression", given));
    if (compression == null
        || format != CopyFormat.PARQUET && compression != PageCompression.NONE) {
      throw wrong(
          format == CopyFormat.PARQUET
              ? "the compression %s is none of snappy, zstd, lz4_raw, gzip and none"
                  .formatted(given)
              : "files of the format %s are written without compression"
                  .formatted(format.name().toLowerCase(Locale.ROOT)));
    }
    return compression;
  }

  private static boolean flag(Map<String, List<String>> options, String name, boolean otherwise) {
    List<String> values = options.get(name);
    if (values == null) {
      return otherwise;
    }
    String value = values.isEmpty() ? "true" : single(name, values);
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true", "on", "1" -> true;
      case "false", "off", "0" -> false;
      default -> throw wrong("%s must be true or false, not %s".formatted(name, value));
    };
  }

  /**
   * An option that is true or false; true if it has no value.
   *
   * @throws AragoniteException INVALID_ARGUMENT
   */
  public static boolean flag(String name, List<String> values) {
    return flag(Map.of(name, values), name, false);
  }

  private static char character(Map<String, List<String>> options, String name, char otherwise) {
    List<String> values = options.get(name);
    if (values == null) {
      return otherwise;
    }
    String value = single(name, values);
    if (value.length() != 1 || value.charAt(0) > 127 || "\r\n".contains(value)) {
      throw wrong("%s must be one ASCII character, not '%s'".formatted(name, value));
    }
    return value.charAt(0);
  }

  private static String single(String name, List<String> values) {
    if (values.size() != 1) {
      throw wrong("%s must have one value".formatted(name));
    }
    return values.getFirst();
  }

  private static AragoniteException wrong(String what) {
    return new AragoniteException(
        ErrorCode.INVALID_ARGUMENT, "COPY is not understood: %s.".formatted(what));
  }
}
