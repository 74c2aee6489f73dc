package io.aragonite.adapter.format;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * A name with wildcards, as a regular expression: {@code *}, {@code ?}, {@code [a-z]}, {@code
 * [!a-z]} and {@code {a,b}}; a backslash has the next character stand for itself. Names are texts
 * here, since a store has some that are no local names.
 */
final class NamePattern {
  private final Path whole;
  private final String name;
  private final StringBuilder regex = new StringBuilder();
  private int at;

  private NamePattern(Path whole, String name) {
    this.whole = whole;
    this.name = name;
  }

  /**
   * @param whole the pattern that the name is of, for messages
   * @throws AragoniteException FILE_UNREADABLE if it is none
   */
  static Pattern of(Path whole, String name) {
    return new NamePattern(whole, name).compile();
  }

  private Pattern compile() {
    boolean choice = false;
    while (at < name.length()) {
      char c = name.charAt(at++);
      switch (c) {
        case '*' -> regex.append(".*");
        case '?' -> regex.append('.');
        case '[' -> letters();
        case '\\' -> {
          if (at == name.length()) {
            throw wrong("nothing is behind its last backslash");
          }
          literal(name.charAt(at++));
        }
        case '{' -> {
          if (choice) {
            throw wrong("it has a { within {}");
          }
          choice = true;
          regex.append("(?:");
        }
        case '}' -> {
          if (choice) {
            regex.append(')');
          } else {
            literal(c);
          }
          choice = false;
        }
        case ',' -> regex.append(choice ? '|' : ',');
        default -> literal(c);
      }
    }
    if (choice) {
      throw wrong("its { has no }");
    }
    return Pattern.compile(regex.toString(), Pattern.DOTALL);
  }

  /** Of [a-z]; a backslash is a letter there. */
  private void letters() {
    int end = name.indexOf(']', at);
    boolean not = name.startsWith("!", at);
    int from = not ? at + 1 : at;
    if (end <= from) {
      throw wrong(end < 0 ? "its [ has no ]" : "it has no letters within []");
    }
    regex.append(not ? "[^" : "[");
    for (int i = from; i < end; i++) {
      char letter = name.charAt(i);
      literal(letter);
      if (i + 2 < end && name.charAt(i + 1) == '-') {
        i += 2;
        if (name.charAt(i) < letter) {
          throw wrong(
              "its letters %c-%c are the wrong way round".formatted(letter, name.charAt(i)));
        }
        regex.append('-');
        literal(name.charAt(i));
      }
    }
    regex.append(']');
    at = end + 1;
  }

  private void literal(char c) {
    boolean special = c < 128 && !Character.isLetterOrDigit(c);
    regex.append(special ? "\\" : "").append(c);
  }

  private AragoniteException wrong(String what) {
    return new AragoniteException(
        ErrorCode.FILE_UNREADABLE,
        "'%s' is not a pattern: %s; a backslash in front has a character stand for itself."
            .formatted(whole, what));
  }
}
