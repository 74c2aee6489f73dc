package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.linq4j.function.Strict;
import org.jspecify.annotations.Nullable;

/**
 * The functions of Calcite's libraries that take a regular expression, with what they answer in
 * Calcite ({@code SqlFunctions.RegexFunction}). Called by generated code; no argument is null.
 */
@Strict
public final class RegexFunctions {
  /** The longest text that a replacement makes, in UTF-16 units. */
  private static final int MAX_LENGTH = 256 << 20;

  /** Characters of a result between two reservations. */
  private static final int STEP = 1 << 20;

  private RegexFunctions() {}

  private static boolean find(String text, String pattern, int flags, String function) {
    return Regex.match(Regex.compile(pattern, flags, function), text, function, Matcher::find);
  }

  public static boolean rlike(String text, String pattern) {
    return find(text, pattern, 0, "RLIKE");
  }

  public static boolean regexpLike(String text, String pattern) {
    return find(text, pattern, 0, "REGEXP_LIKE");
  }

  public static boolean regexpLike(String text, String pattern, String flags) {
    return find(text, pattern, flags(flags, "REGEXP_LIKE"), "REGEXP_LIKE");
  }

  public static boolean regexpContains(String text, String pattern) {
    return find(text, pattern, 0, "REGEXP_CONTAINS");
  }

  private static AragoniteException invalid(String sentence) {
    return new AragoniteException(ErrorCode.INVALID_ARGUMENT, sentence);
  }

  private static int flags(String letters, String function) {
    int flags = 0;
    for (int i = 0; i < letters.length(); i++) {
      switch (letters.charAt(i)) {
        case 'i' -> flags |= Pattern.CASE_INSENSITIVE;
        case 'c' -> flags &= ~Pattern.CASE_INSENSITIVE;
        case 'n' -> flags |= Pattern.DOTALL;
        case 's' -> flags &= ~Pattern.DOTALL;
        case 'm' -> flags |= Pattern.MULTILINE;
        case 'g' -> {} // says how often, which the caller reads
        default ->
            throw invalid(
                "'%s' are not flags of %s; they are c, g, i, m, n and s."
                    .formatted(letters, function));
      }
    }
    return flags;
  }

  private static void requirePositive(int value, String what, String function) {
    if (value <= 0) {
      throw invalid("The %s %d of %s is not positive.".formatted(what, value, function));
    }
  }

  private static void requireOneGroup(Matcher matcher, String function) {
    if (matcher.groupCount() > 1) {
      throw invalid(
          "A regular expression of %s may have one capturing group, not %d; write the others (?:...)."
              .formatted(function, matcher.groupCount()));
    }
  }

  /** Moves on to a match; false if there are not so many. */
  private static boolean advance(
      Matcher matcher, String text, int position, int occurrence, String function) {
    requireOneGroup(matcher, function);
    matcher.region(position - 1, text.length());
    for (int i = 0; i < occurrence; i++) {
      if (!matcher.find()) {
        return false;
      }
    }
    return true;
  }

  public static @Nullable String regexpExtract(String text, String pattern) {
    return regexpExtract(text, pattern, 1, 1);
  }

  public static @Nullable String regexpExtract(String text, String pattern, int position) {
    return regexpExtract(text, pattern, position, 1);
  }

  public static @Nullable String regexpExtract(
      String text, String pattern, int position, int occurrence) {
    String function = "REGEXP_EXTRACT";
    Pattern compiled = Regex.compile(pattern, 0, function);
    requirePositive(position, "position", function);
    requirePositive(occurrence, "occurrence", function);
    if (position > text.length()) {
      return null;
    }
    return Regex.<@Nullable String>match(
        compiled,
        text,
        function,
        matcher ->
            advance(matcher, text, position, occurrence, function)
                ? matcher.group(matcher.groupCount())
                : null);
  }

  public static List<String> regexpExtractAll(String text, String pattern) {
    String function = "REGEXP_EXTRACT_ALL";
    return Regex.match(
        Regex.compile(pattern, 0, function),
        text,
        function,
        matcher -> {
          requireOneGroup(matcher, function);
          List<String> matches = new ArrayList<>();
          while (matcher.find()) {
            String match = matcher.group(matcher.groupCount());
            if (match != null) {
              matches.add(match);
            }
          }
          return matches;
        });
  }

  /** DuckDB's: of each match a group, 0 for all of it, null where the group has none. */
  public static List<@Nullable String> regexpExtractGroups(String text, String pattern, int group) {
    String function = "REGEXP_EXTRACT_ALL";
    return Regex.match(
        Regex.compile(pattern, 0, function),
        text,
        function,
        matcher -> {
          if (group < 0 || group > matcher.groupCount()) {
            throw invalid(
                "The pattern of %s has %d groups, and no group %d."
                    .formatted(function, matcher.groupCount(), group));
          }
          List<@Nullable String> matches = new ArrayList<>();
          while (matcher.find()) {
            String match = matcher.group(group);
            StopCheck.current().make(16 + 2L * (match == null ? 0 : match.length()));
            matches.add(match);
          }
          return matches;
        });
  }

  /** What is between the matches; an empty match cuts between two characters. */
  public static List<String> regexpSplit(String text, String pattern) {
    String function = "REGEXP_SPLIT_TO_ARRAY";
    return Regex.match(
        Regex.compile(pattern, 0, function),
        text,
        function,
        matcher -> {
          List<String> parts = new ArrayList<>();
          int from = 0;
          while (matcher.find()) {
            boolean empty = matcher.end() == matcher.start();
            if (!empty || matcher.start() > from && matcher.start() < text.length()) {
              StopCheck.current().make(16 + 2L * (matcher.start() - from));
              parts.add(text.substring(from, matcher.start()));
              from = matcher.end();
            }
          }
          parts.add(text.substring(from));
          return parts;
        });
  }

  public static int regexpInstr(String text, String pattern) {
    return regexpInstr(text, pattern, 1, 1, 0);
  }

  public static int regexpInstr(String text, String pattern, int position) {
    return regexpInstr(text, pattern, position, 1, 0);
  }

  public static int regexpInstr(String text, String pattern, int position, int occurrence) {
    return regexpInstr(text, pattern, position, occurrence, 0);
  }

  public static int regexpInstr(
      String text, String pattern, int position, int occurrence, int behind) {
    String function = "REGEXP_INSTR";
    Pattern compiled = Regex.compile(pattern, 0, function);
    if (pattern.isEmpty()) {
      return 0;
    }
    requirePositive(position, "position", function);
    requirePositive(occurrence, "occurrence", function);
    if (behind != 0 && behind != 1) {
      throw invalid(
          "The occurrence_position %d of %s is neither 0 nor 1.".formatted(behind, function));
    }
    if (position > text.length()) {
      return 0;
    }
    return Regex.match(
        compiled,
        text,
        function,
        matcher -> {
          if (!advance(matcher, text, position, occurrence, function)) {
            return 0;
          }
          int group = matcher.groupCount();
          return (behind == 0 ? matcher.start(group) : matcher.end(group)) + 1;
        });
  }

  public static String regexpReplace(String text, String pattern) {
    return replace(text, pattern, "", 1, 0, 0);
  }

  public static String regexpReplace(String text, String pattern, String replacement) {
    return replace(text, pattern, replacement, 1, 0, 0);
  }

  public static String regexpReplace(
      String text, String pattern, String replacement, int position) {
    return replace(text, pattern, replacement, position, 0, 0);
  }

  public static String regexpReplace(
      String text, String pattern, String replacement, int position, int occurrence) {
    return replace(text, pattern, replacement, position, occurrence, 0);
  }

  public static String regexpReplace(
      String text, String pattern, String replacement, int position, String flags) {
    return replace(text, pattern, replacement, position, 0, flags(flags, "REGEXP_REPLACE"));
  }

  public static String regexpReplace(
      String text, String pattern, String replacement, int position, int occurrence, String flags) {
    return replace(
        text, pattern, replacement, position, occurrence, flags(flags, "REGEXP_REPLACE"));
  }

  /** PostgreSQL's: the first match, and groups behind backslashes. */
  public static String regexpReplacePg(String text, String pattern, String replacement) {
    return replace(text, pattern, dollarsPg(replacement), 1, 1, 0);
  }

  public static String regexpReplacePg(
      String text, String pattern, String replacement, String flags) {
    int occurrence = flags.contains("g") ? 0 : 1;
    return replace(
        text, pattern, dollarsPg(replacement), 1, occurrence, flagsPg(flags, "REGEXP_REPLACE"));
  }

  /** PostgreSQL's: with s a point is a line's end too, with n and m it is none, and lines end. */
  private static int flagsPg(String letters, String function) {
    int flags = flags(letters, function) & ~(Pattern.DOTALL | Pattern.MULTILINE);
    for (int i = 0; i < letters.length(); i++) {
      flags =
          switch (letters.charAt(i)) {
            case 's' -> flags & ~Pattern.MULTILINE | Pattern.DOTALL;
            case 'n', 'm' -> flags & ~Pattern.DOTALL | Pattern.MULTILINE;
            default -> flags;
          };
    }
    return flags;
  }

  /** BigQuery's: all matches, and groups behind backslashes. */
  public static String regexpReplaceBigQuery(String text, String pattern, String replacement) {
    return replace(text, pattern, dollars(replacement), 1, 0, 0);
  }

  /** BigQuery's literals have two backslashes for one. */
  private static String dollars(String replacement) {
    return dollarsPg(replacement.replace("\\\\", "\\"));
  }

  /**
   * A replacement as Java writes it, of one with groups behind backslashes, {@code \\&} for all
   * that matches, and two backslashes for one.
   */
  private static String dollarsPg(String replacement) {
    StringBuilder result = new StringBuilder(replacement.length());
    for (int i = 0; i < replacement.length(); i++) {
      char c = replacement.charAt(i);
      boolean last = i + 1 == replacement.length();
      char next = last ? '\\' : replacement.charAt(i + 1);
      if (c != '\\') {
        result.append(c == '$' ? "\\$" : String.valueOf(c));
        continue;
      }
      i++;
      if (Character.isDigit(next)) {
        result.append('$').append(next);
      } else if (next == '&') {
        result.append("$0");
      } else if (next == '\\') {
        result.append("\\\\");
      } else {
        throw invalid(
            "'%s' is not a replacement for REGEXP_REPLACE: behind a backslash stands a digit, & or another backslash."
                .formatted(replacement));
      }
    }
    return result.toString();
  }

  private static String replace(
      String text, String pattern, String replacement, int position, int occurrence, int flags) {
    String function = "REGEXP_REPLACE";
    if (position < 1 || position > text.length() + 1) {
      throw invalid("The position %d of %s is not within the text.".formatted(position, function));
    }
    Pattern compiled = Regex.compile(pattern, flags, function);
    String input = text.substring(position - 1);
    StringBuilder result = new StringBuilder().append(text, 0, position - 1);
    return Regex.match(
        compiled,
        input,
        function,
        matcher -> {
          replaceAll(matcher, replacement, occurrence, result);
          return result.toString();
        });
  }

  private static void replaceAll(
      Matcher matcher, String replacement, int occurrence, StringBuilder result) {
    StopCheck stopCheck = StopCheck.current();
    int known = 0;
    int count = 0;
    try {
      while (matcher.find()) {
        if (occurrence == 0 || ++count == occurrence) {
          matcher.appendReplacement(result, replacement);
        }
        if (result.length() > MAX_LENGTH) {
          throw new AragoniteException(
              ErrorCode.RESULT_TOO_LARGE,
              "REGEXP_REPLACE makes a text of more than %,d characters.".formatted(MAX_LENGTH));
        }
        if (result.length() - known >= STEP) {
          stopCheck.make(result.length() - known);
          known = result.length();
        }
        if (occurrence != 0 && count == occurrence) {
          break;
        }
      }
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw invalid(
          "'%s' is not a replacement for REGEXP_REPLACE: %s."
              .formatted(replacement, AragoniteException.reason(e)));
    }
    matcher.appendTail(result);
  }
}
