package io.aragonite.adapter.sql;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query without the values of its literals: statements that differ in nothing else have the same
 * shape. Literals here are whole numbers without a sign, texts and dates that stand by themselves;
 * all else, blanks and comments too, is part of the shape.
 *
 * @param sql the query
 * @param literals in their order; at most {@link #MOST_LITERALS}
 */
public record StatementShape(String sql, List<ShapeLiteral> literals) {
  /** As many as a {@code long} has bits. */
  public static final int MOST_LITERALS = Long.SIZE;

  /** All literals, as a set of their numbers. */
  public static final long ALL = -1;

  private static final int MOST_CHARACTERS = 10_000;
  private static final int MOST_TEXT = 1_000;
  private static final int MOST_DIGITS = 18;

  /** Dates from here on are the same in every calendar that Java has. */
  private static final int FIRST_YEAR = 1583;

  /** Stand for literals; no statement that has one of them has a shape. */
  private static final char NUMBER = '\u0001';

  private static final char TEXT = '\u0002';
  private static final char DATE = '\u0003';

  /**
   * A literal.
   *
   * @param node where the parser's literal begins: at the word DATE of a date
   * @param begin where the value begins
   * @param end behind the value
   * @param value a Long that is not negative, a String or a LocalDate
   */
  public record ShapeLiteral(int node, int begin, int end, Object value) {
    private char sign() {
      return value instanceof Long ? NUMBER : value instanceof String ? TEXT : DATE;
    }
  }

  /**
   * The shape of a statement.
   *
   * @return null if it is no query, is long, or has parameters or no literal
   */
  public static @Nullable StatementShape of(String sql) {
    if (sql.length() > MOST_CHARACTERS || sql.chars().anyMatch(c -> c <= DATE)) {
      return null;
    }
    Reader reader = new Reader(sql);
    return reader.read() ? new StatementShape(sql, List.copyOf(reader.found)) : null;
  }

  /**
   * The text with signs in the place of literals.
   *
   * @param replaced numbers of literals, as bits; the others are as they are written
   */
  public String text(long replaced) {
    StringBuilder text = new StringBuilder(sql.length());
    int from = 0;
    for (int i = 0; i < literals.size(); i++) {
      if ((replaced >>> i & 1) != 0) {
        ShapeLiteral literal = literals.get(i);
        text.append(sql, from, literal.begin).append(literal.sign());
        from = literal.end;
      }
    }
    return text.append(sql, from, sql.length()).toString();
  }

  /** Looks for literals, one token after the other. */
  private static final class Reader {
    private final String sql;
    private final List<ShapeLiteral> found = new ArrayList<>();

    /** Where the last word that is DATE begins, and ends; -1: another token has come since. */
    private int dateBegin;

    private int dateEnd = -1;
    private boolean isQuery;

    Reader(String sql) {
      this.sql = sql;
    }

    boolean read() {
      for (int at = 0; at < sql.length() && found.size() <= MOST_LITERALS; ) {
        char c = sql.charAt(at);
        if (c == '?') {
          return false;
        }
        int end = isDigit(c) ? digitsEnd(at) : SqlTokens.end(sql, at);
        if (!Character.isWhitespace(c)) {
          if (!isQuery && !beginsQuery(at, end)) {
            return false;
          }
          token(c, at, end);
        }
        at = end;
      }
      return !found.isEmpty() && found.size() <= MOST_LITERALS;
    }

    private boolean beginsQuery(int at, int end) {
      isQuery = isWord("SELECT", at, end) || isWord("WITH", at, end);
      return isQuery;
    }

    private void token(char c, int at, int end) {
      if (isDigit(c)) {
        number(at, end);
      } else if (c == '\'') {
        text(at, end);
      }
      boolean date = isWord("DATE", at, end);
      dateBegin = at;
      dateEnd = date ? end : -1;
    }

    private boolean isWord(String word, int at, int end) {
      return end - at == word.length() && sql.regionMatches(true, at, word, 0, word.length());
    }

    private static boolean isDigit(char c) {
      return c >= '0' && c <= '9';
    }

    private int digitsEnd(int at) {
      int end = at + 1;
      while (end < sql.length() && isDigit(sql.charAt(end))) {
        end++;
      }
      return end;
    }

    /** Digits that are no part of another number or of a name. */
    private void number(int at, int end) {
      if (end - at <= MOST_DIGITS && !isPart(at - 1) && !isPart(end)) {
        found.add(new ShapeLiteral(at, at, end, Long.parseLong(sql, at, end, 10)));
      }
    }

    private boolean isPart(int at) {
      if (at < 0 || at >= sql.length()) {
        return false;
      }
      char c = sql.charAt(at);
      return Character.isJavaIdentifierPart(c) || ".'\"`#&:@".indexOf(c) >= 0;
    }

    /** A text without a prefix. One with blanks at its end is not: they may count or not. */
    private void text(int at, int end) {
      boolean whole = end - at > 2 && end - at <= MOST_TEXT && sql.charAt(end - 1) == '\'';
      if (!whole || isPart(at - 1) || isPart(end)) {
        return;
      }
      String value = sql.substring(at + 1, end - 1).replace("''", "'");
      if (dateEnd >= 0 && sql.substring(dateEnd, at).isBlank()) {
        LocalDate date = date(value);
        if (date != null) {
          found.add(new ShapeLiteral(dateBegin, at, end, date));
        }
      } else if (value.equals(value.stripTrailing()) && isPlain(value)) {
        found.add(new ShapeLiteral(at, at, end, value));
      }
    }

    /** Whether no character is half of one. */
    private static boolean isPlain(String value) {
      return value
          .codePoints()
          .noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    private static @Nullable LocalDate date(String value) {
      if (value.length() != "yyyy-mm-dd".length()) {
        return null;
      }
      try {
        LocalDate date = LocalDate.parse(value);
        return date.getYear() < FIRST_YEAR ? null : date;
      } catch (DateTimeException e) {
        return null;
      }
    }
  }
}
