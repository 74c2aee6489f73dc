package io.aragonite.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code ./aragonite serve} in a process of its own. */
final class ServedProcess implements AutoCloseable {
  private static final String CONNECT = "Connect with jdbc:avatica:remote:url=";

  private final Process process;
  private final String address;

  ServedProcess(String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("aragonite.launcher"));
    command.addAll(List.of("serve", "--port", "0", "--device", "cpu"));
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("ARAGONITE_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Xmx1g");
    process = builder.start();
    StringBuilder said = new StringBuilder();
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = lines.readLine();
    while (line != null && !line.startsWith(CONNECT)) {
      said.append(line).append('\n');
      line = lines.readLine();
    }
    if (line == null) {
      throw new IOException("the server did not start: " + said);
    }
    address = line.substring(CONNECT.length()).split(";")[0];
  }

  /** {@code http://host:port}. */
  String address() {
    return address;
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
