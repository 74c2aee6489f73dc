package io.aragonite.spark.execution;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkArithmeticException;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** The engine's errors as those that Spark's own operators throw. */
final class SparkErrors {
  private static final String ANSI = "\"spark.sql.ansi.enabled\"";

  private SparkErrors() {}

  /** What work gives; errors of values are Spark's. */
  static <T extends @Nullable Object> T translate(Supplier<T> work) {
    try {
      return work.get();
    } catch (AragoniteException e) {
      if (e.code() == ErrorCode.DIVISION_BY_ZERO) {
        throw with("DIVIDE_BY_ZERO", Map.of("config", ANSI), e);
      }
      if (e.code() == ErrorCode.NUMERIC_OVERFLOW) {
        String message = String.valueOf(e.getMessage());
        throw with(
            "ARITHMETIC_OVERFLOW",
            Map.of("message", message, "alternative", "", "config", ANSI),
            e);
      }
      throw e;
    }
  }

  private static RuntimeException with(
      String condition, Map<String, String> parameters, AragoniteException cause) {
    SparkArithmeticException error =
        new SparkArithmeticException(
            condition,
            scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(parameters)),
            new QueryContext[0],
            "");
    error.initCause(cause);
    return error;
  }
}
