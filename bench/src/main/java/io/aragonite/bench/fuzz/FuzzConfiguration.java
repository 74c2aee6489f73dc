package io.aragonite.bench.fuzz;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A way to run statements.
 *
 * @param name as reports show it
 * @param properties of the connection
 * @param system system properties, which the engine reads when it starts and when it plans
 */
public record FuzzConfiguration(String name, Map<String, String> properties, Map<String, String> system) {
  private static final String BATCH_ROWS = "aragonite.test.batchRows";
  private static final String FILTERS = "aragonite.join.filter";

  /**
   * All of them. Each has a memory limit of its own, since connections of equal properties share an engine.
   *
   * @param device the value of the connection property
   */
  public static List<FuzzConfiguration> all(String device) {
    return List.of(
        of("plain", device, 301, Map.of("threads", "1"), Map.of()),
        of("small-batches", device, 302, Map.of("threads", "3"), Map.of(BATCH_ROWS, "64", FILTERS, "on")),
        of("partitioned-joins", device, 303, Map.of("threads", "2", "join", "phj"), Map.of(BATCH_ROWS, "256")),
        of("merge-joins", device, 304, Map.of("threads", "2", "join", "smj"), Map.of(BATCH_ROWS, "256")),
        of("tight-memory", device, 24, Map.of("threads", "2"), Map.of(BATCH_ROWS, "256")),
        of("equal-hashes", device, 305, Map.of("threads", "1"), Map.of("aragonite.test.hashZero", "true")),
        of("multiway", device, 306, Map.of("threads", "2", "multiway", "on"), Map.of()),
        of("payload-in-place", device, 307, Map.of("threads", "2", "join", "phj_um"), Map.of(BATCH_ROWS, "64", FILTERS, "on")));
  }

  private static FuzzConfiguration of(
      String name, String device, int megabytes, Map<String, String> properties, Map<String, String> system) {
    Map<String, String> all = new HashMap<>(properties);
    all.put("device", device);
    all.put("memory", megabytes + "MB");
    if (!device.equals("cpu")) {
      all.put("gpuMemory", megabytes * 4 + "MB"); // several processes may share a GPU
    }
    return new FuzzConfiguration(name, Map.copyOf(all), system);
  }

  /** The same with more system properties. */
  public FuzzConfiguration with(String newName, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(system);
    all.putAll(more);
    return new FuzzConfiguration(newName, properties, Map.copyOf(all));
  }

  /** Whether an algorithm is asked of all joins, so that those that cannot be it are refused. */
  boolean forcesJoins() {
    return properties.containsKey("join");
  }

  /** Makes the process one of this configuration, until {@link #leave()}. */
  void enter() {
    system.forEach(System::setProperty);
  }

  void leave() {
    system.keySet().forEach(System::clearProperty);
  }

  Connection open(String directory, int timeoutSeconds) throws SQLException {
    Properties all = new Properties();
    all.putAll(properties);
    all.setProperty("directory", directory);
    all.setProperty("timeout", timeoutSeconds + "s");
    return DriverManager.getConnection("jdbc:aragonite:", all);
  }

  @Override
  public String toString() {
    return name;
  }
}
