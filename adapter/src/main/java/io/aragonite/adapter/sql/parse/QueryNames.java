package io.aragonite.adapter.sql.parse;

import static org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants.*;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.parser.babel.Token;
import org.jspecify.annotations.Nullable;

/** Names that WITH gives to queries, in a statement that is not parsed yet. */
final class QueryNames extends TokenList {
  /** What comes before the name of a table. */
  private static final Set<Integer> BEFORE_TABLE =
      Set.of(PIVOT, UNPIVOT, FROM, JOIN, TABLE, COMMA, LPAREN);

  QueryNames(List<Token> tokens) {
    super(tokens);
  }

  /** The first token of a part that may be such a name, given before it; null if there is none. */
  @Nullable Token firstIn(int from, int to) {
    Set<String> names = visible(from);
    for (int i = from; i < to; i++) {
      if (BEFORE_TABLE.contains(kind(i - 1)) && names.contains(plain(tokens.get(i)))) {
        return tokens.get(i);
      }
    }
    return null;
  }

  private Set<String> visible(int place) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < place; i++) {
      if (kind(i) == WITH && encloses(opening(i), place)) {
        add(names, i, place);
      }
    }
    return names;
  }

  /**
   * A list of WITH of the queries that a place sees, the outer ones first; null if one is
   * recursive.
   */
  @Nullable List<Token> before(int place) {
    List<Token> with = new ArrayList<>();
    for (int i = 0; i < place; i++) {
      if (kind(i) != WITH || !encloses(opening(i), place)) {
        continue;
      }
      if (kind(i + 1) == RECURSIVE) {
        return null;
      }
      int end = complete(i + 1, place);
      if (end > i + 1) {
        with.add(with.isEmpty() ? tokens.get(i) : like(tokens.get(i), COMMA, ","));
        with.addAll(tokens.subList(i + 1, end));
      }
    }
    return with;
  }

  /** Where the queries end that are complete before a place. */
  private int complete(int first, int place) {
    int end = first;
    int name = first;
    while (true) {
      int as = kind(name + 1) == LPAREN ? closing(name + 1) + 1 : name + 1;
      int open = as;
      while (open < place && kind(open) != LPAREN) {
        open++;
      }
      int close = kind(as) == AS && kind(open) == LPAREN ? closing(open) : -1;
      if (close < 0 || close >= place) {
        return end;
      }
      end = close + 1;
      if (kind(end) != COMMA) {
        return end;
      }
      name = end + 1;
    }
  }

  private boolean encloses(int open, int place) {
    return open < 0 || closing(open) > place;
  }

  /** A query sees those before it, and itself if the list is recursive. */
  private void add(Set<String> names, int with, int place) {
    boolean recursive = kind(with + 1) == RECURSIVE;
    int name = recursive ? with + 2 : with + 1;
    int close;
    do {
      int as = kind(name + 1) == LPAREN ? closing(name + 1) + 1 : name + 1;
      int open = as + 1;
      while (kind(open) == NOT
          || open < tokens.size() && plain(tokens.get(open)).equals("materialized")) {
        open++;
      }
      close = kind(as) == AS && kind(open) == LPAREN ? closing(open) : -1;
      if (close >= 0 && (recursive || close < place)) {
        names.add(plain(tokens.get(name)));
      }
      name = close + 2;
    } while (close >= 0 && kind(close + 1) == COMMA);
  }

  /** Without quotes, whatever the case. */
  private static String plain(Token name) {
    return name.image.replaceAll("[\"`\\[\\]]", "").toLowerCase(Locale.ROOT);
  }
}
