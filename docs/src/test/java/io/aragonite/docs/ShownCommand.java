package io.aragonite.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command that a page shows with its output: in a block of text, a line that begins with {@code
 * $}, up to where its quotes close, and the lines below it.
 *
 * @param command what stands behind the {@code $}
 * @param output the lines below, each with its end; empty if the page shows none
 * @param from where the output begins in the page
 * @param to where it ends
 */
record ShownCommand(String command, String output, int from, int to) {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```\\w*\\n(.*?)^```$");

  /** All of a page, in its order. */
  static List<ShownCommand> of(String page) {
    List<ShownCommand> commands = new ArrayList<>();
    Matcher block = BLOCK.matcher(page);
    while (block.find()) {
      int end = block.end(1);
      int at = next(page, block.start(1), end);
      while (at < end) {
        int command = at + 2;
        int output = endOfCommand(page, command) + 1;
        at = next(page, output, end);
        commands.add(
            new ShownCommand(
                page.substring(command, output - 1), page.substring(output, at), output, at));
      }
    }
    return commands;
  }

  private static int next(String page, int from, int end) {
    int at = from;
    while (at < end && !page.startsWith("$ ", at)) {
      at = page.indexOf('\n', at) + 1;
    }
    return Math.min(at, end);
  }

  /** The end of the first line from {@code start} on at which quotes are closed. */
  private static int endOfCommand(String page, int start) {
    int end = page.indexOf('\n', start);
    while (isOpen(page.substring(start, end))) {
      end = page.indexOf('\n', end + 1);
    }
    return end;
  }

  /** Whether a shell would read on behind these lines. */
  private static boolean isOpen(String text) {
    char quote = 0;
    for (char c : text.toCharArray()) {
      if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
    }
    return quote != 0 || text.endsWith("\\");
  }
}
