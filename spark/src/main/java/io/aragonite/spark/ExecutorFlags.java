package io.aragonite.spark;

import org.apache.spark.SparkConf;

/**
 * Flags of the JVMs of executors. Each fragment brings loops of its own, which begin in the
 * interpreter; the tasks of an executor begin them all at once. The compiler gets them after a
 * twentieth of the usual rounds, as it does where the engine runs by itself.
 */
final class ExecutorFlags {
  static final String OPTIONS = "spark.executor.extraJavaOptions";

  private static final String SCALING = "CompileThresholdScaling";
  private static final String FLAGS =
      "-XX:CompileCommand=quiet -XX:CompileCommand=" + SCALING + ",*codegen.Generated*::*,0.05";

  private ExecutorFlags() {}

  /** Adds them to what the user has set, who may have thresholds of his own. */
  static void add(SparkConf conf) {
    String known = conf.get(OPTIONS, "");
    if (!known.contains(SCALING)) {
      conf.set(OPTIONS, (known + " " + FLAGS).strip());
    }
  }
}
