package io.aragonite.bench.fuzz;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * The rounds of a run shared by processes, each with a part of them: configurations are settings of whole processes, and one that
 * crashes takes no other along.
 */
public final class FuzzProcesses {
  private static final String RESULT = "#fuzz\t";
  private static final String FINDING = "#finding\t";
  private static final String PROGRESS = "#progress\t";

  /**
   * Statements are planned more often than run: code of the first compiler is there sooner, and is as fast for a few rows. Plans that are
   * kept survive each collection, of which there are few where the young part is large; and classes alone are no reason for one.
   */
  private static final String JAVA_OPTIONS = "-Xmx2g -XX:NewSize=400m -XX:MetaspaceSize=256m -XX:TieredStopAtLevel=1";

  private static final String COLLECTOR = "-XX:+UseSerialGC";

  private final List<String> arguments;
  private final int processes;
  private final Map<Integer, Integer> statements = new ConcurrentHashMap<>();

  /** Parts that have said what became of their statements, as all do that come to their ends. */
  private final Set<Integer> reported = ConcurrentHashMap.newKeySet();

  private final FuzzReport report = new FuzzReport();

  /**
   * @param arguments of the command that each process runs, without its part
   */
  public FuzzProcesses(List<String> arguments, int processes) {
    this.arguments = List.copyOf(arguments);
    this.processes = processes;
  }

  /** What a process of a part prints for the one that started it. */
  public static void write(FuzzReport report, Consumer<String> out) {
    report.lines().forEach(line -> out.accept(RESULT + line));
    for (String finding : report.findings()) {
      out.accept(FINDING + Base64.getEncoder().encodeToString(finding.getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** The line with which such a process says how far it is. */
  public static String progress(int statements) {
    return PROGRESS + statements;
  }

  /**
   * Runs all parts to their ends.
   *
   * @param screen is told how many statements have been run, and what else processes print
   */
  public FuzzReport run(Consumer<String> screen) throws InterruptedException {
    try (ExecutorService all = Executors.newFixedThreadPool(processes)) {
      List<Future<?>> parts = new ArrayList<>();
      for (int i = 0; i < processes; i++) {
        int part = i;
        parts.add(all.submit(() -> runPart(part, screen)));
      }
      for (Future<?> part : parts) {
        part.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
    return report;
  }

  private void runPart(int part, Consumer<String> screen) {
    List<String> line = start();
    line.addAll(arguments);
    line.addAll(List.of("--part", part + "/" + processes));
    ProcessBuilder builder = new ProcessBuilder(line).redirectError(Redirect.INHERIT);
    builder.environment().compute("ARAGONITE_JAVA_OPTS", (name, told) -> javaOptions(told == null ? "" : told));
    try {
      Process process = builder.start();
      try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
        for (String read = out.readLine(); read != null; read = out.readLine()) {
          take(part, read, screen);
        }
        int status = process.waitFor();
        if (status != 0 && (status != 1 || !reported.contains(part))) {
          finding("-- process %d ended with status %d after statement %d of its own".formatted(part, status, statements.getOrDefault(part, 0)), screen);
        }
      } finally {
        process.destroy();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Those of a process; what the user has told counts. */
  static String javaOptions(String told) {
    boolean collector = told.matches("(?s).*-XX:\\+Use\\w*GC\\b.*");
    return (JAVA_OPTIONS + (collector ? " " : " " + COLLECTOR + " ") + told).strip();
  }

  private synchronized void take(int part, String line, Consumer<String> screen) {
    if (line.startsWith(RESULT)) {
      reported.add(part);
      report.addLine(line.substring(RESULT.length()));
    } else if (line.startsWith(FINDING)) {
      report.finding(new String(Base64.getDecoder().decode(line.substring(FINDING.length())), StandardCharsets.UTF_8));
    } else if (line.startsWith(PROGRESS)) {
      statements.put(part, Integer.parseInt(line.substring(PROGRESS.length())));
      screen.accept("%d statements".formatted(statements.values().stream().mapToInt(Integer::intValue).sum()));
    } else {
      screen.accept(line);
    }
  }

  private synchronized void finding(String text, Consumer<String> screen) {
    report.finding(text);
    screen.accept(text);
  }

  /** By the launcher, as users do; where there is none (tests), with this process's own Java and options. */
  private static List<String> start() {
    String launcher = System.getProperty("aragonite.launcher");
    if (launcher != null) {
      return new ArrayList<>(List.of(launcher, "fuzz"));
    }
    List<String> line = new ArrayList<>();
    line.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    line.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.aragonite.adapter.cli.Main", "fuzz"));
    return line;
  }
}
