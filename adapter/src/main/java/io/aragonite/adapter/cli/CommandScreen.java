package io.aragonite.adapter.cli;

import io.aragonite.adapter.shell.ShellScreen;
import io.aragonite.dataset.TerminalProgress;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;

/** What the process prints to. */
final class CommandScreen {
  private CommandScreen() {}

  static ShellScreen of() {
    boolean output = TerminalProgress.isTerminal(1);
    boolean messages = TerminalProgress.isTerminal(2);
    return output || messages
        ? new ShellScreen(output, messages, output ? CommandScreen::width : () -> 0)
        : ShellScreen.NONE;
  }

  /** Columns of the terminal, which the launcher has asked for; 0 if it does not say. */
  private static int width() {
    String columns = System.getenv("COLUMNS");
    return number(columns == null ? asked() : columns);
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
