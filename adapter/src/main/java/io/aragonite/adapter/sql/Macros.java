package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The macros of a connection: expressions and queries with parameters, whose text stands in the
 * place of a call before a statement is parsed. Safe for several threads.
 */
public final class Macros {
  /** Macros of a connection. */
  private static final int MOST_MACROS = 1000;

  /** Words and characters that the calls of a statement may be written of, from first to last. */
  private static final int MOST_WRITTEN = 4 << 20;

  /** Words that an expression or a table may follow: others make a name of what follows them. */
  private static final Set<String> BEFORE =
      Set.of(
          "SELECT",
          "DISTINCT",
          "ALL",
          "WHERE",
          "AND",
          "OR",
          "NOT",
          "ON",
          "BY",
          "HAVING",
          "QUALIFY",
          "CASE",
          "WHEN",
          "THEN",
          "ELSE",
          "IN",
          "BETWEEN",
          "LIKE",
          "ILIKE",
          "IS",
          "FROM",
          "JOIN",
          "LATERAL",
          "LIMIT",
          "OFFSET",
          "RETURNING",
          "DEFAULT",
          "USING",
          "ESCAPE",
          "FOR",
          "BOTH",
          "LEADING",
          "TRAILING",
          "SYMMETRIC",
          "ASYMMETRIC",
          "ANY",
          "SOME",
          "RLIKE",
          "VALUES");

  /** What follows a call of an aggregate and belongs to it. */
  private static final Set<String> OF_AGGREGATES =
      Set.of("OVER", "FILTER", "WITHIN", "IGNORE", "RESPECT");

  /** What may follow a table in FROM and is no name of it. */
  private static final Set<String> BEHIND_TABLE =
      Set.of(
          "AS",
          "ON",
          "USING",
          "JOIN",
          "INNER",
          "LEFT",
          "RIGHT",
          "FULL",
          "CROSS",
          "NATURAL",
          "SEMI",
          "ANTI",
          "ASOF",
          "WHERE",
          "GROUP",
          "HAVING",
          "QUALIFY",
          "WINDOW",
          "ORDER",
          "LIMIT",
          "OFFSET",
          "FETCH",
          "UNION",
          "EXCEPT",
          "INTERSECT",
          "MINUS",
          "SELECT",
          "TABLESAMPLE",
          "PIVOT",
          "UNPIVOT",
          "MATCH_RECOGNIZE",
          "RETURNING",
          "FOR",
          "SET");

  /** How a statement begins that makes a macro: what its text calls is found when it is called. */
  private static final Pattern MAKES_MACRO =
      Pattern.compile("(?i)CREATE (OR REPLACE )?(MACRO|FUNCTION)");

  private final Map<String, Macro> macros = new ConcurrentHashMap<>();

  /**
   * A macro.
   *
   * @param table whether it is a query, and stands in FROM
   * @param body an expression or a query, in SQL
   */
  public record Macro(String name, List<MacroParameter> parameters, boolean table, String body) {}

  /**
   * A parameter of a macro.
   *
   * @param otherwise what it is if a call does not give it, in SQL; null: a call must
   */
  public record MacroParameter(String name, @Nullable String otherwise) {}

  /** Whether there is a macro of a name. */
  public boolean has(String name) {
    return macros.containsKey(key(name));
  }

  /**
   * Makes a macro, in the place of one of its name.
   *
   * @throws AragoniteException INVALID_STATEMENT if there are too many
   */
  public void put(Macro macro) {
    if (macros.size() >= MOST_MACROS && !has(macro.name)) {
      throw invalid(
          "The connection has %d macros, and can have no more; DROP MACRO takes one away"
              .formatted(MOST_MACROS));
    }
    macros.put(key(macro.name), macro);
  }

  /** Takes a macro away; returns whether there was one. */
  public boolean remove(String name) {
    return macros.remove(key(name)) != null;
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /**
   * A statement with what macros stand for.
   *
   * @throws AragoniteException INVALID_STATEMENT if a call lacks a parameter, or has too many, or
   *     if calls in calls make too much text
   */
  public String expand(String sql) {
    if (macros.isEmpty()) {
      return sql;
    }
    List<String> tokens = SqlTokens.list(sql);
    String words =
        tokens.stream()
            .filter(token -> !SqlTokens.isBlank(token))
            .limit(4)
            .collect(Collectors.joining(" "));
    return MAKES_MACRO.matcher(words).lookingAt() ? sql : new Expansion().expand(tokens, Set.of());
  }

  /** What is written in the place of one statement's calls. */
  private final class Expansion {
    private int written;

    private void writes(Macro macro, int more) {
      written += more;
      if (written > MOST_WRITTEN) {
        throw invalid(
            "The calls of macros of a statement are written of more than %d characters, those of \"%s\" at last; call fewer in each other"
                .formatted(MOST_WRITTEN, macro.name));
      }
    }

    /**
     * @param within macros that the tokens are of: they do not call themselves
     */
    String expand(List<String> tokens, Set<String> within) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < tokens.size(); i++) {
        String token = tokens.get(i);
        Macro macro = SqlTokens.isBlank(token) ? null : macros.get(key(SqlTokens.unquoted(token)));
        int close = macro == null || within.contains(key(macro.name)) ? -1 : callEnd(tokens, i);
        if (macro == null || close < 0) {
          text.append(token);
          continue;
        }
        int open = next(tokens, i);
        writes(macro, close - open);
        int first = next(tokens, open);
        boolean distinct = tokens.get(first).equalsIgnoreCase("DISTINCT");
        List<String> given = tokens.subList(distinct ? first + 1 : open + 1, close);
        String made = called(macro, arguments(given, within), within);
        int behind = next(tokens, close);
        String word = behind < tokens.size() ? tokens.get(behind).toUpperCase(Locale.ROOT) : "";
        boolean named = macro.table && isTable(tokens, i) && !isName(word);
        if (distinct || OF_AGGREGATES.contains(word)) {
          text.append(aggregate(macro, made, distinct, word));
        } else {
          text.append("(").append(made).append(named ? ") AS " + quoted(macro.name) : ")");
        }
        i = close;
      }
      return text.toString();
    }

    /** The arguments of a call, without what macros they have themselves. */
    private List<String> arguments(List<String> tokens, Set<String> within) {
      List<String> words =
          tokens.stream().map(token -> SqlTokens.isBlank(token) ? " " : token).toList();
      List<String> arguments = new ArrayList<>();
      int depth = 0;
      int from = 0;
      for (int i = 0; i <= words.size(); i++) {
        boolean ends = i == words.size() || depth == 0 && words.get(i).equals(",");
        if (ends) {
          arguments.add(expand(words.subList(from, i), within).strip());
          from = i + 1;
        } else {
          depth += SqlTokens.nesting(words.get(i));
        }
      }
      return arguments.size() == 1 && arguments.getFirst().isEmpty() ? List.of() : arguments;
    }

    private String called(Macro macro, List<String> arguments, Set<String> within) {
      String made = substituted(macro, values(macro, arguments));
      requireMarkers(macro, arguments, made);
      Set<String> inside = new HashSet<>(within);
      inside.add(key(macro.name));
      return expand(SqlTokens.list(made), inside);
    }

    /**
     * The body with values in the place of parameters; behind AS and points there are names, and
     * before points those of tables where the body is a query or has one.
     */
    private String substituted(Macro macro, Map<String, String> values) {
      List<String> tokens = SqlTokens.list(macro.body);
      boolean query = tokens.stream().anyMatch("FROM"::equalsIgnoreCase);
      StringBuilder text = new StringBuilder();
      writes(macro, tokens.size());
      for (int i = 0; i < tokens.size(); i++) {
        String token = tokens.get(i);
        if (SqlTokens.isBlank(token)) {
          text.append(' ');
          continue;
        }
        int before = previous(tokens, i);
        int behind = next(tokens, i);
        String word = before < 0 ? "" : tokens.get(before);
        String follows = behind < tokens.size() ? tokens.get(behind) : "";
        boolean name =
            word.equals(".")
                || word.equalsIgnoreCase("AS")
                || query && follows.equals(".")
                || follows.equals("(");
        String value = name ? null : values.get(key(SqlTokens.unquoted(token)));
        writes(macro, value == null ? 0 : value.length());
        text.append(
            value == null ? token : SqlTokens.list(value).size() == 1 ? value : "(" + value + ")");
      }
      return text.toString();
    }
  }

  /** What a call stands for if that is one call of a function, with DISTINCT and without more. */
  private static String aggregate(Macro macro, String made, boolean distinct, String behind) {
    List<String> tokens = SqlTokens.list(made.strip());
    while (tokens.getFirst().equals("(") && closing(tokens, 0) == tokens.size() - 1) {
      String inner = String.join("", tokens.subList(1, tokens.size() - 1));
      tokens = SqlTokens.list(inner.strip());
    }
    String name = tokens.getFirst();
    int open = next(tokens, 0);
    int first = next(tokens, open);
    boolean call =
        first < tokens.size()
            && tokens.get(open).equals("(")
            && closing(tokens, open) == tokens.size() - 1
            && Character.isJavaIdentifierStart(SqlTokens.unquoted(name).charAt(0))
            && !BEFORE.contains(name.toUpperCase(Locale.ROOT));
    if (!call || distinct && tokens.get(first).equalsIgnoreCase("DISTINCT")) {
      throw invalid(
          "%s cannot stand at a call of macro \"%s\", which is no single call of an aggregate; write it in the macro's text, or the text itself"
              .formatted(distinct ? "DISTINCT" : behind, macro.name));
    }
    return name
        + (distinct ? "(DISTINCT " : "(")
        + String.join("", tokens.subList(first, tokens.size()));
  }

  /** Whether a token is an item of FROM. */
  private static boolean isTable(List<String> tokens, int i) {
    int depth = 0;
    for (int at = previous(tokens, i); at >= 0; at = previous(tokens, at)) {
      String word = tokens.get(at).toUpperCase(Locale.ROOT);
      depth += SqlTokens.nesting(word);
      if (depth > 0 || depth == 0 && BEFORE.contains(word)) {
        int before = previous(tokens, at);
        boolean comparison = before >= 0 && tokens.get(before).equalsIgnoreCase("DISTINCT");
        return depth == 0 && !comparison && Set.of("FROM", "JOIN", "LATERAL").contains(word);
      }
    }
    return false;
  }

  /** Whether a word behind a table is its name, or AS before it. */
  private static boolean isName(String word) {
    return word.equals("AS")
        || !word.isEmpty()
            && (word.charAt(0) == '"'
                || word.charAt(0) == '`'
                || Character.isJavaIdentifierStart(word.charAt(0)) && !BEHIND_TABLE.contains(word));
  }

  private static String quoted(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  /** Where a call ends that begins at a token; -1 if none does. */
  private static int callEnd(List<String> tokens, int i) {
    int open = next(tokens, i);
    if (open >= tokens.size() || !tokens.get(open).equals("(")) {
      return -1;
    }
    int before = previous(tokens, i);
    String word = before < 0 ? "," : tokens.get(before);
    char last = word.charAt(word.length() - 1);
    boolean operand =
        Character.isJavaIdentifierPart(last) && !BEFORE.contains(word.toUpperCase(Locale.ROOT))
            || ".)]}\"'`".indexOf(last) >= 0;
    int close = operand ? -1 : closing(tokens, open);
    if (close < 0) {
      return -1;
    }
    int as = next(tokens, close);
    int query = as < tokens.size() ? next(tokens, as) : as;
    boolean named = // WITH t (a) AS (SELECT ...)
        query < tokens.size()
            && tokens.get(as).equalsIgnoreCase("AS")
            && tokens.get(query).equals("(");
    return named ? -1 : close;
  }

  private static int next(List<String> tokens, int i) {
    int next = i + 1;
    while (next < tokens.size() && SqlTokens.isBlank(tokens.get(next))) {
      next++;
    }
    return next;
  }

  private static int previous(List<String> tokens, int i) {
    int previous = i - 1;
    while (previous >= 0 && SqlTokens.isBlank(tokens.get(previous))) {
      previous--;
    }
    return previous;
  }

  private static int closing(List<String> tokens, int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      depth += SqlTokens.nesting(tokens.get(i));
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  /** By name of a parameter, what it stands for in a call. */
  private static Map<String, String> values(Macro macro, List<String> arguments) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < arguments.size(); i++) {
      List<String> tokens = SqlTokens.list(arguments.get(i));
      int sign = next(tokens, 0);
      String assigns = sign + 1 < tokens.size() ? tokens.get(sign) + tokens.get(sign + 1) : "";
      boolean named = assigns.equals(":=") || assigns.equals("=>");
      if (!named && i >= macro.parameters.size()) {
        throw counts(macro, arguments.size());
      }
      String name = named ? SqlTokens.unquoted(tokens.getFirst()) : macro.parameters.get(i).name;
      if (macro.parameters.stream().noneMatch(parameter -> parameter.name.equalsIgnoreCase(name))) {
        throw invalid(
            "Macro \"%s\" has no parameter \"%s\"; it has %s"
                .formatted(macro.name, name, names(macro)));
      }
      String value =
          named
              ? String.join("", tokens.subList(sign + 2, tokens.size())).strip()
              : arguments.get(i);
      if (values.put(key(name), value) != null) {
        throw invalid("Macro \"%s\" is given parameter \"%s\" twice".formatted(macro.name, name));
      }
    }
    for (MacroParameter parameter : macro.parameters) {
      if (values.get(key(parameter.name)) == null) {
        if (parameter.otherwise == null) {
          throw counts(macro, arguments.size());
        }
        values.put(key(parameter.name), parameter.otherwise);
      }
    }
    return values;
  }

  /** Parameter markers count from left to right: in the body they could be others, or several. */
  private static void requireMarkers(Macro macro, List<String> arguments, String made) {
    int given = arguments.stream().mapToInt(Macros::markers).sum();
    if (given > 1 || given != markers(made)) {
      throw invalid(
          "Macro \"%s\" is called with a parameter of the statement that it would read several times, or not in its place; make it a column first: SELECT %s(p) FROM (SELECT CAST(? AS INTEGER) AS p)"
              .formatted(macro.name, macro.name));
    }
  }

  private static int markers(String sql) {
    return (int) SqlTokens.list(sql).stream().filter("?"::equals).count();
  }

  private static String names(Macro macro) {
    return macro.parameters.isEmpty()
        ? "none"
        : String.join(", ", macro.parameters.stream().map(MacroParameter::name).toList());
  }

  private static AragoniteException counts(Macro macro, int given) {
    return invalid(
        "Macro \"%s\" has the parameters %s, and is called with %d"
            .formatted(macro.name, names(macro), given));
  }

  private static AragoniteException invalid(String sentence) {
    return new AragoniteException(ErrorCode.INVALID_STATEMENT, sentence + ".");
  }
}
