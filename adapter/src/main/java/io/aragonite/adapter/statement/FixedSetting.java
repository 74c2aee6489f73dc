package io.aragonite.adapter.statement;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code SET}, {@code RESET} and {@code PRAGMA} of settings of DuckDB and PostgreSQL that have one
 * value here. Programs that set this value do no harm; another one is an error, and so are those
 * that are properties of the connection.
 */
record FixedSetting() implements SessionSetting {
  private static final Pattern SET =
      Pattern.compile(
          "\\s*(?:SET(?:\\s+(?:SESSION|LOCAL|GLOBAL))?|PRAGMA)\\s+(\\w+)\\s*(?:=|\\bTO\\b)\\s*(.*?)\\s*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern NAMES =
      Pattern.compile("\\s*SET\\s+(NAMES)\\s+(.*?)\\s*", Pattern.CASE_INSENSITIVE);

  private static final Pattern WORD =
      Pattern.compile("\\s*(?:RESET|PRAGMA)\\s+(\\w+)\\s*", Pattern.CASE_INSENSITIVE);

  /** What a program may have of its own, or what concerns its screen or work that is not done. */
  private static final Set<String> ANY =
      Set.of(
          "application_name",
          "client_min_messages",
          "disable_object_cache",
          "disable_print_progress_bar",
          "disable_progress_bar",
          "disable_verification",
          "enable_object_cache",
          "enable_print_progress_bar",
          "enable_progress_bar",
          "enable_verification",
          "escape_string_warning",
          "extra_float_digits",
          "preserve_insertion_order",
          "progress_bar_time");

  private static final List<String> ON = List.of("true", "on", "1");
  private static final List<String> UTF8 = List.of("utf8", "utf-8", "unicode", "utf8mb4");

  /** By name the value that it has, in the ways in which it is written. */
  private static final Map<String, List<String>> FIXED =
      Map.of(
          "client_encoding",
          UTF8,
          "names",
          UTF8,
          "standard_conforming_strings",
          ON,
          "integer_division",
          ON,
          "default_order",
          List.of("asc", "ascending"),
          "default_null_order",
          List.of("nulls_last_on_asc_first_on_desc", "nulls last on asc first on desc"),
          "datestyle",
          List.of("iso", "iso, mdy", "iso, dmy", "iso, ymd"),
          "intervalstyle",
          List.of("postgres"));

  /** The connection's property for what is a setting elsewhere. */
  private static final Map<String, String> PROPERTIES =
      Map.of(
          "threads", "threads=4",
          "worker_threads", "threads=4",
          "memory_limit", "memory=4GB",
          "max_memory", "memory=4GB",
          "statement_timeout", "timeout=30s",
          "temp_directory", "spill=/folder",
          "max_temp_directory_size", "spillLimit=20GB");

  /** Null if a statement sets none of these. */
  static @Nullable FixedSetting of(String sql) {
    Matcher set = SET.matcher(sql);
    Matcher names = NAMES.matcher(sql);
    if (!set.matches()) {
      Matcher word = WORD.matcher(sql);
      boolean known = word.matches() && isKnown(word.group(1).toLowerCase(Locale.ROOT));
      return known ? new FixedSetting() : names.matches() ? of(names) : null;
    }
    return of(set);
  }

  private static @Nullable FixedSetting of(Matcher set) {
    String name = set.group(1).toLowerCase(Locale.ROOT);
    if (PROPERTIES.containsKey(name)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "%s is said when a connection is opened, as jdbc:aragonite:%s, and stays so; leave SET out."
              .formatted(set.group(1), PROPERTIES.get(name)));
    }
    List<String> values = FIXED.get(name);
    if (values == null) {
      return ANY.contains(name) ? new FixedSetting() : null;
    }
    String value = set.group(2).replaceAll("^['\"]|['\"]$", "").toLowerCase(Locale.ROOT);
    if (!values.contains(value)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "%s is always '%s' here, and cannot be '%s'; leave SET out, and say in the statements what they need."
              .formatted(set.group(1), values.getFirst(), value));
    }
    return new FixedSetting();
  }

  private static boolean isKnown(String name) {
    return ANY.contains(name) || FIXED.containsKey(name) || PROPERTIES.containsKey(name);
  }

  /** The value of a setting that has one; null of others. */
  static @Nullable String value(String name) {
    List<String> values = FIXED.get(name.toLowerCase(Locale.ROOT));
    return values == null ? null : values.getFirst();
  }

  @Override
  public void apply(Session session) {
    // it has this value already
  }
}
