package io.aragonite.sqltests.faults;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.sqltests.faults.FileCalls.Plan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Statements that read and write files, of which one call fails: the first, the second and so on,
 * alone or with all behind it, or which moves fewer bytes than it was asked for. Runs in a process
 * with {@link FaultyFileSystemProvider}; prints what went wrong.
 */
final class FileCallsRun {
  private static final Set<Integer> ERRORS =
      Set.of(
          ErrorCode.FILE_UNREADABLE.number(),
          ErrorCode.FILE_BROKEN.number(),
          ErrorCode.DISK_FAILED.number(),
          ErrorCode.DIRECTORY_NOT_FOUND.number());

  private static final List<String> READ =
      List.of(
          "t.parquet",
          "t.csv",
          "t.csv.gz",
          "t.json",
          "t.arrow",
          "u.csv",
          "parts/**/*.parquet",
          "csv",
          "csv/*.csv",
          "c");

  private static final int MOST_CALLS = 3_000;

  private final Path folder;
  private final boolean every;
  private final List<String> wrong = new ArrayList<>();
  private int faults;
  private int copies;

  private FileCallsRun(Path folder, boolean every) {
    this.folder = folder;
    this.every = every;
  }

  /**
   * @param args an empty folder, and whether each call fails
   */
  @SuppressWarnings("SystemOut") // the parent reads it
  public static void main(String[] args) throws IOException, SQLException {
    FileCallsRun run = new FileCallsRun(Path.of(args[0]), Boolean.parseBoolean(args[1]));
    run.reads();
    run.changes("plain", 231, FaultCase.changes(), Map.of());
    run.changes("spilled", 232, FaultCase.spilled(), Map.of("aragonite.test.spillRoom", "3000"));
    run.wrong.forEach(System.out::println);
    System.out.println(run.faults + " faults");
    System.out.flush();
    Runtime.getRuntime().halt(run.wrong.isEmpty() ? 0 : 1);
  }

  private static Map<String, String> properties(int megabytes) {
    return Map.of("memory", megabytes + "MB", "device", "cpu", "threads", "2");
  }

  /** What is done with a plan of faults. */
  @FunctionalInterface
  private interface Attempt {
    List<String> run() throws SQLException, IOException;
  }

  /** What comes before the faults. */
  @FunctionalInterface
  private interface Preparation {
    Attempt ready() throws IOException;
  }

  /** Files that nobody has read before, each time. */
  private void reads() throws IOException, SQLException {
    Path in = Files.createDirectories(folder.resolve("reads"));
    try (FaultMachine machine = new FaultMachine(in, properties(230), Map.of())) {
      Path made = Files.createDirectory(in.resolve("made"));
      String query = "copy (select id, k, v, t from r) to '" + made;
      for (String file : List.of("t.parquet", "t.csv", "t.json", "t.arrow")) {
        machine.execute(List.of(query + "/" + file + "'"));
      }
      machine.execute(
          List.of(
              "copy (select id, t, k from r where k < 4) to '"
                  + made
                  + "/parts' (format parquet, partition_by (k))",
              "copy (select id, k, t from s) to '" + made + "/u.csv' (delimiter ';')",
              "copy (select id, t, v from r where k < 3) to '"
                  + made
                  + "/csv' (format csv, partition_by (v))"));
      Files.writeString(made.resolve("u.csv.json"), "{\"delimiter\": \";\"}");
      FaultFiles.pack(made.resolve("t.csv"), made.resolve("t.csv.gz"));
      FaultFiles.flatten(made.resolve("csv"));
      Path folder = Files.createDirectory(made.resolve("c"));
      for (int i = 0; i < 3; i++) {
        machine.execute(
            List.of(
                "copy (select id, t from r where k = %d) to '%s/%d.parquet'"
                    .formatted(i, folder, i)));
      }
      for (String file : READ) {
        String sql = "select count(*), sum(id), min(t), max(t) from '%s/" + file + "'";
        List<String> right = machine.run(sql.formatted(made));
        sweep(machine, "read " + file, in, right, () -> query(machine, sql.formatted(copy(made))));
      }
      List<String> right =
          machine.run(
              "select count(*), sum(a.id), sum(b.id), sum(c.id) from '%1$s/t.parquet' a left join '%1$s/u.csv' b on a.id = b.id left join '%1$s/c/*.parquet' c on a.id = c.id"
                  .formatted(made));
      sweep(machine, "directory", in, right, () -> ofDirectory(copy(made)));
    }
  }

  private static Attempt query(FaultMachine machine, String sql) {
    return () -> machine.run(sql);
  }

  /** Of a connection whose tables are the files. */
  private Attempt ofDirectory(Path directory) throws IOException {
    for (String other : List.of("t.csv", "t.csv.gz", "t.json", "t.arrow")) {
      Files.delete(directory.resolve(other));
    }
    String url =
        "jdbc:aragonite:device=cpu;threads=2;memory=230MB;spill=%s;directory=%s"
            .formatted(folder.resolve("reads/spill"), directory);
    return () -> {
      try (Connection connection = DriverManager.getConnection(url);
          var statement = connection.createStatement();
          var rows =
              statement.executeQuery(
                  "select count(*), sum(a.id), sum(b.id), sum(c.id) from t a left join u b on a.id"
                      + " = b.id left join c on a.id = c.id")) {
        rows.next();
        return List.of(
            rows.getString(1)
                + " | "
                + rows.getString(2)
                + " | "
                + rows.getString(3)
                + " | "
                + rows.getString(4));
      }
    };
  }

  private Path copy(Path made) throws IOException {
    Path copy = folder.resolve("reads/copy" + copies++);
    FaultFiles.copy(made, copy);
    return copy;
  }

  private void changes(
      String name, int megabytes, List<FaultCase> cases, Map<String, String> system)
      throws IOException, SQLException {
    Path in = Files.createDirectories(folder.resolve(name));
    try (FaultMachine machine = new FaultMachine(in, properties(megabytes), system)) {
      for (FaultCase each : cases) {
        FaultCase one = each.in(machine.out().toString());
        machine.execute(one.setup());
        List<String> unmade = machine.state(one);
        List<String> answer = machine.run(one.sql());
        List<String> made = machine.state(one);
        machine.undo(one);
        machine.begin();
        sweep(
            machine,
            name + ", " + one.name(),
            in,
            answer,
            () ->
                () -> {
                  boolean done = false;
                  try {
                    List<String> found = machine.run(one.sql());
                    done = true;
                    return found;
                  } finally {
                    FileCalls.end();
                    List<String> state = machine.state(one);
                    if (!state.equals(done ? made : unmade)) {
                      wrong.add(
                          one.name()
                              + ", "
                              + FileCalls.failed()
                              + ": "
                              + (done ? "done" : "failed")
                              + ", and now "
                              + state);
                    }
                    if (done) {
                      machine.undo(one);
                    }
                  }
                });
      }
    }
  }

  /** Each call once, and none: moved shortly. */
  private void sweep(
      FaultMachine machine, String name, Path in, List<String> right, Preparation attempt)
      throws IOException, SQLException {
    attempt(machine, name + ", shortly", new Plan(in, 0, false, true), right, attempt);
    long calls = attempt(machine, name, new Plan(in, 0, false, false), right, attempt);
    if (calls == 0) {
      wrong.add(name + " calls nothing");
    }
    for (boolean onwards : new boolean[] {false, true}) {
      for (long nth = 1; nth <= Math.min(calls, MOST_CALLS); nth += every ? 1 : 1 + nth / 2) {
        attempt(
            machine,
            name + (onwards ? ", all from " : ", ") + nth,
            new Plan(in, nth, onwards, false),
            right,
            attempt);
      }
    }
  }

  private long attempt(
      FaultMachine machine, String name, Plan plan, List<String> right, Preparation attempt)
      throws IOException, SQLException {
    machine.begin();
    long calls;
    Attempt ready = attempt.ready();
    try {
      FileCalls.begin(plan);
      List<String> found = ready.run();
      calls = FileCalls.end();
      if (!found.equals(right)) {
        wrong.add("%s (%s): %s instead of %s".formatted(name, FileCalls.failed(), found, right));
      }
    } catch (SQLException e) {
      calls = FileCalls.end();
      judge(name, e);
    }
    if (plan.onwards()) {
      machine.clearOut(); // a disk that is gone lets nobody find what is to be removed
    }
    faults += FileCalls.failed().isEmpty() ? 0 : 1;
    try {
      machine.assertNothingLeft(name + " (" + FileCalls.failed() + ")");
    } catch (AssertionError e) {
      wrong.add(String.valueOf(e.getMessage()));
    }
    return calls;
  }

  /** An error has a code for files, and names the file, or the folder that it is in. */
  private void judge(String name, SQLException error) {
    String failed = FileCalls.failed();
    String message = String.valueOf(error.getMessage());
    String path = failed.substring(failed.lastIndexOf(' ') + 1);
    boolean named =
        !failed.isEmpty()
            && Stream.iterate(
                    Path.of(path), p -> p.startsWith(folder) && !p.equals(folder), Path::getParent)
                .anyMatch(p -> message.contains(p.toString()));
    if (!ERRORS.contains(error.getErrorCode()) || !named) {
      StringBuilder text =
          new StringBuilder(name + " (" + failed + "): " + error.getErrorCode() + " " + message);
      for (Throwable cause = error; cause != null; cause = cause.getCause()) {
        text.append("\n  ").append(cause);
        Arrays.stream(cause.getStackTrace())
            .limit(8)
            .forEach(at -> text.append("\n    ").append(at));
      }
      wrong.add(text.toString());
    }
  }
}
