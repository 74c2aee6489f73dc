package io.aragonite.adapter.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Cuts lines into statements, which end at semicolons that are not within quotes or comments, and
 * commands, which are lines that begin with a point or an exclamation mark. The words of {@link
 * #WORDS} are commands where they stand alone in a line.
 */
public final class ScriptScanner {
  /** Commands that are understood without a point. */
  static final Set<String> WORDS = Set.of("exit", "quit", "help");

  /** A line with its end. */
  private static final Pattern LINE = Pattern.compile("[^\\r\\n]*+(?:\\r\\n|[\\r\\n])|[^\\r\\n]++");

  /** What a text waits for. */
  public enum Open {
    NOTHING,
    SEMICOLON,
    QUOTE,
    DOUBLE_QUOTE,
    COMMENT
  }

  private final StringBuilder text = new StringBuilder();
  private int lines;
  private int begin;

  /** A quote, an asterisk within a comment, or 0. */
  private char within;

  /** Whether the statement has begun. */
  private boolean code;

  private List<ScriptUnit> found = new ArrayList<>();

  /** All units of a text. */
  public static List<ScriptUnit> units(String text) {
    ScriptScanner scanner = new ScriptScanner();
    List<ScriptUnit> units = new ArrayList<>();
    LINE.matcher(text).results().forEach(line -> units.addAll(scanner.line(line.group())));
    ScriptUnit last = scanner.end();
    if (last != null) {
      units.add(last);
    }
    return units;
  }

  /** What a text waits for that is typed. */
  public static Open open(String text) {
    ScriptScanner scanner = new ScriptScanner();
    LINE.matcher(text).results().forEach(line -> scanner.line(line.group()));
    return switch (scanner.within) {
      case '\'' -> Open.QUOTE;
      case '"' -> Open.DOUBLE_QUOTE;
      case '*' -> Open.COMMENT;
      default -> scanner.code ? Open.SEMICOLON : Open.NOTHING;
    };
  }

  /** Whether a line that begins a statement is a command. */
  static boolean isCommand(String line) {
    String stripped = line.strip();
    if (stripped.startsWith(".") && stripped.length() > 1 && !Character.isDigit(stripped.charAt(1))
        || stripped.startsWith("!") && stripped.length() > 1) {
      return true;
    }
    String word = stripped.endsWith(";") ? stripped.substring(0, stripped.length() - 1) : stripped;
    return WORDS.contains(word.strip().toLowerCase(Locale.ROOT));
  }

  /**
   * Reads a line.
   *
   * @param text the line with its end, which is kept as it is within quotes
   * @return what has ended with it
   */
  List<ScriptUnit> line(String text) {
    int length = text.length();
    while (length > 0 && "\r\n".indexOf(text.charAt(length - 1)) >= 0) {
      length--;
    }
    return line(text.substring(0, length), text.substring(length));
  }

  private List<ScriptUnit> line(String line, String end) {
    lines++;
    found = new ArrayList<>();
    if (!code && within == 0 && isCommand(line)) {
      return List.of(new ScriptUnit(withoutEnd(line), lines, true));
    }
    int i = 0;
    while (i < line.length()) {
      i = within == 0 ? plain(line, i) : quoted(line, i);
    }
    if (code) {
      text.append(within == 0 ? "\n" : end);
    }
    return found;
  }

  private int plain(String line, int at) {
    char c = line.charAt(at);
    if (c == ';') {
      finish();
      return at + 1;
    }
    if (line.startsWith("--", at)) {
      keep(line, at, line.length());
      return line.length();
    }
    if (line.startsWith("/*", at)) {
      within = '*';
      keep(line, at, at + 2);
      return at + 2;
    }
    if (!code && !Character.isWhitespace(c)) {
      code = true;
      begin = lines;
    }
    if (c == '\'' || c == '"') {
      within = c;
    }
    keep(line, at, at + 1);
    return at + 1;
  }

  private int quoted(String line, int from) {
    String end = within == '*' ? "*/" : String.valueOf(within);
    int at = line.indexOf(end, from);
    int to = at < 0 ? line.length() : at + end.length();
    keep(line, from, to);
    if (at >= 0) {
      within = 0;
    }
    return to;
  }

  /** What stands before a statement is no part of it. */
  private void keep(String line, int from, int to) {
    if (code) {
      text.append(line, from, to);
    }
  }

  private void finish() {
    if (code) {
      found.add(new ScriptUnit(text.toString().strip(), begin, false));
    }
    text.setLength(0);
    code = false;
    within = 0;
  }

  /** The statement that has no end, null if there is none. */
  @Nullable ScriptUnit end() {
    found = new ArrayList<>();
    finish();
    return found.isEmpty() ? null : found.getFirst();
  }

  /** The word that a statement begins with, behind comments and parentheses; empty if none does. */
  static String firstWord(String sql) {
    int at = 0;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      int end = at + 1;
      if (sql.startsWith("--", at)) {
        end = behind(sql, "\n", at);
      } else if (sql.startsWith("/*", at)) {
        end = behind(sql, "*/", at + 2);
      } else if (!Character.isWhitespace(c) && c != '(') {
        break;
      }
      at = end;
    }
    int end = at;
    while (end < sql.length() && Character.isJavaIdentifierPart(sql.charAt(end))) {
      end++;
    }
    return sql.substring(at, end);
  }

  private static int behind(String text, String end, int from) {
    int at = text.indexOf(end, from);
    return at < 0 ? text.length() : at + end.length();
  }

  private static String withoutEnd(String line) {
    String command = line.strip();
    while (command.endsWith(";")) {
      command = command.substring(0, command.length() - 1).strip();
    }
    return command;
  }
}
