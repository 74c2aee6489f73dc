package io.aragonite.spark;

import io.aragonite.exec.memory.JvmDefects;
import io.aragonite.spark.execution.ExecutorEngine;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.resource.ResourceInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aragonite in Spark: {@code spark.plugins=io.aragonite.spark.AragonitePlugin} is all that it needs.
 * The driver's side puts fragments into plans, the executors' side opens the engine that runs them.
 */
public final class AragonitePlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(AragonitePlugin.class);
  private static final String EXTENSIONS = "spark.sql.extensions";
  private static final String WORKS = "works";
  private static final String BYTES = "memory";

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverSide();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new ExecutorSide();
  }

  /** Begins with the context, before there is a session. */
  private static final class DriverSide implements DriverPlugin {
    @Override
    public Map<String, String> init(SparkContext context, PluginContext plugin) {
      String refusal =
          SparkSupport.refusal(
              context.version(), scala.util.Properties.versionNumberString(), JvmDefects.found());
      if (refusal != null) {
        LOG.error(refusal);
        return Map.of(WORKS, "false");
      }
      SparkConf conf = context.conf();
      long bytes = ExecutorMemory.bytes(conf);
      String ours = AragoniteExtensions.class.getName();
      String known = conf.get(EXTENSIONS, "");
      if (!Arrays.asList(known.split(",", -1)).contains(ours)) {
        conf.set(EXTENSIONS, known.isEmpty() ? ours : known + "," + ours);
      }
      return Map.of(WORKS, "true", BYTES, String.valueOf(bytes));
    }
  }

  /** Begins with an executor, before its tasks. */
  private static final class ExecutorSide implements ExecutorPlugin {
    @Override
    public void init(PluginContext plugin, Map<String, String> driver) {
      if (!Boolean.parseBoolean(driver.getOrDefault(WORKS, "false"))) {
        return;
      }
      int cores =
          plugin.conf().getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
      ExecutorEngine.open(
          Long.parseLong(driver.getOrDefault(BYTES, "0")), Math.max(1, cores), gpu(plugin));
    }

    /** The first of the GPUs that are this executor's. */
    private static OptionalInt gpu(PluginContext plugin) {
      ResourceInformation gpus = plugin.resources().get("gpu");
      return gpus == null || gpus.addresses().length == 0
          ? OptionalInt.empty()
          : OptionalInt.of(Integer.parseInt(gpus.addresses()[0]));
    }

    @Override
    public void shutdown() {
      ExecutorEngine.close();
    }
  }
}
