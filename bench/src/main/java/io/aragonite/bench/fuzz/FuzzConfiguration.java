package io.aragonite.bench.fuzz;

import io.aragonite.exec.settings.EngineSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A way to run statements.
 *
 * @param name as reports show it
 * @param properties of the connection
 * @param system system properties, which the engine reads when it starts and when it plans
 * @param variations other properties under which a plan is run again
 */
public record FuzzConfiguration(String name, Map<String, String> properties, Map<String, String> system, List<FuzzVariation> variations) {
  private static final String BATCH_ROWS = "aragonite.test.batchRows";
  private static final String FILTERS = "aragonite.join.filter";
  private static final String TRANSFER = "aragonite.join.transfer";
  private static final String DEVICE = "aragonite.test.device";
  private static final String DEVICES = "aragonite.test.devices";

  /** The device of the tests with memory of its own. */
  private static final String DISCRETE = "discrete";

  private static final FuzzVariation AS_IT_IS = new FuzzVariation("", Map.of());

  /** Operators work part by part, partners are looked for beforehand, groups are put aside and sorted. */
  private static final List<FuzzVariation> OPERATORS =
      List.of(
          AS_IT_IS,
          new FuzzVariation("part by part", Map.of("aragonite.test.spillRoom", "3000", FILTERS, "off")),
          new FuzzVariation("transfer", Map.of(TRANSFER, "on", "aragonite.test.flushGroups", "8", "aragonite.test.groupRows", "1")),
          new FuzzVariation("sorted groups", Map.of("aragonite.group", "sort", FILTERS, "on")));

  /** How devices of a group divide rows. */
  private static final List<FuzzVariation> EXCHANGES =
      List.of(
          AS_IT_IS,
          new FuzzVariation("hashed", Map.of("aragonite.exchange.replicate", "0", "aragonite.exchange.host", "0", "aragonite.exchange.join", "hash")),
          new FuzzVariation("broadcast", Map.of("aragonite.exchange.replicate", "0", "aragonite.exchange.host", "0", "aragonite.exchange.join", "broadcast", TRANSFER, "on")),
          new FuzzVariation("part by part", Map.of("aragonite.test.spillRoom", "3000")));

  /** How many variations are drawn for a round, beside those above. */
  private static final int DRAWN = 8;

  /** Settings that are read when a plan is run, with values of which each gives the same answers. */
  private static final Map<String, List<String>> SETTINGS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("aragonite.test.spillRoom", List.of("3000", "40000")),
              Map.entry("aragonite.test.scanRoom", List.of("2000")),
              Map.entry("aragonite.test.flushGroups", List.of("8", "64")),
              Map.entry("aragonite.test.groupRows", List.of("1")),
              Map.entry(FILTERS, List.of("on", "off")),
              Map.entry(TRANSFER, List.of("on", "off")),
              Map.entry("aragonite.join.parts", List.of("on", "off")),
              Map.entry("aragonite.spill.parts", List.of("partitioned", "table")),
              Map.entry("aragonite.spill.packedRows", List.of("1")),
              Map.entry("aragonite.group", List.of("table", "sort", "order", "direct")),
              Map.entry("aragonite.exchange.replicate", List.of("0", "20")),
              Map.entry("aragonite.exchange.host", List.of("0")),
              Map.entry("aragonite.exchange.join", List.of("hash", "broadcast")),
              Map.entry("aragonite.exchange.ranges", List.of("on", "off")),
              Map.entry("aragonite.exchange.sorted", List.of("off")),
              Map.entry("aragonite.exchange.split", List.of("10")),
              Map.entry("aragonite.exchange.sort", List.of("partition", "merge")),
              Map.entry("aragonite.sort.part", List.of("50"))));

  /**
   * Properties with which an answer is asked for again: the plan is the same, and so is the answer. To plan takes longer than to run.
   *
   * @param name as findings show it
   */
  record FuzzVariation(String name, Map<String, String> system) {}

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
        of("payload-in-place", device, 307, Map.of("threads", "2", "join", "phj_um"), Map.of(BATCH_ROWS, "64", FILTERS, "on")),
        of("one-by-one-joins", device, 308, Map.of("threads", "2", "multiway", "off"), Map.of("aragonite.group", "sort")),
        of("direct-groups", device, 309, Map.of("threads", "1"), Map.of("aragonite.group", "direct", "aragonite.expressions.interpret", "off")),
        of("discrete", "cpu", 310, Map.of("threads", "2"), Map.of(DEVICE, DISCRETE, BATCH_ROWS, "64", FILTERS, "on")),
        of("streamed-scans", "cpu", 311, Map.of("threads", "1", "multiway", "off"), Map.of(DEVICE, DISCRETE, "aragonite.test.scanRoom", "2000")),
        group(2, device, Map.of("aragonite.exchange.replicate", "20")),
        group(3, device, Map.of("aragonite.exchange.replicate", "0", "aragonite.exchange.host", "0", "aragonite.exchange.join", "broadcast")),
        group(4, device, Map.of("aragonite.exchange.replicate", "0", "aragonite.exchange.host", "0", "aragonite.exchange.join", "hash")));
  }

  /** Several devices that run queries together: GPUs, or devices of the tests. */
  private static FuzzConfiguration group(int devices, String device, Map<String, String> exchange) {
    Map<String, String> system = new HashMap<>(exchange);
    system.put(DEVICES, String.valueOf(devices));
    if (device.equals("cpu")) {
      system.put(DEVICE, DISCRETE);
    }
    return of("group-of-" + devices, device, 320 + devices, Map.of("threads", "2"), Map.copyOf(system)).with(EXCHANGES);
  }

  private static FuzzConfiguration of(
      String name, String device, int megabytes, Map<String, String> properties, Map<String, String> system) {
    Map<String, String> all = new HashMap<>(properties);
    all.put("device", device);
    all.put("memory", megabytes + "MB");
    if (!device.equals("cpu")) {
      all.put("gpuMemory", megabytes * 4 + "MB"); // several processes may share a GPU
    }
    return new FuzzConfiguration(name, Map.copyOf(all), system, OPERATORS);
  }

  private FuzzConfiguration with(List<FuzzVariation> others) {
    return new FuzzConfiguration(name, properties, system, others);
  }

  /** The same with more variations, in which several settings at once are drawn. */
  FuzzConfiguration drawn(Random random) {
    FuzzChoice choice = new FuzzChoice(random);
    boolean group = system.containsKey(DEVICES);
    boolean tests = variations.stream().anyMatch(one -> needsTests(one.system));
    List<FuzzVariation> more = new ArrayList<>(variations);
    for (int i = 0; i < DRAWN; i++) {
      Map<String, String> drawn = new TreeMap<>();
      SETTINGS.forEach((key, values) -> {
        boolean fits = (group || !key.startsWith("aragonite.exchange.")) && (tests || !needsTests(Map.of(key, "")));
        if (fits && choice.chance(40)) {
          drawn.put(key, choice.any(values));
        }
      });
      more.add(new FuzzVariation("drawn", Map.copyOf(drawn)));
    }
    return with(List.copyOf(more));
  }

  /** The same with what needs no tests of {@code gpu-exec} on the class path. */
  public FuzzConfiguration withoutTests() {
    return with(variations.stream().filter(one -> !needsTests(one.system())).toList());
  }

  /** Whether it has settings that only the tests of {@code gpu-exec} on the class path make true. */
  public boolean needsTests() {
    return needsTests(system);
  }

  private static boolean needsTests(Map<String, String> system) {
    return system.keySet().stream().anyMatch(key -> key.startsWith("aragonite.test."));
  }

  /** Whether they are there. */
  public static boolean hasTests() {
    System.setProperty(BATCH_ROWS, "77");
    try {
      EngineSettings.refresh();
      return EngineSettings.current().sizes().batchRows() == 77;
    } finally {
      System.clearProperty(BATCH_ROWS);
    }
  }

  /** Whether an algorithm is asked of all joins, so that those that cannot be it are refused. */
  boolean forcesJoins() {
    return properties.containsKey("join");
  }

  /** Asks us; null if there are very many rows. */
  interface FuzzAnswer {
    @Nullable FuzzRows get() throws SQLException;
  }

  /** Asks within a variation of the configuration that the process is one of. */
  @Nullable FuzzRows in(FuzzVariation variation, FuzzAnswer answer) throws SQLException {
    variation.system.forEach(System::setProperty);
    try {
      return answer.get();
    } finally {
      variation.system.keySet().forEach(System::clearProperty);
      enter();
    }
  }

  /** Makes the process one of this configuration, until {@link #leave()}. */
  void enter() {
    system.forEach(System::setProperty);
  }

  void leave() {
    system.keySet().forEach(System::clearProperty);
  }

  Connection open(String directory, Path spill, int timeoutSeconds) throws SQLException {
    Properties all = new Properties();
    all.putAll(properties);
    all.setProperty("directory", directory);
    all.setProperty("spill", spill.toString());
    all.setProperty("timeZone", "UTC");
    all.setProperty("timeout", timeoutSeconds + "s");
    return DriverManager.getConnection("jdbc:aragonite:", all);
  }

  /**
   * The URL of a connection with files that statements may write, and little room for spill files; without a limit of time.
   *
   * @param spillLimit bytes of these
   */
  String url(String directory, Path spill, String spillLimit) {
    return properties.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .sorted()
        .collect(
            Collectors.joining(
                ";",
                "jdbc:aragonite:directory=%s;spill=%s;fileAccess=all;spillLimit=%s;".formatted(directory, spill, spillLimit),
                ""));
  }

  @Override
  public String toString() {
    return name;
  }
}
