package io.aragonite.exec.join;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import org.jspecify.annotations.Nullable;

/**
 * The algorithm that is asked for in place of the plan's: by the connection property {@code join},
 * or by the system property {@code aragonite.join} if that says nothing. Joins without an equality
 * keep theirs, as do those whose algorithm the statement names.
 */
final class ForcedJoin {
  private static final String PROPERTY = "aragonite.join";

  private ForcedJoin() {}

  /**
   * The algorithm asked for; null for none.
   *
   * @param connection what the connection asks for; null for nothing
   * @throws AragoniteException INVALID_PROPERTY
   */
  static @Nullable JoinAlgorithm wanted(@Nullable JoinAlgorithm connection) {
    if (connection != null) {
      return connection;
    }
    String name = System.getProperty(PROPERTY, "auto");
    try {
      return JoinAlgorithm.named(name);
    } catch (IllegalArgumentException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "The system property %s=%s is not valid; give auto, nphj, phj or smj."
              .formatted(PROPERTY, name),
          e);
    }
  }

  /** The algorithm to use. */
  static JoinAlgorithm instead(@Nullable JoinAlgorithm connection, Join plan) {
    JoinAlgorithm forced = wanted(connection);
    boolean settled = plan.expected() != null && plan.expected().settled();
    boolean open =
        !settled && plan.algorithm() != JoinAlgorithm.NESTED_LOOP && !plan.keys().isEmpty();
    return open && forced != null ? forced : plan.algorithm();
  }
}
