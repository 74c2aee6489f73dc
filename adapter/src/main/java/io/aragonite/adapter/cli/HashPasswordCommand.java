package io.aragonite.adapter.cli;

import io.aragonite.adapter.server.UserFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code aragonite hash-password}: what stands for a password in the file of a server's users. */
@Command(
    name = "hash-password",
    description = {
      "Prints the bcrypt hash of a password, for the file that serve --users names.",
      "It asks for the password on a terminal, or reads one line of standard input."
    },
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false)
final class HashPasswordCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws IOException {
    String password = read();
    if (password == null || password.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE, "There is no password: give one line on standard input.");
    }
    if (password.getBytes(StandardCharsets.UTF_8).length > UserFile.MAX_PASSWORD_BYTES) {
      throw new AragoniteException(
          ErrorCode.WRONG_USAGE,
          "bcrypt takes passwords of at most %d bytes.".formatted(UserFile.MAX_PASSWORD_BYTES));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(UserFile.hash(password));
    out.flush();
    return 0;
  }

  private static @Nullable String read() throws IOException {
    Console console = System.console();
    if (console != null && console.isTerminal()) {
      char[] password = console.readPassword("Password: ");
      if (password == null) {
        return null;
      }
      String text = new String(password);
      Arrays.fill(password, ' ');
      return text;
    }
    return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
  }
}
