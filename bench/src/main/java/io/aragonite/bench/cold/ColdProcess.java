package io.aragonite.bench.cold;

import io.aragonite.dataset.Answer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of one process.
 *
 * @param open from its start to the connection
 * @param times of its queries
 * @param whole from its start to its end
 * @param answers of the first round, by the query's number
 * @param failures messages, by the query's number; of the process itself, 0
 */
record ColdProcess(
    ColdTime open,
    List<ColdTime> times,
    ColdTime whole,
    Map<Integer, Answer> answers,
    Map<Integer, String> failures) {

  /**
   * A time.
   *
   * @param round from 1
   * @param query its number
   * @param millis of the clock
   * @param cpuMillis of all processors
   */
  record ColdTime(int round, int query, double millis, double cpuMillis) {}

  /** What is known while a process runs. */
  private static final class Collected {
    private ColdTime open = new ColdTime(0, 0, Double.NaN, Double.NaN);
    private double cpu = Double.NaN;
    private final List<ColdTime> times = new ArrayList<>();
    private final Map<Integer, String> failures = new HashMap<>();

    void line(String line) {
      String[] words = line.split(" ", 4);
      switch (words[0]) {
        case "open" -> open = new ColdTime(0, 0, number(words[1]), number(words[2]));
        case "query" -> {
          String[] times = words[3].split(" ", 2);
          this.times.add(
              new ColdTime(
                  Integer.parseInt(words[1]),
                  Integer.parseInt(words[2]),
                  number(times[0]),
                  number(times[1])));
        }
        case "failed" -> failures.putIfAbsent(Integer.parseInt(words[2]), words[3]);
        case "end" -> cpu = number(words[1]);
        default -> System.err.println(line);
      }
    }

    private static double number(String text) {
      return Double.parseDouble(text);
    }
  }

  /**
   * Runs a task in a process of its own.
   *
   * @param command the command of the launcher whose JVM options it gets
   */
  static ColdProcess run(ColdTask task, String command) throws IOException, InterruptedException {
    List<String> line = start();
    line.add(command);
    line.add(String.valueOf(System.currentTimeMillis()));
    line.addAll(task.arguments());
    ProcessBuilder builder = new ProcessBuilder(line).redirectError(Redirect.INHERIT);
    builder.environment().put("ARAGONITE_CLASS_PATH", System.getProperty("java.class.path"));
    builder.environment().put("ARAGONITE_MAIN", ColdChild.class.getName());
    Collected collected = new Collected();
    long start = System.nanoTime();
    Process process = builder.start();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String read = out.readLine(); read != null; read = out.readLine()) {
        collected.line(read);
      }
      int status = process.waitFor();
      if (status != 0) {
        collected.failures.putIfAbsent(0, "the process ended with status " + status);
      }
    } finally {
      process.destroy();
    }
    double millis = (System.nanoTime() - start) / 1e6;
    return new ColdProcess(
        collected.open,
        List.copyOf(collected.times),
        new ColdTime(0, 0, millis, collected.cpu),
        answers(task),
        Map.copyOf(collected.failures));
  }

  /**
   * How a Java process is started: by the launcher, as users do; where there is none (tests), with
   * this process's own Java and options.
   */
  private static List<String> start() {
    String launcher = System.getProperty("aragonite.launcher");
    List<String> line = new ArrayList<>();
    if (launcher != null) {
      line.add(launcher);
      return line;
    }
    line.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    line.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), ColdChild.class.getName()));
    return line;
  }

  private static Map<Integer, Answer> answers(ColdTask task) throws IOException {
    Map<Integer, Answer> answers = new HashMap<>();
    for (int query : task.queries()) {
      Path file = task.answer(query);
      if (Files.exists(file)) {
        try (InputStream text = Files.newInputStream(file)) {
          answers.put(query, Answer.ofText(text));
        }
        Files.delete(file);
      }
    }
    return answers;
  }

  /** The time of a query in a round; null if it did not run. */
  @Nullable ColdTime time(int round, int query) {
    return times.stream()
        .filter(time -> time.round() == round && time.query() == query)
        .findFirst()
        .orElse(null);
  }
}
