package io.aragonite.adapter.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Standard error without stack traces. sqlline prints one for each error in a statement that it was
 * started with, after the message that says all.
 */
final class StackTraceFilter extends OutputStream {
  private static final Pattern TRACE =
      Pattern.compile("(\\s+at .*|\\s*\\.\\.\\. \\d+ more|Caused by: .*|(java|io)\\.[\\w.$]+: .*)");

  private final PrintStream out;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  StackTraceFilter(PrintStream out) {
    this.out = out;
  }

  @Override
  public synchronized void write(int b) {
    if (b != '\n') {
      line.write(b);
      return;
    }
    String text = line.toString(StandardCharsets.UTF_8);
    line.reset();
    if (!TRACE.matcher(text).matches()) {
      out.println(text);
    }
  }
}
