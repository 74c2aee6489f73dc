package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.lang.reflect.ClassFileFormatVersion;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.junit.jupiter.api.Test;

/** What the plugin refuses when Spark starts. */
class SparkSupportTest {
  @Test
  void otherSparksAndSettingsThatCannotWorkAreRefused() {
    assertEquals(null, SparkSupport.refusal("4.2.0", "2.13.18", Optional.empty()));
    assertTrue(SparkSupport.refusal("3.5.1", "2.13.8", Optional.empty()).contains("this is Spark 3.5.1"));
    assertTrue(
        SparkSupport.refusal("4.2.1", "3.3.0", Optional.empty()).contains("built with 3.3.0"));
    assertEquals(
        "Bad JVM. Until then Spark runs without Aragonite.",
        SparkSupport.refusal("4.2.1", "2.13.18", Optional.of("Bad JVM.")));
    var conf = new SparkConf(false).set("spark.master", "spark://there:7077");
    assertEquals(128L << 20, ExecutorMemory.bytes(conf));
    conf.set("spark.executor.memoryOverhead", "300m");
    String refused = assertThrows(RuntimeException.class, () -> ExecutorMemory.bytes(conf)).getMessage();
    assertTrue(refused.contains("300 MiB, 44 MiB are left"), refused);
    conf.set("spark.aragonite.memory", "2g");
    assertEquals(2L << 30, ExecutorMemory.bytes(conf));
  }

  @Test
  void onAnOlderJavaSparkRunsWithoutFragments() throws Exception {
    AragonitePlugin old = new AragonitePlugin(17);
    SparkConf conf = new SparkConf(false).setMaster("local[1]").setAppName("old");
    conf.set("spark.ui.enabled", "false");
    try (var context = new org.apache.spark.api.java.JavaSparkContext(conf)) {
      Map<String, String> told = old.driverPlugin().init(context.sc(), null);
      assertEquals("", conf.get("spark.sql.extensions", ""));
      old.executorPlugin().init(null, told);
    }
    PluginContext executor =
        (PluginContext)
            Proxy.newProxyInstance(
                PluginContext.class.getClassLoader(),
                new Class<?>[] {PluginContext.class},
                (proxy, method, args) -> method.getName().equals("executorID") ? "7" : null);
    String refused =
        assertThrows(
                IllegalStateException.class,
                () -> old.executorPlugin().init(executor, Map.of(AragonitePlugin.WORKS, "true")))
            .getMessage();
    assertTrue(refused.contains("executor 7 has Java 17"), refused);
  }

  @Test
  void thePluginIsLoadedByEachJavaThatSparkRunsOn() throws Exception {
    try (InputStream in = AragonitePlugin.class.getResourceAsStream("AragonitePlugin.class")) {
      byte[] bytes = in.readAllBytes();
      assertEquals(ClassFileFormatVersion.RELEASE_17.major(), bytes[7]);
    }
  }
}
