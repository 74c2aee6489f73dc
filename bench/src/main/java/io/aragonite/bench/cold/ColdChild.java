package io.aragonite.bench.cold;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.dataset.Answer;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/**
 * The process that is measured. Its arguments are the command whose JVM options it runs with, the
 * time when it was started (milliseconds since 1970), and a {@link ColdTask}. It prints lines for
 * {@link ColdProcess}: {@code open ms cpu}, {@code begin round name}, {@code query round name ms
 * planning-ms cpu}, {@code divided round name}, {@code failed round name message}, {@code end cpu}.
 */
public final class ColdChild {
  private static final double NANOS_PER_MILLI = 1e6;

  private static final String DIVISION_BY_ZERO = "22012";

  private final ColdTask task;
  private final PrintStream out;
  private final OperatingSystemMXBean process;

  private ColdChild(ColdTask task, PrintStream out) {
    this.task = task;
    this.out = out;
    this.process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  }

  /** Runs a task. */
  public static void main(String[] args) throws IOException {
    System.setProperty("slf4j.internal.verbosity", "ERROR"); // of a logger that is not there
    long started = Long.parseLong(args[1]);
    ColdTask task = ColdTask.of(List.of(args).subList(2, args.length));
    try (Connection connection =
        task.engine().open(task.directory(), task.files(), task.threads())) {
      long opened = System.currentTimeMillis() - started;
      ColdChild child = new ColdChild(task, System.out);
      child.print("open %d %.1f", opened, child.cpuMillis());
      List<ColdQuery> queries =
          task.files().workload().queries(task.files().scale()).stream()
              .filter(query -> task.queries().contains(query.name()))
              .toList();
      for (int round = 1; round <= task.rounds(); round++) {
        for (ColdQuery query : queries) {
          child.run(connection, round, query);
        }
      }
      child.print("end %.1f", child.cpuMillis());
    } catch (SQLException e) {
      System.out.println("failed 0 - " + line(e));
      System.exit(1);
    }
    System.exit(0); // as a command does: nobody waits for threads
  }

  private void run(Connection connection, int round, ColdQuery query) throws IOException {
    String sql =
        task.engine()
            .text(task.files().workload(), task.unlimited() ? query.unlimited() : query.sql());
    print("begin %d %s", round, query.name());
    double cpu = cpuMillis();
    long start = System.nanoTime();
    long planned;
    Answer answer;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      planned = System.nanoTime();
      try (ResultSet result = statement.executeQuery()) {
        answer = Answer.of(result);
      }
    } catch (SQLException e) {
      if (DIVISION_BY_ZERO.equals(task.engine().coded(e).getSQLState())) {
        print("divided %d %s", round, query.name());
      } else {
        print("failed %d %s %s", round, query.name(), line(e));
      }
      return;
    }
    long end = System.nanoTime();
    double used = cpuMillis() - cpu;
    if (round == 1) { // before the line that says that it is there
      Files.writeString(task.answer(query.name()), answer.toText());
    }
    print(
        "query %d %s %.2f %.2f %.1f",
        round,
        query.name(),
        (end - start) / NANOS_PER_MILLI,
        (planned - start) / NANOS_PER_MILLI,
        used);
  }

  private static String line(SQLException error) {
    return String.valueOf(error.getMessage()).replaceAll("\\s+", " ");
  }

  private double cpuMillis() {
    return process.getProcessCpuTime() / NANOS_PER_MILLI;
  }

  private void print(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
    out.flush();
  }
}
