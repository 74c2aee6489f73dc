package io.aragonite.adapter.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole sessions of the shell, each a process of its own, with and without a terminal. */
@Timeout(180)
class ShellTest {
  private static final String LONG = "a text that is longer than eighty columns ".repeat(3).strip();

  @TempDir private Path folder;

  @BeforeEach
  void aTable() throws IOException {
    Files.createDirectory(folder.resolve("data"));
    Files.writeString(
        folder.resolve("data/pets_and_owners.csv"), "id,note\n1,%s\n2,short\n".formatted(LONG));
  }

  /** What a session printed, on both streams together, and its exit status. */
  private record Session(int status, String out) {}

  private Path history() {
    return folder.resolve("cache/history");
  }

  private List<String> command(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "shell",
                "--threads=1",
                "--memory=64MB",
                "--directory=" + folder.resolve("data")));
    command.addAll(List.of(arguments));
    return command;
  }

  private Session run(List<String> command, String input) throws Exception {
    Path out = folder.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
    builder.environment().put("ARAGONITE_CACHE", folder.resolve("cache").toString());
    Process process = builder.start();
    try (OutputStream stdin = process.getOutputStream()) {
      stdin.write(input.getBytes(StandardCharsets.UTF_8));
    }
    try {
      assertTrue(process.waitFor(150, TimeUnit.SECONDS), () -> read(out));
    } finally {
      process.destroyForcibly();
    }
    return new Session(process.exitValue(), read(out));
  }

  private static String read(Path out) {
    try {
      return Files.readString(out);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void aSessionThatIsPipedIn() throws Exception {
    Session session =
        run(
            command(),
            """
            select id, note
            from pets_and_owners order by id;
            select nosuch from pets_and_owners;
            select count(*) as after_the_error from pets_and_owners;
            !quit
            """);
    assertEquals(0, session.status, session.out);
    assertTrue(session.out.contains("| 1  | " + LONG + " |"), session.out);
    assertTrue(session.out.contains("AR-103 (USER): There is no column 'nosuch'"), session.out);
    assertTrue(session.out.contains("after_the_error"), session.out);
    assertFalse(session.out.contains("\tat "), session.out);
    assertFalse(
        Files.exists(history()) && Files.size(history()) > 0, "what is piped in is no history");
  }

  @Test
  void tablesAndFilesOfASession() throws Exception {
    Path file = folder.resolve("t.parquet");
    Session session =
        run(
            command(),
            """
            create table t as select id from pets_and_owners;
            insert into t values (10), (20);
            create view v as select sum(id) as total from t;
            copy t to '$';
            select total from v;
            select max(id) as most from '$';
            copy t to '$';
            drop view v;
            select total from v;
            !quit
            """
                .replace("$", file.toString()));
    assertTrue(session.out.contains("| total |\n+-------+\n| 33    |"), session.out);
    assertTrue(session.out.contains("| most |\n+------+\n| 20   |"), session.out);
    assertTrue(session.out.contains("AR-311 (USER): " + file + " cannot be written"), session.out);
    assertTrue(session.out.contains("AR-102 (USER): There is no table 'v'"), session.out);
  }

  @Test
  void statementsOfTheCommandLine() throws Exception {
    Session session =
        run(command("-e", "!tables", "-e", "select max(id) as most from pets_and_owners"), "");
    assertEquals(0, session.status, session.out);
    assertTrue(session.out.contains("| pets_and_owners | TABLE "), session.out);
    assertTrue(session.out.contains("| most |\n+------+\n| 2    |"), session.out);
    Session failed = run(command("-e", "select 1/0", "-e", "select 'never' as said"), "");
    assertEquals(1, failed.status, failed.out);
    assertTrue(failed.out.contains("AR-201"), failed.out);
    assertFalse(failed.out.contains("never"), failed.out);
    assertFalse(failed.out.contains("\tat "), failed.out);
    assertFalse(Files.exists(history()) && Files.size(history()) > 0);
  }

  /** The terminal is one that does not tell its width, as in some containers. */
  @Test
  void completionAndHistoryAtATerminal() throws Exception {
    Path script = Path.of("/usr/bin/script");
    assumeTrue(
        Files.isExecutable(script) && System.getProperty("os.name").equals("Linux"),
        "there is no script(1) to make a terminal");
    StringBuilder line = new StringBuilder();
    for (String word : command()) {
      line.append('\'').append(word).append("' ");
    }
    Session session =
        run(
            List.of(script.toString(), "-qec", line.toString(), "/dev/null"),
            "select id, note from pets_an\t;\n!quit\n");
    assertTrue(session.out.contains(LONG), session.out);
    assertEquals(0, session.status, session.out);
    String history = Files.readString(history());
    assertTrue(history.contains("select id, note from pets_and_owners"), history);
  }
}
