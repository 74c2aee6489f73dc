package io.aragonite.exec.join;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.util.Locale;

/**
 * The algorithm that the system property {@code aragonite.join} asks for in place of the plan's:
 * auto (the plan's own), nphj, phj or smj. Joins without an equality keep theirs.
 */
final class ForcedJoin {
  private static final String PROPERTY = "aragonite.join";

  private ForcedJoin() {}

  /** Whether an algorithm is asked for. */
  static boolean given() {
    return !System.getProperty(PROPERTY, "auto").equalsIgnoreCase("auto");
  }

  /**
   * The algorithm to use.
   *
   * @throws AragoniteException INVALID_PROPERTY
   */
  static JoinAlgorithm instead(JoinAlgorithm planned, boolean hasKeys) {
    String wanted = System.getProperty(PROPERTY, "auto").toLowerCase(Locale.ROOT);
    if (planned == JoinAlgorithm.NESTED_LOOP || !hasKeys) {
      return planned;
    }
    return switch (wanted) {
      case "auto" -> planned;
      case "nphj" -> JoinAlgorithm.NON_PARTITIONED_HASH;
      case "phj" -> JoinAlgorithm.PARTITIONED_HASH;
      case "smj" -> JoinAlgorithm.SORT_MERGE;
      default ->
          throw new AragoniteException(
              ErrorCode.INVALID_PROPERTY,
              "The system property %s=%s is not valid; give auto, nphj, phj or smj."
                  .formatted(PROPERTY, wanted));
    };
  }
}
