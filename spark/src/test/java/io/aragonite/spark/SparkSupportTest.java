package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
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
    var conf = new org.apache.spark.SparkConf(false).set("spark.master", "spark://there:7077");
    assertEquals(128L << 20, ExecutorMemory.bytes(conf));
    conf.set("spark.executor.memoryOverhead", "300m");
    String refused = assertThrows(RuntimeException.class, () -> ExecutorMemory.bytes(conf)).getMessage();
    assertTrue(refused.contains("300 MiB, 44 MiB are left"), refused);
    conf.set("spark.aragonite.memory", "2g");
    assertEquals(2L << 30, ExecutorMemory.bytes(conf));
  }
}
