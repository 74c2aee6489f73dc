package io.aragonite.adapter.shell.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table that a statement names.
 *
 * @param path the parts of its name, or a file in quotes
 * @param alias what the statement calls it, else the last part of its name
 */
record FromItem(List<String> path, String alias) {
  /** All tables of a statement, those of subqueries too. */
  static List<FromItem> of(List<SqlToken> tokens) {
    List<FromItem> items = new ArrayList<>();
    boolean within = false;
    for (int i = 0; i < tokens.size(); i++) {
      SqlToken token = tokens.get(i);
      boolean begins = token.is("FROM") || token.is("JOIN") || token.is("INTO");
      if (begins || within && token.is(",")) {
        within = true;
        add(tokens, i + 1, items);
      } else if (CompletionWords.BEHIND_TABLES.contains(token.upper())) {
        within = false;
      }
    }
    return items;
  }

  private static void add(List<SqlToken> tokens, int from, List<FromItem> items) {
    List<String> path = new ArrayList<>();
    int i = from;
    if (i < tokens.size() && tokens.get(i).text().startsWith("'")) {
      path.add(tokens.get(i++).text());
    } else {
      while (i < tokens.size() && tokens.get(i).name() && !isKeyword(tokens.get(i))) {
        path.add(tokens.get(i++).plain());
        if (i >= tokens.size() || !tokens.get(i).is(".")) {
          break;
        }
        i++;
      }
    }
    if (path.isEmpty()) {
      return;
    }
    if (i < tokens.size() && tokens.get(i).is("AS")) {
      i++;
    }
    boolean named = i < tokens.size() && tokens.get(i).name() && !isKeyword(tokens.get(i));
    items.add(new FromItem(path, named ? tokens.get(i).plain() : path.getLast()));
  }

  private static boolean isKeyword(SqlToken token) {
    return !token.text().startsWith("\"")
        && (CompletionWords.KEYWORDS.contains(token.upper())
            || CompletionWords.FIRST.contains(token.upper()));
  }

  boolean isCalled(String name) {
    return alias.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT));
  }
}
