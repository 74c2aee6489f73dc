package io.aragonite.adapter.cli;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What a command prints when it fails: one line, with a code of the catalogue. */
final class CommandErrors {
  private CommandErrors() {}

  /** The line of an error. */
  static String line(Throwable error) {
    String message = String.valueOf(error.getMessage());
    return switch (error) {
      case AragoniteException e -> sentence(message);
      case SQLException e when message.startsWith("AR-") -> message;
      case UncheckedIOException e ->
          line(Objects.requireNonNullElse(e.getCause(), new IOException(message)));
      case IOException e -> {
        String file = e instanceof FileSystemException f ? f.getFile() : null;
        yield coded(
            ErrorCode.FILE_UNREADABLE,
            file == null
                ? "A file could not be read or written: %s.".formatted(FileErrors.reason(e))
                : "%s could not be read or written: %s.".formatted(file, FileErrors.reason(e)));
      }
      default ->
          coded(
              ErrorCode.INTERNAL,
              "The command met a defect of the product (%s%s); please report it."
                  .formatted(
                      error.getClass().getSimpleName(),
                      error.getMessage() == null ? "" : ": " + message));
    };
  }

  private static String sentence(String message) {
    return message.endsWith(".") || message.endsWith("?") ? message : message + ".";
  }

  private static String coded(ErrorCode code, String sentence) {
    return String.valueOf(new AragoniteException(code, sentence).getMessage());
  }

  /** Prints an error that ended a command; the result is the exit status. */
  static int failed(Exception error, CommandLine command) {
    PrintWriter err = command.getErr();
    err.println("aragonite: " + line(error));
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
    err.println("aragonite: " + coded(ErrorCode.WRONG_USAGE, sentence(message)));
    UnmatchedArgumentException.printSuggestions(error, err);
    err.printf("Try '%s --help'.%n", command.getCommandSpec().qualifiedName());
    err.flush();
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  /**
   * The text of a file that the user named.
   *
   * @throws AragoniteException FILE_UNREADABLE
   */
  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.FILE_UNREADABLE,
          "%s cannot be read: %s.".formatted(file, FileErrors.reason(e)),
          e);
    }
  }
}
