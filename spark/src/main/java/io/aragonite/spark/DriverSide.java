package io.aragonite.spark;

import io.aragonite.exec.memory.JvmDefects;
import io.aragonite.spark.plan.FragmentLog;
import java.util.Arrays;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Begins with the context, before there is a session. */
final class DriverSide implements DriverPlugin {
  /** Bytes of an executor's memory, for its side. */
  static final String BYTES = "memory";

  private static final Logger LOG = LoggerFactory.getLogger(AragonitePlugin.class);
  private static final String EXTENSIONS = "spark.sql.extensions";
  private static final String LISTENERS = "spark.sql.queryExecutionListeners";

  @Override
  public Map<String, String> init(SparkContext context, PluginContext plugin) {
    String refusal =
        SparkSupport.refusal(
            context.version(), scala.util.Properties.versionNumberString(), JvmDefects.found());
    if (refusal != null) {
      LOG.error(refusal);
      return Map.of(AragonitePlugin.WORKS, "false");
    }
    SparkConf conf = context.conf();
    long bytes = ExecutorMemory.bytes(conf);
    add(conf, EXTENSIONS, AragoniteExtensions.class);
    add(conf, LISTENERS, FragmentLog.class);
    // Executors are started later.
    ExecutorFlags.add(conf);
    return Map.of(AragonitePlugin.WORKS, "true", BYTES, String.valueOf(bytes));
  }

  /** Adds a class to those that a setting names. */
  private static void add(SparkConf conf, String setting, Class<?> ours) {
    String known = conf.get(setting, "");
    if (!Arrays.asList(known.split(",", -1)).contains(ours.getName())) {
      conf.set(setting, known.isEmpty() ? ours.getName() : known + "," + ours.getName());
    }
  }
}
