package io.aragonite.adapter.shell;

import java.util.Locale;
import org.jline.utils.WCWidth;

/**
 * Texts as a terminal shows them: how many columns they take, and without what a terminal would act
 * on. Control characters, marks that turn the direction of writing and halves of characters are
 * shown as escapes.
 */
final class DisplayText {
  static final String ELLIPSIS = "…";

  private DisplayText() {}

  /** The columns that a text takes that has no control characters. */
  static int width(String text) {
    if (isPlain(text)) {
      return text.length();
    }
    int width = 0;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      width += Math.max(0, WCWidth.wcwidth(c));
      i += Character.charCount(c);
    }
    return width;
  }

  /** A text on one line, without control characters. */
  static String shown(String text) {
    return shown(text, Integer.MAX_VALUE);
  }

  /**
   * A text on one line, without control characters.
   *
   * @param most columns that it may take, at least 1; of a longer one the end is an ellipsis
   */
  static String shown(String text, int most) {
    if (text.length() <= most && isPlain(text)) {
      return text;
    }
    StringBuilder shown = new StringBuilder();
    int width = 0;
    int cut = 0; // what fits with an ellipsis behind it
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      if (isControl(c)) {
        String escape = escape(c);
        shown.append(escape);
        width += escape.length();
      } else {
        shown.appendCodePoint(c);
        width += c < 0x7f ? 1 : Math.max(0, WCWidth.wcwidth(c));
      }
      if (width > most) {
        return shown.substring(0, cut) + ELLIPSIS;
      }
      if (width < most) {
        cut = shown.length();
      }
      i += Character.charCount(c);
    }
    return shown.toString();
  }

  /** A text with its ends of lines and tabs, and escapes for other control characters. */
  static String lines(String text) {
    if (isPlain(text)) {
      return text;
    }
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      // a terminal would write over the line
      boolean back = c == '\r' && (i == text.length() || text.charAt(i) != '\n');
      if (back || isControl(c) && c != '\n' && c != '\t' && c != '\r') {
        lines.append(escape(c));
      } else {
        lines.appendCodePoint(c);
      }
    }
    return lines.toString();
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c >= 0x7f) {
        return false;
      }
    }
    return true;
  }

  /** Whether a terminal would act on a character, or have nothing to show for it. */
  static boolean isControl(int c) {
    if (c < 0x7f) {
      return c < ' ';
    }
    return c < 0xa0
        || c == 0x061c
        || c == 0x200e
        || c == 0x200f
        || c >= 0x2028 && c <= 0x202e
        || c >= 0x2066 && c <= 0x2069
        || c == 0xfeff
        || c >= 0xd800 && c <= 0xdfff
        || c >= 0xfff9 && c <= 0xfffb
        || c >= 0xe0001 && c <= 0xe007f;
  }

  private static String escape(int c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default ->
          c < 0x100
              ? String.format(Locale.ROOT, "\\x%02x", c)
              : String.format(Locale.ROOT, "\\u%04x", c);
    };
  }
}
