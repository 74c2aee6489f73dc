package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.jspecify.annotations.Nullable;

/**
 * Functions that cut texts at a delimiter, which is a text and no pattern, or cut letters' marks
 * off. Called by generated code; no argument is null.
 */
@Strict
public final class SplitFunctions {
  /** {@code STRIP_ACCENTS(x)}: letters without the marks on them. */
  public static final SqlFunction STRIP_ACCENTS =
      SqlBasicFunction.create(
          "STRIP_ACCENTS",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.CHARACTER,
          SqlFunctionCategory.STRING);

  private static final Pattern MARKS = Pattern.compile("\\p{M}+");

  /** Deep scans ({@code ..}) of a path; each may go through the document once for every node. */
  private static final int MAX_SCANS = 2;

  private SplitFunctions() {}

  /**
   * PostgreSQL's: part {@code n} counted from 1, or from the end if negative; empty if none. An
   * empty delimiter cuts nothing.
   */
  public static String splitPart(String text, String delimiter, int n) {
    if (n == 0) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT, "SPLIT_PART counts from 1 or, from the end, from -1.");
    }
    List<String> parts =
        delimiter.isEmpty() ? List.of(text) : parts(text, delimiter, Integer.MAX_VALUE);
    int at = n < 0 ? parts.size() + n : n - 1;
    return at < 0 || at >= parts.size() ? "" : parts.get(at);
  }

  private static List<String> parts(String text, String delimiter, int most) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    for (int at = text.indexOf(delimiter);
        at >= 0 && parts.size() < most - 1;
        at = text.indexOf(delimiter, from)) {
      parts.add(text.substring(from, at));
      from = at + delimiter.length();
    }
    parts.add(text.substring(from));
    return parts;
  }

  public static String stripAccents(String text) {
    return MARKS.matcher(Normalizer.normalize(text, Normalizer.Form.NFD)).replaceAll("");
  }

  public static Map<String, @Nullable String> strToMap(
      String text, String delimiter, String keyDelimiter) {
    Map<String, @Nullable String> map = new LinkedHashMap<>();
    for (String entry :
        delimiter.isEmpty() ? List.of(text) : parts(text, delimiter, Integer.MAX_VALUE)) {
      List<String> pair = keyDelimiter.isEmpty() ? List.of(entry) : parts(entry, keyDelimiter, 2);
      map.put(pair.getFirst(), pair.size() < 2 ? null : pair.get(1));
    }
    return map;
  }

  /**
   * A path into a JSON document, if it can be followed in bounded time.
   *
   * @throws AragoniteException EXPRESSION_UNSUPPORTED
   */
  public static String checkedPath(String path) {
    if (path.contains("=~")) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "A JSON path may not have a regular expression (=~), which nothing ends; use REGEXP_LIKE"
              + " on the values.");
    }
    int scans = 0;
    for (int at = path.indexOf(".."); at >= 0; at = path.indexOf("..", at + 2)) {
      scans++;
    }
    if (scans > MAX_SCANS) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "A JSON path may have %d deep scans (..), not %d, each of which goes through the whole document."
              .formatted(MAX_SCANS, scans));
    }
    return path;
  }
}
