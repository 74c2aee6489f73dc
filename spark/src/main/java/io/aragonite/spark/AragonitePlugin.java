package io.aragonite.spark;

import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aragonite in Spark: {@code spark.plugins=io.aragonite.spark.AragonitePlugin} is all that it needs.
 * The driver's side puts fragments into plans, the executors' side opens the engine that runs them.
 *
 * <p>Compiled for the oldest Java that Spark runs on, alone of this module's classes: an older Java
 * than theirs is told of, where it could only fail to load them.
 */
public final class AragonitePlugin implements SparkPlugin {
  /** Of what the driver's side tells the executors': whether there are fragments. */
  static final String WORKS = "works";

  private static final Logger LOG = LoggerFactory.getLogger(AragonitePlugin.class);
  private static final int JAVA = 25;

  private final int java;

  public AragonitePlugin() {
    this(Runtime.version().feature());
  }

  /**
   * @param java the release of the JVM
   */
  AragonitePlugin(int java) {
    this.java = java;
  }

  @Override
  public DriverPlugin driverPlugin() {
    return java < JAVA ? new OldDriver(java) : new DriverSide();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return java < JAVA ? new OldExecutor(java) : new ExecutorSide();
  }

  /** Spark runs as if there was no plugin. */
  private static final class OldDriver implements DriverPlugin {
    private final int java;

    OldDriver(int java) {
      this.java = java;
    }

    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
      LOG.error(
          "Aragonite needs Java {}, and this is Java {}: Spark runs without Aragonite.", JAVA, java);
      return Map.of(WORKS, "false");
    }
  }

  /** An executor whose driver makes fragments that it cannot run. */
  private static final class OldExecutor implements ExecutorPlugin {
    private final int java;

    OldExecutor(int java) {
      this.java = java;
    }

    @Override
    public void init(PluginContext plugin, Map<String, String> driver) {
      if (Boolean.parseBoolean(driver.getOrDefault(WORKS, "false"))) {
        throw new IllegalStateException(
            String.format(
                "Aragonite needs Java %d, and executor %s has Java %d, other than the driver; name a newer"
                    + " one with spark.executorEnv.JAVA_HOME.",
                JAVA, plugin.executorID(), java));
      }
    }
  }
}
