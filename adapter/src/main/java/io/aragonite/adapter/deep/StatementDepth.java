package io.aragonite.adapter.deep;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * How deep the tree of a statement may become, from one pass over its text. An operator makes the
 * tree one level deeper, since chains lean to the left; so does an open parenthesis. A comma, or a
 * word that begins a clause, begins a new tree at its level. The number is an upper bound of what
 * matters: it may count too much, and a text that is no statement gets some number as well.
 */
final class StatementDepth {
  private static final Set<String> OPERATORS =
      Set.of(
          "and",
          "or",
          "not",
          "like",
          "ilike",
          "rlike",
          "similar",
          "between",
          "is",
          "in",
          "union",
          "except",
          "intersect",
          "minus",
          "join",
          "exists",
          "interval",
          "collate",
          "submultiset",
          "multiset",
          "overlaps",
          "contains",
          "any",
          "all",
          "some");

  /** Words that begin a part whose tree does not stand on the one before it. */
  private static final Set<String> CLAUSES =
      Set.of(
          "select", "from", "where", "group", "having", "order", "window", "qualify", "limit",
          "offset", "fetch", "on", "using", "when", "then", "else", "with", "values");

  private final String sql;
  private final List<Level> levels = new ArrayList<>();
  private int at;
  private int below;
  private int deepest;

  /** An open parenthesis, bracket or CASE. */
  private static final class Level {
    /** Of what opens it. */
    final int own;

    /** Operators since the last comma or clause. */
    int operators;

    /** Set operations and joins, which a clause does not end. */
    int relations;

    Level(int own) {
      this.own = own;
    }

    int depth() {
      return own + operators + relations;
    }
  }

  private StatementDepth(String sql) {
    this.sql = sql;
  }

  /** Levels that the tree of {@code sql} has at most. */
  static int of(String sql) {
    return new StatementDepth(sql).measure();
  }

  private int measure() {
    levels.add(new Level(1));
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (Character.isJavaIdentifierStart(c)) {
        word();
      } else if (c == '\'' || c == '"' || c == '`') {
        at = after(String.valueOf(c), at + 1);
      } else if (sql.startsWith("--", at)) {
        at = after("\n", at);
      } else if (sql.startsWith("/*", at)) {
        at = after("*/", at + 2);
      } else {
        sign(c);
        at++;
      }
    }
    return deepest;
  }

  private int after(String end, int from) {
    int found = sql.indexOf(end, from);
    return found < 0 ? sql.length() : found + end.length();
  }

  private void sign(char c) {
    switch (c) {
      case '(', '[', '{' -> open(1);
      case ')', ']', '}' -> close();
      case ',' -> level().operators = 0;
      case ';' -> {
        level().operators = 0;
        level().relations = 0;
      }
      case '+', '-', '*', '/', '%', '|', '=', '<', '>', '!', '^', '&', ':' -> operator();
      default -> {}
    }
  }

  private void word() {
    int start = at;
    while (at < sql.length() && Character.isJavaIdentifierPart(sql.charAt(at))) {
      at++;
    }
    int length = at - start;
    if (length > "submultiset".length()) {
      return;
    }
    String word = sql.substring(start, at).toLowerCase(Locale.ROOT);
    switch (word) {
      case "case" -> open(DeepCalls.CASE_LEVELS);
      case "end" -> close();
      case "union", "except", "intersect", "minus", "join" -> {
        level().operators = 0;
        level().relations++;
        note();
      }
      default -> {
        if (OPERATORS.contains(word)) {
          operator();
        } else if (CLAUSES.contains(word)) {
          level().operators = 0;
        }
      }
    }
  }

  private Level level() {
    return levels.getLast();
  }

  private void open(int own) {
    below += level().depth();
    levels.add(new Level(own));
    note();
  }

  private void close() {
    if (levels.size() > 1) {
      levels.removeLast();
      below -= level().depth();
      // what was in parentheses is an operand; its depth counts where it stands
    }
  }

  private void operator() {
    level().operators++;
    note();
  }

  private void note() {
    deepest = Math.max(deepest, below + level().depth());
  }
}
