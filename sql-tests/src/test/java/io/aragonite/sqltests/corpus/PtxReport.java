package io.aragonite.sqltests.corpus;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How many expressions became kernels on the device {@code ptx} of the tests, and why the others
 * did not, since a time.
 */
final class PtxReport {
  private static final String REPORT = "aragonite.test.ptx.report";

  private final Map<String, Long> before = now();

  @SuppressWarnings("unchecked")
  private static Map<String, Long> now() {
    @Nullable Object report = System.getProperties().get(REPORT);
    return report == null ? Map.of() : ((Supplier<Map<String, Long>>) report).get();
  }

  private Map<String, Long> since() {
    Map<String, Long> since = new TreeMap<>();
    now().forEach((name, count) -> since.put(name, count - before.getOrDefault(name, 0L)));
    since.values().removeIf(count -> count == 0);
    return since;
  }

  /** Predicates and projections. */
  long compiled() {
    return since().getOrDefault("compiled", 0L);
  }

  /** Kernels that were new. */
  long kernels() {
    return since().getOrDefault("kernels", 0L);
  }

  /** Expressions that needed the host, by reason. */
  Map<String, Long> onHost() {
    Map<String, Long> reasons = since();
    reasons.remove("compiled");
    reasons.remove("kernels");
    return reasons;
  }

  @Override
  public String toString() {
    return "%d predicates and projections, %d kernels; on the host: %s"
        .formatted(compiled(), kernels(), onHost());
  }
}
