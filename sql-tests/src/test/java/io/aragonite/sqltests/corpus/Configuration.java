package io.aragonite.sqltests.corpus;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A way to run the corpus.
 *
 * @param name as scripts name it in {@code skip} lines
 * @param connection connection properties
 * @param system system properties, which the engine reads when it starts and when it plans
 */
record Configuration(String name, Map<String, String> connection, Map<String, String> system) {
  private static final String BATCH_ROWS = "aragonite.test.batchRows";
  private static final String FILTERS = "aragonite.join.filter";
  private static final String TRANSFER = "aragonite.join.transfer";
  private static final String HASH_ZERO = "aragonite.test.hashZero";

  /**
   * The device that all configurations run on: {@code cuda}; {@code discrete}, a device of the
   * tests with memory of its own; or {@code ptx}, whose expressions are interpreted kernels. None:
   * the default, and one configuration for each device of the tests.
   */
  private static final String DEVICE = "aragonite.test.device";

  /** Devices of the tests, which are no values of the connection property. */
  private static final List<String> TEST_DEVICES = List.of("discrete", "ptx");

  /**
   * Each has a memory limit of its own, since engines are shared by equal properties. One way to
   * run stands beside others in a configuration where neither hides the other: a run of all scripts
   * is dear.
   */
  private static final List<Configuration> ALL =
      List.of(
          of("hash-zero", 1, 1_005, "on", Map.of(HASH_ZERO, "true")),
          of("small-batches", 4, 1_004, "on", Map.of(BATCH_ROWS, "64", FILTERS, "on")),
          of("no-fallback", 2, 1_006, "off", Map.of(HASH_ZERO, "true")),
          of("tiny-memory", 2, 24, "on", Map.of(BATCH_ROWS, "1024")),
          of("partitioned-joins", 2, 1_011, "on", Map.of(BATCH_ROWS, "1024", TRANSFER, "on"))
              .with("join", "phj"),
          of("merge-joins", 2, 1_012, "on", Map.of(BATCH_ROWS, "1024")).with("join", "smj"),
          of("host-joins", 2, 1_014, "on", Map.of(DEVICE, "discrete")).with("join", "hsmj"),
          of("discrete", 2, 1_007, "on", Map.of(DEVICE, "discrete", FILTERS, "on")),
          of("ptx", 2, 1_009, "on", Map.of(DEVICE, "ptx", TRANSFER, "on")));

  private static Configuration of(
      String name, int threads, int megabytes, String fallback, Map<String, String> system) {
    return new Configuration(
        name,
        Map.of(
            "threads", String.valueOf(threads), "memory", megabytes + "MB", "fallback", fallback),
        system);
  }

  private Configuration with(String property, String value) {
    Map<String, String> more = new HashMap<>(connection);
    more.put(property, value);
    return new Configuration(name, Map.copyOf(more), system);
  }

  /** Whether an algorithm is asked of all joins, so that those that cannot be it are refused. */
  boolean forcesJoins() {
    return connection.containsKey("join");
  }

  /** Those that are to run. */
  static List<Configuration> wanted() {
    boolean given = !System.getProperty(DEVICE, "").isEmpty();
    return ALL.stream().filter(one -> !given || !one.system.containsKey(DEVICE)).toList();
  }

  /** How many scripts may run at a time: where memory is short, each needs all that there is. */
  int scriptsAtATime() {
    return name.equals("tiny-memory") ? 1 : Runtime.getRuntime().availableProcessors();
  }

  /** Makes the process one of this configuration, until {@link #leave()}. */
  void enter() {
    system.forEach(System::setProperty);
  }

  void leave() {
    system.keySet().forEach(System::clearProperty);
  }

  /** Runs something on a connection of this configuration, which the process enters meanwhile. */
  void run(Map<String, String> more, ConnectionWork work) throws Exception {
    enter();
    try {
      connect(more, work);
    } finally {
      leave();
    }
  }

  /** The same in a process that has entered it. */
  void connect(Map<String, String> more, ConnectionWork work) throws Exception {
    Properties properties = new Properties();
    String device = System.getProperty(DEVICE);
    if (device != null && !device.isEmpty() && !TEST_DEVICES.contains(device)) {
      properties.setProperty("device", device);
    }
    connection.forEach(properties::setProperty);
    more.forEach(properties::setProperty);
    try (Connection opened = DriverManager.getConnection("jdbc:aragonite:", properties)) {
      work.run(opened);
    }
  }

  /** What to do with a connection. */
  interface ConnectionWork {
    void run(Connection connection) throws SQLException;
  }

  @Override
  public String toString() {
    return name;
  }
}
