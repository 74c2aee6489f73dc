package io.aragonite.adapter.explain;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An EXPLAIN that Calcite's parser does not know: {@code EXPLAIN ANALYZE q}, {@code EXPLAIN VERBOSE
 * q}, both together, {@code EXPLAIN q}, each with {@code AS JSON} or {@code AS TEXT} before the
 * query if wanted.
 *
 * @param sql the query, with blanks in the place of what was before it, so that positions in error
 *     messages hold
 * @param analyze whether the query is to be run
 * @param verbose whether joins are shown with what their prices are made of, and all candidates
 * @param json JSON instead of text
 */
public record ExplainRequest(String sql, boolean analyze, boolean verbose, boolean json) {
  private static final String BLANK = "(?:\\s++|--[^\\n]*\\n|/\\*.*?\\*/)";
  private static final Pattern PREFIX =
      Pattern.compile(
          BLANK
              + "*EXPLAIN"
              + BLANK
              + "+((?:(?:ANALYZE|VERBOSE)"
              + BLANK
              + "+)*)(?:(PLAN)"
              + BLANK
              + "+(?=AS\\b|FOR\\b))?(?:AS"
              + BLANK
              + "+(TEXT|JSON)"
              + BLANK
              + "+)?(?:FOR"
              + BLANK
              + "+)?(?=(PLAN)?)",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  public static @Nullable ExplainRequest of(String sql) {
    Matcher matcher = PREFIX.matcher(sql);
    if (!matcher.lookingAt() || matcher.group(4) != null) {
      return null;
    }
    String prefix = matcher.group().replaceAll("[^\\n]", " ");
    String kind = matcher.group(1).toUpperCase(Locale.ROOT);
    if (kind.isEmpty() && matcher.group(2) != null) {
      return null;
    }
    String format = matcher.group(3);
    return new ExplainRequest(
        prefix + sql.substring(matcher.end()),
        kind.contains("ANALYZE"),
        kind.contains("VERBOSE"),
        format != null && format.toLowerCase(Locale.ROOT).equals("json"));
  }
}
