package io.aragonite.bench.cold;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.dataset.Answer;
import io.aragonite.tpch.TpchQuery;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;

/**
 * The process that is measured. Its arguments are the command whose JVM options it runs with, the
 * time when it was started (milliseconds since 1970), and a {@link ColdTask}. It prints lines for
 * {@link ColdProcess}: {@code open ms cpu}, {@code query round number ms cpu}, {@code failed round
 * number message}, {@code end cpu}.
 */
public final class ColdChild {
  private static final double NANOS_PER_MILLI = 1e6;

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
            task.engine().open(task.directory(), task.format(), task.threads());
        Statement statement = connection.createStatement()) {
      long opened = System.currentTimeMillis() - started;
      ColdChild child = new ColdChild(task, System.out);
      child.print("open %d %.1f", opened, child.cpuMillis());
      for (int round = 1; round <= task.rounds(); round++) {
        for (int query : task.queries()) {
          child.run(statement, round, TpchQuery.of(query));
        }
      }
      child.print("end %.1f", child.cpuMillis());
    } catch (SQLException e) {
      System.out.println("failed 0 0 " + line(e));
      System.exit(1);
    }
    System.exit(0); // as a command does: nobody waits for threads
  }

  private void run(Statement statement, int round, TpchQuery query) throws IOException {
    String sql = query.sql(task.scale());
    double cpu = cpuMillis();
    long start = System.nanoTime();
    Answer answer;
    try (ResultSet result = statement.executeQuery(sql)) {
      answer = Answer.of(result);
    } catch (SQLException e) {
      print("failed %d %d %s", round, query.number(), line(e));
      return;
    }
    double millis = (System.nanoTime() - start) / NANOS_PER_MILLI;
    print("query %d %d %.2f %.1f", round, query.number(), millis, cpuMillis() - cpu);
    if (round == 1) {
      Files.writeString(task.answer(query.number()), answer.toText());
    }
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
