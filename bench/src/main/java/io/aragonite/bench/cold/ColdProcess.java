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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What came of one process.
 *
 * @param open from its start to the connection
 * @param times of its statements
 * @param whole from its start to its end
 * @param answers of the first round, by the statement's name
 * @param divided statements that divide by zero over the data
 * @param failures messages, by the statement's name; of the process itself, {@link #ITSELF}
 */
record ColdProcess(
    ColdTime open,
    List<ColdTime> times,
    ColdTime whole,
    Map<String, Answer> answers,
    Set<String> divided,
    Map<String, String> failures) {

  /** Stands for a statement where the process failed. */
  static final String ITSELF = "-";

  /**
   * How processes run.
   *
   * @param command the command of the launcher whose JVM options they get
   * @param limitSeconds after which a process is ended; 0: never
   */
  record ColdRunning(String command, int limitSeconds, ColdProgress progress) {}

  /** What is known while a process runs. */
  private static final class Collected {
    private ColdTime open = ColdTime.unplanned(Double.NaN, Double.NaN);
    private double cpu = Double.NaN;
    private final List<ColdTime> times = new ArrayList<>();
    private final Set<String> divided = new HashSet<>();
    private final Map<String, String> failures = new LinkedHashMap<>();
    private final ColdProgress progress;

    Collected(ColdProgress progress) {
      this.progress = progress;
    }

    void line(String line) {
      String[] words = line.split(" ", 4);
      switch (words[0]) {
        case "open" -> open = ColdTime.unplanned(number(words[1]), number(words[2]));
        case "begin" -> progress.began(words[2]);
        case "query" -> {
          String[] times = words[3].split(" ", 3);
          this.times.add(
              new ColdTime(
                  Integer.parseInt(words[1]),
                  words[2],
                  number(times[0]),
                  number(times[1]),
                  number(times[2])));
        }
        case "divided" -> divided.add(words[2]);
        case "failed" -> failures.putIfAbsent(words[2], words[3]);
        case "end" -> cpu = number(words[1]);
        default -> System.err.println(line);
      }
    }

    private static double number(String text) {
      return Double.parseDouble(text);
    }
  }

  /** Runs a task in a process of its own. */
  static ColdProcess run(ColdTask task, ColdRunning running)
      throws IOException, InterruptedException {
    List<String> line = start();
    line.add(running.command);
    line.add(String.valueOf(System.currentTimeMillis()));
    line.addAll(task.arguments());
    ProcessBuilder builder = new ProcessBuilder(line).redirectError(Redirect.INHERIT);
    builder.environment().put("ARAGONITE_CLASS_PATH", System.getProperty("java.class.path"));
    builder.environment().put("ARAGONITE_MAIN", ColdChild.class.getName());
    Collected collected = new Collected(running.progress);
    long start = System.nanoTime();
    Process process = builder.start();
    ColdChildren.add(process);
    AtomicBoolean late = watch(process, running.limitSeconds);
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      readAll(out, collected, late);
      int status = process.waitFor();
      if (late.get()) {
        collected.failures.put(
            ITSELF, "the process was ended after %d s".formatted(running.limitSeconds));
      } else if (status != 0) {
        collected.failures.putIfAbsent(ITSELF, "the process ended with status " + status);
      }
    } finally {
      if (process.isAlive()) {
        ColdChildren.end(process);
      }
      ColdChildren.remove(process);
    }
    double millis = (System.nanoTime() - start) / 1e6;
    return new ColdProcess(
        collected.open,
        List.copyOf(collected.times),
        ColdTime.unplanned(millis, collected.cpu),
        answers(task, collected.times),
        Set.copyOf(collected.divided),
        Map.copyOf(collected.failures));
  }

  /** Of a process that is ended meanwhile what it has written before. */
  private static void readAll(BufferedReader out, Collected collected, AtomicBoolean late)
      throws IOException {
    try {
      for (String read = out.readLine(); read != null; read = out.readLine()) {
        collected.line(read);
      }
    } catch (IOException e) {
      if (!late.get()) {
        throw e;
      }
    }
  }

  /** Ends a process after its time; what is returned says whether that happened. */
  private static AtomicBoolean watch(Process process, int limitSeconds) {
    AtomicBoolean late = new AtomicBoolean();
    if (limitSeconds > 0) {
      Thread.ofPlatform()
          .daemon()
          .name("cold-limit")
          .start(() -> {
            try {
              if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
                late.set(true);
                ColdChildren.end(process);
              }
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
    return late;
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

  /** Only of statements with a time: what a process was ended in may have left half an answer. */
  private static Map<String, Answer> answers(ColdTask task, List<ColdTime> times)
      throws IOException {
    Set<String> timed = new HashSet<>();
    times.forEach(time -> timed.add(time.query()));
    Map<String, Answer> answers = new HashMap<>();
    for (String query : task.queries()) {
      Path file = task.answer(query);
      if (Files.exists(file)) {
        if (timed.contains(query)) {
          try (InputStream text = Files.newInputStream(file)) {
            answers.put(query, Answer.ofText(text));
          }
        }
        Files.delete(file);
      }
    }
    return answers;
  }

  /** The time of a statement in a round; null if it did not run. */
  @Nullable ColdTime time(int round, String query) {
    return times.stream()
        .filter(time -> time.round() == round && time.query().equals(query))
        .findFirst()
        .orElse(null);
  }
}
