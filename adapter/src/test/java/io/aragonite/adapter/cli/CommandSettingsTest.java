package io.aragonite.adapter.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Settings of {@code serve}: command line, environment, file, default. */
class CommandSettingsTest {
  @TempDir private Path folder;

  private final StringWriter err = new StringWriter();

  private CommandLine line(String... arguments) {
    CommandLine line =
        new CommandLine(new ServeCommand()).setCaseInsensitiveEnumValuesAllowed(true);
    line.setErr(new PrintWriter(err));
    line.parseArgs(arguments);
    return line;
  }

  /** What --print-config says. */
  private String printed(String file, Map<String, String> environment, String... arguments)
      throws Exception {
    Path config = Files.writeString(folder.resolve("c.yaml"), file);
    StringWriter out = new StringWriter();
    CommandSettings.apply(line(arguments).getCommandSpec(), config, environment)
        .print(new PrintWriter(out));
    return out.toString().replace(config.toString(), "FILE");
  }

  private static void assertHas(String text, String... lines) {
    for (String line : lines) {
      assertTrue(text.lines().anyMatch(line::equals), line + "\n" + text);
    }
  }

  @Test
  void theStrongestSays() throws Exception {
    String file =
        """
        # what the server does
        max-queries: 8
        queue-time: 10s
        max-query-time: 1min
        port: 9000
        flight:
        serialization: json
        """;
    assertHas(
        printed(
            file, Map.of("ARAGONITE_QUEUE_TIME", "20s", "ARAGONITE_PORT", "9001"), "--port=9002"),
        "port: 9002  # command line",
        "queue-time: 20s  # ARAGONITE_QUEUE_TIME",
        "max-queries: 8  # FILE:2",
        "max-query-time: 1min  # FILE:4",
        "flight:   # FILE:6",
        "serialization: json  # FILE:7",
        "stop-time: 30s  # default",
        "host: 127.0.0.1  # default",
        "users:   # default");
    assertHas(
        printed("{\"max-queries\": 3, \"property\": {\"lex\": \"MYSQL\"}}", Map.of()),
        "max-queries: 3  # FILE:1",
        "property.lex: MYSQL  # FILE:1");
  }

  @Test
  void optionsHaveTheValues() throws Exception {
    CommandLine line = line("-P", "lex=ORACLE", "--max-queries=5");
    Path config =
        Files.writeString(
            folder.resolve("c.yaml"),
            "max-queries: 8\n"
                + "queue-time: 10s\n"
                + "flight:\n"
                + "property:\n"
                + "  lex: MYSQL\n"
                + "  quoting: BACK_TICK\n");
    CommandSettings.apply(line.getCommandSpec(), config, Map.of("ARAGONITE_TPCH", "0.5"));
    Map<String, CommandLine.Model.OptionSpec> options = line.getCommandSpec().optionsMap();
    assertEquals(5, options.get("--max-queries").<Integer>getValue());
    assertEquals(
        java.time.Duration.ofSeconds(10),
        options.get("--queue-time").<java.time.Duration>getValue());
    assertEquals(8766, options.get("--flight").<Integer>getValue());
    assertEquals("0.5", options.get("--tpch").<String>getValue());
    assertEquals(
        Map.of("lex", "ORACLE", "quoting", "BACK_TICK"),
        options.get("--property").<Map<String, String>>getValue());
  }

  @ParameterizedTest
  @CsvSource({
    "'max-queries: 8\nmax-querys: 9', Line 2, did you mean 'max-queries'",
    "'port: 1\nport: 2', Line 2, Duplicate",
    "'port: [1, 2]', Line 1, one value",
    "'users:', Line 1, no value",
    "'property: x', Line 1, below it",
    "'config: other.yaml', Line 1, no setting 'config'",
    "'just text', Line 1, option: value",
    "'port: 1\n  : : {', Line 2, ''",
    "'max-queries: many', max-queries, c.yaml:1",
    "'a: 1\n---\nb: 2', Line 1, no setting 'a'",
  })
  void whatIsNotRightHasItsLine(String file, String first, String second) {
    AragoniteException error =
        assertThrows(AragoniteException.class, () -> printed(file.replace("\\n", "\n"), Map.of()));
    assertEquals(ErrorCode.WRONG_USAGE, error.code());
    assertTrue(
        error.getMessage().contains(first) && error.getMessage().contains(second),
        error.getMessage());
    assertFalse(error.getMessage().contains("\n"), error.getMessage());
  }

  @Test
  void theEnvironmentIsOthersToo() throws Exception {
    String printed =
        printed(
            "",
            Map.of(
                "ARAGONITE_PORT", "tcp://10.0.0.1:8765",
                "ARAGONITE_SERVICE_HOST", "10.0.0.1",
                "ARAGONITE_CACHE", "/var/cache",
                "ARAGONITE_JAVA_OPTS", "-Xmx1g",
                "ARAGONITE_MAX_QUERYS", "3"));
    assertHas(printed, "port: 8765  # default", "max-queries: 2147483647  # default");
    assertEquals(
        "aragonite: ARAGONITE_MAX_QUERYS is not read; did you mean ARAGONITE_MAX_QUERIES?",
        err.toString().strip());
    AragoniteException error =
        assertThrows(
            AragoniteException.class, () -> printed("", Map.of("ARAGONITE_STOP_TIME", "soon")));
    assertTrue(error.getMessage().contains("ARAGONITE_STOP_TIME"), error.getMessage());
  }

  @Test
  void secretsAreNotPrinted() throws Exception {
    String printed =
        printed(
            "keystore-password: hidden1\nurl: jdbc:aragonite:s3SecretKey=hidden2\n"
                + "property:\n  s3SessionToken: hidden3\n",
            Map.of());
    assertFalse(printed.contains("hidden"), printed);
    assertHas(printed, "keystore-password: ***  # FILE:1");
    Path config = Files.writeString(folder.resolve("k.yaml"), "keystore-password: of the file");
    CommandSettings settings =
        CommandSettings.apply(
            line().getCommandSpec(),
            config,
            Map.of("ARAGONITE_KEYSTORE_PASSWORD", "of the environment"));
    assertEquals("of the environment", settings.keystorePassword());
  }

  @Test
  void theCommandPrintsAndEnds() throws Exception {
    Path config = Files.writeString(folder.resolve("c.yaml"), "max-queries: 0\n");
    StringWriter out = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    assertEquals(0, command.execute("serve", "--config=" + config, "--print-config"));
    assertHas(out.toString(), "max-queries: 0  # " + config + ":1");
    assertEquals(1, command.execute("serve", "--config=" + config));
    assertTrue(err.toString().contains("AR-407"), err.toString());
    assertEquals(1, command.execute("serve", "--config=" + folder.resolve("none")));
    assertTrue(err.toString().contains("cannot be read"), err.toString());
  }
}
