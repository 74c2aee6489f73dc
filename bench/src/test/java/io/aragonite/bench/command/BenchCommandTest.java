package io.aragonite.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code aragonite bench} is there where this module is, with clear errors. */
class BenchCommandTest {
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

  @ParameterizedTest
  @ValueSource(
      strings = {"joins", "choice", "estimates", "plans", "orders", "growth", "planning", "graph", "outofcore", "multi", "cold", "copy", "serve"})
  void everyBenchmarkHasHelp(String name) {
    Ran ran = run("bench", name, "--help");
    assertEquals(0, ran.status, ran.err);
    assertTrue(ran.out.startsWith("Usage: aragonite bench " + name), ran.out);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          growth --warmups=-9                     | --warmups is 0 at least, not -9
          growth --repeat=0                       | --repeat is 1 at least, not 0
          growth --queries=1,99                   | --queries are 1 to 22, not 99
          growth --workload=tpcds --queries=100   | --queries are 1 to 99, not 100
          growth --scales=1                       | --scales are two or more, ascending
          growth --scales=2,1                     | --scales are two or more, ascending
          growth --scales=1,1.0                   | --scales are two or more, ascending
          growth --scales=0,1                     | --scales: TPC-H scale must be between
          orders --warmups=0                      | --warmups is 1 at least, not 0
          orders --repeat=-1                      | --repeat is 1 at least, not -1
          orders --orders=1                       | --orders is 2 at least, not 1
          orders --queries=0                      | --queries are 1 to 22, not 0
          orders --scale=-1                       | --scale: TPC-H scale must be between
          orders --scale=x                        | Invalid value for option '--scale'
          """)
  void wrongOptionsAreNamed(String arguments, String message) {
    Ran ran = run(("bench " + arguments).split(" "));
    assertEquals(2, ran.status, ran.out + ran.err);
    assertTrue(ran.err.contains(message), ran.err);
  }

  @Test
  void copyChecksWhatItWrites() {
    Ran ran = run("bench", "copy", "--scale=0.01", "--files=3", "--repeat=1", "--threads=2");
    assertEquals(0, ran.status, ran.out + ran.err);
    for (String row : new String[] {"COPY to parquet", "COPY to arrow", "3 files of csv, opened"}) {
      assertTrue(ran.out.contains(row), ran.out);
    }
  }

  @Test
  void serversAnswerRight() {
    Ran ran = run("bench", "serve", "--clients=3", "--seconds=0.2", "--rows=50000", "--repeat=1");
    assertEquals(0, ran.status, ran.out + ran.err);
    assertTrue(ran.out.lines().filter(line -> line.startsWith("avatica ")).count() == 4, ran.out);
  }

  @Test
  void errorsHaveCodes() {
    assertCoded(run("bench"), 2, "AR-407", "bench joins");
    assertCoded(run("bench", "joins", "--memory=lots"), 2, "AR-407", "--memory", "lots", "8GB");
    assertCoded(run("bench", "joins", "--rows=99"), 2, "AR-407", "--rows");
    assertCoded(run("bench", "joins", "--device=abacus"), 1, "AR-504", "abacus");
  }

  private static void assertCoded(Ran ran, int status, String code, String... parts) {
    assertEquals(status, ran.status, ran.err);
    assertTrue(ran.err.startsWith("aragonite: " + code + " ("), ran.err);
    assertFalse(ran.err.contains("Exception"), ran.err);
    for (String part : parts) {
      assertTrue(ran.err.contains(part), ran.err + " lacks " + part);
    }
  }
}
