package io.aragonite.adapter.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code ANALYZE [TABLE] name}, which Calcite's parser does not know.
 *
 * @param path the parts of the name
 */
public record AnalyzeRequest(List<String> path) {
  private static final String PART = "(?:\"(?:[^\"]|\"\")+\"|[\\p{L}_][\\p{L}\\p{N}_$]*)";
  private static final Pattern STATEMENT =
      Pattern.compile(
          "\\s*ANALYZE\\s+(?:TABLE\\s+)?(" + PART + "(?:\\s*\\.\\s*" + PART + ")*)\\s*;?\\s*",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern PARTS = Pattern.compile(PART);

  /** The request that a statement is; null if it is another statement. */
  public static @Nullable AnalyzeRequest of(String sql) {
    Matcher matcher = STATEMENT.matcher(sql);
    if (!matcher.matches()) {
      return null;
    }
    List<String> path = new ArrayList<>();
    Matcher parts = PARTS.matcher(matcher.group(1));
    while (parts.find()) {
      String part = parts.group();
      path.add(
          part.startsWith("\"")
              ? part.substring(1, part.length() - 1).replace("\"\"", "\"")
              : part);
    }
    return new AnalyzeRequest(List.copyOf(path));
  }
}
