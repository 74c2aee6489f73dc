package io.aragonite.rules.function;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the text of a list or a map into those of its parts, which may be such texts themselves:
 * {@code [1, NULL, 'a b']} and {@code {k=v}} as DuckDB writes them, and lists as PostgreSQL writes
 * them, {@code {1,NULL,"a b"}}. A part may be in quotes, where a backslash stands before a quote or
 * a backslash; blanks around it do not count, and NULL without quotes is a null.
 */
final class NestedTextParser {
  /** A text that is none of a list or a map; the message says why. */
  static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
      super(message);
    }
  }

  private static final String OPENING = "[{(";
  private static final String CLOSING = "]})";

  private final String text;
  private final boolean postgres;
  private int at;

  private NestedTextParser(String text, boolean postgres) {
    this.text = text.strip();
    this.postgres = postgres;
  }

  /**
   * The elements of a list.
   *
   * @throws MalformedException if the text is none of a list
   */
  static List<@Nullable String> list(String text) throws MalformedException {
    boolean postgres = text.stripLeading().startsWith("{");
    NestedTextParser parser = new NestedTextParser(text, postgres);
    List<@Nullable String> parts = new ArrayList<>();
    char close = postgres ? '}' : ']';
    if (parser.begins(postgres ? '{' : '[', close)) {
      do {
        parts.add(parser.part("," + close));
      } while (parser.next() == ',');
      parser.requireEnd();
    }
    return parts;
  }

  /**
   * The keys and values of a map in turn.
   *
   * @throws MalformedException if the text is none of a map
   */
  static List<@Nullable String> map(String text) throws MalformedException {
    NestedTextParser parser = new NestedTextParser(text, false);
    List<@Nullable String> parts = new ArrayList<>();
    if (parser.begins('{', '}')) {
      do {
        parts.add(parser.part("="));
        parser.at++;
        parts.add(parser.part(",}"));
      } while (parser.next() == ',');
      parser.requireEnd();
    }
    return parts;
  }

  /** Goes behind the opening bracket; false if nothing is in the brackets. */
  private boolean begins(char open, char close) throws MalformedException {
    if (text.isEmpty() || text.charAt(0) != open) {
      throw new MalformedException("it begins with no " + open);
    }
    at = 1;
    skipBlanks();
    if (at < text.length() && text.charAt(at) == close) {
      at++;
      requireEnd();
      return false;
    }
    return true;
  }

  private void requireEnd() throws MalformedException {
    if (at < text.length()) {
      throw new MalformedException("'%s' is behind its end".formatted(text.substring(at)));
    }
  }

  private char next() {
    return text.charAt(at++);
  }

  private void skipBlanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private boolean isQuote(char c) {
    return c == '"' || c == '\'' && !postgres;
  }

  /** A part, up to one of the characters that may end it, at which it stops. */
  private @Nullable String part(String ends) throws MalformedException {
    skipBlanks();
    if (at < text.length() && isQuote(text.charAt(at))) {
      String quoted = quoted();
      skipBlanks();
      if (at == text.length() || ends.indexOf(text.charAt(at)) < 0) {
        throw new MalformedException("no %s is behind \"%s\"".formatted(ends.charAt(0), quoted));
      }
      return quoted;
    }
    StringBuilder part = new StringBuilder();
    int depth = 0;
    for (boolean begins = true; at < text.length(); at++) {
      char c = text.charAt(at);
      if (depth == 0 && ends.indexOf(c) >= 0) {
        return valueOf(part.toString().stripTrailing());
      }
      if (begins && depth > 0 && isQuote(c)) {
        int from = at;
        quoted();
        part.append(text, from, at);
        at--;
        begins = false;
        continue;
      }
      depth += OPENING.indexOf(c) >= 0 ? 1 : CLOSING.indexOf(c) >= 0 ? -1 : 0;
      if (postgres && depth == 0 && c == '\\' && at + 1 < text.length()) {
        c = text.charAt(++at);
      }
      part.append(c);
      begins = ",=:".indexOf(c) >= 0 || OPENING.indexOf(c) >= 0 || begins && c == ' ';
    }
    throw new MalformedException("it has no end");
  }

  private static @Nullable String valueOf(String part) throws MalformedException {
    if (part.isEmpty()) {
      throw new MalformedException("a value in it is missing");
    }
    return part.toUpperCase(Locale.ROOT).equals("NULL") ? null : part;
  }

  /** What is in the quotes that begin here. */
  private String quoted() throws MalformedException {
    char quote = next();
    StringBuilder quoted = new StringBuilder();
    while (at < text.length()) {
      char c = next();
      if (c == quote) {
        return quoted.toString();
      }
      boolean escape = c == '\\' && at < text.length();
      quoted.append(escape ? next() : c);
    }
    throw new MalformedException("quotes in it have no end");
  }
}
