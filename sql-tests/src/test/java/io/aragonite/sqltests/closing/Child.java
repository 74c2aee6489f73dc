package io.aragonite.sqltests.closing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A JVM for a test that may crash. */
final class Child {
  private static final String DEVICE = "aragonite.test.device";
  private static final String DEVICES = "aragonite.test.devices";

  private final Process process;
  private final Path folder;
  private final Path output;

  private Child(Process process, Path folder, Path output) {
    this.process = process;
    this.folder = folder;
    this.output = output;
  }

  /**
   * How a child is started.
   *
   * @param device of the tests, empty for the CPU
   * @param devices how many run queries together
   * @param debug whether memory is poisoned and checked; else freed blocks are used again at once
   */
  record Setup(String device, int devices, boolean debug) {
    /** What the build was asked for; null: nothing. */
    static Setup given(boolean debug) {
      return new Setup(System.getProperty(DEVICE, ""), Integer.getInteger(DEVICES, 1), debug);
    }

    @Override
    public String toString() {
      return (device.isEmpty() ? "cpu" : device) + " x " + devices + (debug ? ", checked" : "");
    }
  }

  /**
   * @param folder where it may write
   */
  static Child start(Setup setup, Path folder, Class<?> main, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    // The JVM's own options of this build, but none of what its tests are told.
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--")
          || option.startsWith("-XX:CompileCommand")
          || option.startsWith("-Daragonite.jit")
          || option.startsWith("-Daragonite.test.spillRoom")) {
        command.add(option);
      }
    }
    command.addAll(
        List.of(
            "-Xmx700m",
            "-ea",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=" + folder.resolve("hs_err.log"),
            "-Daragonite.memory.debug=" + setup.debug,
            "-D" + DEVICE + "=" + setup.device,
            "-D" + DEVICES + "=" + setup.devices,
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName()));
    command.addAll(arguments);
    Path output = Files.createTempFile(folder, "child", ".log");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new Child(process, folder, output);
  }

  /** Asks it to end, as {@code kill} does. */
  void terminate() {
    process.destroy();
  }

  /** Waits until a line of its output begins with {@code start}, and returns the rest of it. */
  String await(String start, int seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() < end && process.isAlive()) {
      for (String line : output().lines().toList()) {
        if (line.startsWith(start)) {
          return line.substring(start.length());
        }
      }
      Thread.sleep(20);
    }
    process.destroyForcibly().waitFor();
    throw new AssertionError("the child did not say '" + start + "':\n" + output());
  }

  /**
   * Its exit status; one that does not end is killed.
   *
   * @throws AssertionError with what it said if it crashed or did not end
   */
  int exit(int seconds) throws InterruptedException {
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      printThreads();
      process.destroyForcibly().waitFor();
      throw new AssertionError("the child did not end in " + seconds + " s:\n" + output());
    }
    int status = process.exitValue();
    // A signal's number on top of 128: SIGABRT, SIGBUS and SIGSEGV end a JVM that has crashed.
    if (status == 134 || status == 135 || status == 139 || crashed() != null) {
      throw new AssertionError("the JVM crashed, status " + status + "\n" + crashed() + output());
    }
    return status;
  }

  /** Has the child print what its threads do. */
  private void printThreads() throws InterruptedException {
    try {
      new ProcessBuilder("kill", "-QUIT", String.valueOf(process.pid())).start().waitFor();
      Thread.sleep(2000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String crashed() {
    Path log = folder.resolve("hs_err.log");
    if (!Files.exists(log)) {
      return null;
    }
    try (Stream<String> lines = Files.lines(log)) {
      return String.join("\n", lines.limit(80).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
