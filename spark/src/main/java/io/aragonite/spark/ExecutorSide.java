package io.aragonite.spark;

import io.aragonite.spark.execution.ExecutorEngine;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;

/** Begins with an executor, before its tasks. */
final class ExecutorSide implements ExecutorPlugin {
  @Override
  public void init(PluginContext plugin, Map<String, String> driver) {
    if (!Boolean.parseBoolean(driver.getOrDefault(AragonitePlugin.WORKS, "false"))) {
      return;
    }
    int cores =
        plugin.conf().getInt("spark.executor.cores", Runtime.getRuntime().availableProcessors());
    ExecutorEngine.open(
        Long.parseLong(driver.getOrDefault(DriverSide.BYTES, "0")), Math.max(1, cores), gpu(plugin));
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
