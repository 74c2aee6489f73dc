package io.aragonite.adapter.cli;

import io.aragonite.adapter.shell.ShellScreen;
import io.aragonite.dataset.TerminalProgress;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the process prints to. */
final class CommandScreen {
  /** How long an answer of the terminal is taken for its width. */
  private static final long FRESH_NANOS = 1_000_000_000;

  private int width = -1;
  private long askedAt;

  private CommandScreen() {}

  static ShellScreen of() {
    boolean output = TerminalProgress.isTerminal(1);
    boolean messages = TerminalProgress.isTerminal(2);
    CommandScreen screen = new CommandScreen();
    return new ShellScreen(
        output, messages, output || messages ? screen::width : () -> 0, !output && isPiped());
  }

  private static boolean isPiped() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return target.startsWith("pipe:") || target.startsWith("socket:");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** Columns of the terminal, which the launcher has asked for; 0 if it does not say. */
  private synchronized int width() {
    String columns = System.getenv("COLUMNS");
    if (columns != null) {
      return number(columns);
    }
    if (width < 0 || System.nanoTime() - askedAt > FRESH_NANOS) {
      width = number(asked());
      askedAt = System.nanoTime();
    }
    return width;
  }

  private static String asked() {
    try {
      Process process =
          new ProcessBuilder("stty", "size")
              .redirectInput(Redirect.from(new File("/dev/tty")))
              .redirectError(Redirect.DISCARD)
              .start();
      String size = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return size.substring(size.indexOf(' ') + 1);
    } catch (IOException e) {
      return "";
    }
  }

  private static int number(String columns) {
    String digits = columns.strip();
    return digits.matches("\\d{1,5}") ? Integer.parseInt(digits) : 0;
  }
}
