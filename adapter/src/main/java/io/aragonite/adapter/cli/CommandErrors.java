package io.aragonite.adapter.cli;

import io.aragonite.adapter.shell.ErrorReport;
import io.aragonite.exec.error.ErrorCode;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What a command prints when it fails: one line, with a code of the catalogue. */
final class CommandErrors {
  private CommandErrors() {}

  /** Prints an error that ended a command; the result is the exit status. */
  static int failed(Exception error, CommandLine command) {
    PrintWriter err = command.getErr();
    err.println("aragonite: " + ErrorReport.line(error));
    if (System.getenv("ARAGONITE_DEBUG") != null) {
      error.printStackTrace(err);
    }
    err.flush();
    return Main.FAILED;
  }

  /** Prints what is wrong with a command line; the result is the exit status. */
  static int wrongUsage(ParameterException error) {
    CommandLine command = error.getCommandLine();
    PrintWriter err = command.getErr();
    String message = String.valueOf(error.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
    err.println(
        "aragonite: " + ErrorReport.coded(ErrorCode.WRONG_USAGE, ErrorReport.sentence(message)));
    UnmatchedArgumentException.printSuggestions(error, err);
    err.printf("Try '%s --help'.%n", command.getCommandSpec().qualifiedName());
    err.flush();
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }
}
