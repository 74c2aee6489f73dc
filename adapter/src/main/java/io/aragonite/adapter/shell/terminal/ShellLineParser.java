package io.aragonite.adapter.shell.terminal;

import io.aragonite.adapter.shell.ScriptScanner;
import java.util.List;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/**
 * Tells JLine when a statement is complete, and which word the cursor is at. A word is a name with
 * its points and quotes, or the part of a text in quotes before the cursor.
 */
final class ShellLineParser implements Parser {
  @Override
  public ParsedLine parse(String line, int cursor, ParseContext context) {
    if (context == ParseContext.ACCEPT_LINE) {
      ScriptScanner.Open open = ScriptScanner.open(line);
      if (open != ScriptScanner.Open.NOTHING) {
        throw new EOFError(-1, -1, "The statement waits for " + open);
      }
    }
    int begin = wordBegin(line, cursor);
    return new CursorWord(line, cursor, begin, line.substring(begin, cursor));
  }

  /** Where the word before the cursor begins. */
  private static int wordBegin(String line, int cursor) {
    char quote = 0;
    int begin = 0;
    for (int i = 0; i < cursor; i++) {
      char c = line.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
        // a name in quotes may go on behind a point, and begins there too
        begin = c == '\'' || i == 0 || line.charAt(i - 1) != '.' ? i : begin;
      } else if (!isPart(c)) {
        begin = i + 1;
      }
    }
    return begin;
  }

  private static boolean isPart(char c) {
    return Character.isLetterOrDigit(c) || "_$.!".indexOf(c) >= 0;
  }

  /** The word before the cursor; what is behind it stays. */
  private record CursorWord(String line, int cursor, int begin, String word)
      implements CompletingParsedLine {
    @Override
    public int wordCursor() {
      return word.length();
    }

    @Override
    public int wordIndex() {
      return 0;
    }

    @Override
    public List<String> words() {
      return List.of(word);
    }

    @Override
    public CharSequence escape(CharSequence candidate, boolean complete) {
      return candidate;
    }

    @Override
    public int rawWordCursor() {
      return word.length();
    }

    @Override
    public int rawWordLength() {
      return word.length();
    }
  }
}
