package io.aragonite.adapter.cli;

import java.util.ArrayList;
import java.util.List;

/** Splits a text at semicolons that are not within quotes or comments. */
final class StatementSplitter {
  private StatementSplitter() {}

  static List<String> split(String text) {
    List<String> statements = new ArrayList<>();
    int start = 0;
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c == ';') {
        add(statements, text.substring(start, i));
        start = ++i;
      } else if (c == '\'' || c == '"') {
        i = after(text, i + 1, String.valueOf(c));
      } else if (text.startsWith("--", i)) {
        i = after(text, i, "\n");
      } else if (text.startsWith("/*", i)) {
        i = after(text, i + 2, "*/");
      } else {
        i++;
      }
    }
    add(statements, text.substring(start));
    return statements;
  }

  private static int after(String text, int from, String end) {
    int at = text.indexOf(end, from);
    return at < 0 ? text.length() : at + end.length();
  }

  private static void add(List<String> statements, String statement) {
    // what has only comments is no statement
    String code = statement.replaceAll("--[^\\n]*", "").replaceAll("(?s)/\\*.*?\\*/", "").strip();
    if (!code.isEmpty()) {
      statements.add(statement.strip());
    }
  }
}
