package io.aragonite.sqltests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.testing.TestSample;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Calls of the file system that fail, or move fewer bytes than they are asked for, while statements
 * read Parquet, CSV, JSON and Arrow files, write them, change tables and spill: the answer is right
 * or the error names the file, a change is made or it is not, memory and files are as before. The
 * process has a file system of the tests' own, so that the calls are the engine's true ones. {@code
 * -Daragonite.faults.every=true} has each call fail, not some.
 */
@Timeout(590)
class FailedFileCallsTest {
  private static final TestSample SAMPLE = new TestSample(FailedFileCallsTest.class);

  @TempDir private Path folder = Path.of("");

  @Test
  void anyCallMayFail() throws Exception {
    SAMPLE.assume(0.4);
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Xmx512m",
                "-Djava.nio.file.spi.DefaultFileSystemProvider="
                    + FaultyFileSystemProvider.class.getName(),
                "-cp",
                System.getProperty("java.class.path"),
                FileCallsRun.class.getName(),
                folder.toString(),
                String.valueOf(Boolean.getBoolean("aragonite.faults.every")))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), output);
      assertTrue(output.strip().matches("\\d{3,} faults"), output);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
