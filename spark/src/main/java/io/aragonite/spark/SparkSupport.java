package io.aragonite.spark;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which Spark this jar is made for: its rules use Spark's inner classes, which change. */
final class SparkSupport {
  private static final String SPARK = "4.2.";
  private static final String SCALA = "2.13.";

  private SparkSupport() {}

  /** Why the plugin cannot work with a Spark, a Scala and a JVM's defect; null if it can. */
  static @Nullable String refusal(String spark, String scala, Optional<String> defect) {
    if (!spark.startsWith(SPARK)) {
      return "Aragonite is made for Spark %sx, and this is Spark %s: it runs without Aragonite."
          .formatted(SPARK, spark);
    }
    if (!scala.startsWith(SCALA)) {
      return "Aragonite is made for Scala %sx, and this Spark is built with %s: it runs without Aragonite."
          .formatted(SCALA, scala);
    }
    return defect.map(text -> text + " Until then Spark runs without Aragonite.").orElse(null);
  }
}
