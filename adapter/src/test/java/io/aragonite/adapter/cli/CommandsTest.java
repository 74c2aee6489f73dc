package io.aragonite.adapter.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandsTest {
  /** What a command printed, and its exit status. */
  private record Ran(int status, String out, String err) {}

  private static Ran run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    int status = command.execute(arguments);
    return new Ran(status, out.toString(), err.toString());
  }

  @Test
  void tableOfRows() {
    Ran ran = run("sql", "select r_regionkey, r_name from region where r_regionkey < 2 order by 1");
    assertEquals(0, ran.status, ran.err);
    assertEquals(
        """
         r_regionkey | r_name
        -------------+---------
                   0 | AFRICA
                   1 | AMERICA
        (2 rows)
        """,
        ran.out.lines().map(String::stripTrailing).reduce("", (a, b) -> a + b + "\n"));
  }

  @Test
  void csvAndJson() {
    String sql =
        "select * from (values (1, 'a,\"b'), (2, cast(null as varchar(3)))) as t(x, y) order by x";
    assertEquals("x,y\r\n1,\"a,\"\"b\"\r\n2,\r\n", run("sql", "--format", "csv", sql).out);
    assertEquals(
        "{\"x\":1,\"y\":\"a,\\\"b\"}\n{\"x\":2,\"y\":null}\n",
        run("sql", "--format", "json", sql).out);
  }

  @Test
  void severalStatementsFromAFile(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("some.sql");
    Files.writeString(file, "select 1 as \"a;b\"; -- done;\n select ';' as c;");
    Ran ran = run("sql", "--file", file.toString(), "--format=csv");
    assertEquals("a;b\r\n1\r\nc\r\n;\r\n", ran.out, ran.err);
  }

  @Test
  void statementsAreSplitOutsideOfQuotes() {
    assertEquals(
        List.of("select 'a;b'", "select \"c;d\" /* ; */"),
        StatementSplitter.split("select 'a;b'; select \"c;d\" /* ; */;;\n-- end;\n"));
  }

  @Test
  void analyzeShowsThePlan() {
    Ran ran = run("sql", "--analyze", "select count(*) from nation");
    assertEquals(0, ran.status, ran.err);
    assertTrue(ran.out.contains("GpuAggregate on cpu"), ran.out);
    assertTrue(ran.out.contains("actual: 1 rows"), ran.out);
  }

  @Test
  void connectionOptions() {
    assertEquals(0, run("sql", "--threads=1", "-Plex=MYSQL", "select 1 as `x`").status);
    assertEquals(
        0, run("sql", "--url", "jdbc:aragonite:tpch=0.01", "select count(*) from region").status);
    Ran wrong = run("sql", "-Ptreads=1", "select 1 + 1");
    assertEquals(1, wrong.status);
    assertTrue(wrong.err.contains("AR-401") && wrong.err.contains("'threads'"), wrong.err);
  }

  @Test
  void errorsAreOneLine() {
    Ran ran = run("sql", "select * from lineitm");
    assertEquals(1, ran.status);
    assertEquals(1, ran.err.lines().count(), ran.err);
    assertTrue(ran.err.startsWith("aragonite: AR-102 (USER): "), ran.err);
    assertFalse(ran.err.contains("Exception"), ran.err);
  }

  @Test
  void usageErrors() {
    assertEquals(2, run("sql").status);
    assertEquals(2, run("sql", "--format=xml", "select 1").status);
    assertEquals(2, run("nosuch").status);
    assertEquals(2, run("serve", "--max-query-time=soon").status);
    assertEquals(2, run("tpch", "--queries=23").status);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sql", "shell", "serve", "tpch", "doctor", "bench", "calibrate"})
  void everyCommandHasHelp(String name) {
    Ran ran = run(name, "--help");
    assertEquals(0, ran.status);
    assertTrue(ran.out.startsWith("Usage: aragonite " + name), ran.out);
  }

  @Test
  void tpchChecks() {
    Ran ran = run("tpch", "--scale=0.01", "--check", "--fallback=off", "--device=cpu");
    assertEquals(0, ran.status, ran.out + ran.err);
    assertTrue(ran.out.contains("22 of 22 right"), ran.out);
  }

  @Test
  void doctorFindsNothingWrong() {
    Ran ran = run("doctor");
    assertEquals(0, ran.status, ran.out + ran.err);
    assertTrue(ran.out.contains("a query ran"), ran.out);
  }

  @Test
  void serveRefusesOtherAddresses() {
    Ran ran = run("serve", "--host=0.0.0.0", "--port=0");
    assertEquals(1, ran.status);
    assertTrue(ran.err.contains("AR-404"), ran.err);
  }
}
