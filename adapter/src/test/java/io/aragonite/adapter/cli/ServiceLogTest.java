package io.aragonite.adapter.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

/** The lines that a server logs. */
@Timeout(300)
class ServiceLogTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LEVEL = "org.slf4j.simpleLogger.log.io.aragonite.adapter.server";
  private static final String SERVER = "io.aragonite.adapter.server.ClientError";

  /** Fails when it runs, and so has a number. */
  private static final String BROKEN = "select max(1 / (n_nationkey - n_nationkey)) from nation";

  @TempDir private Path folder;

  /** The first line of a server's log about a statement that fails. */
  private String line(String format) throws Exception {
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1",
                "-D" + LEVEL + "=debug",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve",
                "--tpch=0.01",
                "--device=cpu",
                "--port=0",
                "--audit=" + folder.resolve("audit"),
                "--log-format=" + format)
            .redirectErrorStream(true)
            .start();
    Executor late = CompletableFuture.delayedExecutor(100, TimeUnit.SECONDS);
    late.execute(server::destroyForcibly); // whoever still waits for a line sees the end of them
    try (BufferedReader said = server.inputReader()) {
      String url = "";
      while (url.isEmpty()) {
        String line = said.readLine();
        assertNotNull(line, "the server has not started");
        url = line.startsWith("Connect with ") ? line.substring("Connect with ".length()) : "";
      }
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        assertThrows(Exception.class, () -> statement.executeQuery(BROKEN));
      }
      while (true) {
        String line = said.readLine();
        assertNotNull(line, "the server has logged nothing");
        if (line.contains(SERVER)) {
          return line;
        }
      }
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  /** The number of the run in the audit log. */
  private String query() throws Exception {
    List<String> lines = Files.readAllLines(folder.resolve("audit.0"));
    for (String line : lines) {
      JsonNode json = JSON.readTree(line);
      if (json.path("sql").asText().equals(BROKEN)) {
        return json.get("query").asText();
      }
    }
    throw new AssertionError(lines.toString());
  }

  @Test
  void linesOfJsonTellTheQuery() throws Exception {
    JsonNode line = JSON.readTree(line("json"));
    assertEquals("debug", line.get("level").asText());
    assertEquals(SERVER, line.get("logger").asText());
    assertEquals(query(), line.get("query").asText());
    assertEquals("127.0.0.1", line.get("address").asText());
    assertEquals("a request was answered with AR-201", line.get("message").asText());
    assertTrue(Instant.parse(line.get("time").asText()).isBefore(Instant.now()));
  }

  @Test
  void linesOfTextDoSoToo() throws Exception {
    String line = line("text");
    assertTrue(line.contains("DEBUG " + SERVER + " ["), line);
    assertTrue(line.contains(" query " + query() + "] - "), line);
  }

  @Test
  void levelsAreThoseOfTheLongestName() {
    String name = "io.aragonite.test.Log";
    System.setProperty("org.slf4j.simpleLogger.log.io.aragonite.test", "info");
    System.setProperty("org.slf4j.simpleLogger.log." + name, "ERROR");
    try {
      assertEquals(Level.ERROR, CommandLogging.level(name));
      assertEquals(Level.INFO, CommandLogging.level("io.aragonite.test.Other"));
    } finally {
      System.clearProperty("org.slf4j.simpleLogger.log.io.aragonite.test");
      System.clearProperty("org.slf4j.simpleLogger.log." + name);
    }
  }
}
