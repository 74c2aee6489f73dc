package io.aragonite.adapter.cli;

import io.aragonite.dataset.BenchmarkRun;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What commands that run the queries of a benchmark have in common. */
public final class RunnerCommand {
  private RunnerCommand() {}

  /** Runs queries until they are done or the JVM is asked to end; the exit status. */
  public static int run(BenchmarkRun runner) {
    Thread cancel = new Thread(runner::cancel, "aragonite-runner-cancel");
    Runtime.getRuntime().addShutdownHook(cancel);
    try {
      return runner.run().exitStatus();
    } finally {
      removeHook(cancel);
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is going down: the hook has run
    }
  }

  /** A scale as properties have it. */
  public static String text(double scale) {
    String text = String.valueOf(scale);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  /**
   * The scale of a connection's tables.
   *
   * @param wanted what {@code --scale} says, null if it is not there
   * @param connected what the connection's properties say
   * @throws ParameterException if they differ
   */
  public static double scale(
      CommandSpec command, String benchmark, @Nullable Double wanted, String connected) {
    double factor;
    try {
      factor = Double.parseDouble(connected);
    } catch (NumberFormatException e) {
      return wanted == null ? 0 : wanted; // the driver says what is wrong with it
    }
    if (wanted != null && wanted != factor) {
      throw new ParameterException(
          command.commandLine(),
          "--scale is %s, but the connection has %s of scale %s; leave one of them out"
              .formatted(text(wanted), benchmark, connected));
    }
    return factor;
  }

  /** A command's output as a stream: lines appear as they are printed. */
  public static PrintStream stream(PrintWriter out) {
    OutputStream bytes =
        new OutputStream() {
          @Override
          public void write(int b) {
            out.write(b);
          }

          @Override
          public void write(byte[] buffer, int offset, int length) {
            out.write(new String(buffer, offset, length, StandardCharsets.UTF_8));
            out.flush();
          }
        };
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }
}
