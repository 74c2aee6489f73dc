package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class ExecutorFlagsTest {
  private static String after(String known) {
    SparkConf conf = new SparkConf(false).set(ExecutorFlags.OPTIONS, known);
    ExecutorFlags.add(conf);
    return conf.get(ExecutorFlags.OPTIONS);
  }

  @Test
  void areAddedOnceToWhatTheUserHasSet() {
    SparkConf conf = new SparkConf(false);
    ExecutorFlags.add(conf);
    String alone = conf.get(ExecutorFlags.OPTIONS);
    assertTrue(alone.startsWith("-XX:CompileCommand="), alone);
    assertEquals("-Dmine=1 " + alone, after("-Dmine=1"));
    assertEquals(alone, after(alone));
  }

  @Test
  void thresholdsOfTheUserStay() {
    assertEquals("-XX:CompileThresholdScaling=0.1", after("-XX:CompileThresholdScaling=0.1"));
  }
}
