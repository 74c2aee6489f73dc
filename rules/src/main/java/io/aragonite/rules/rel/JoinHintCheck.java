package io.aragonite.rules.rel;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.rules.cost.HostTables;
import io.aragonite.rules.hint.JoinHints;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.jspecify.annotations.Nullable;

/** Whether the joins of a finished plan are what hints and the connection ask for. */
public final class JoinHintCheck {
  private JoinHintCheck() {}

  /**
   * Looks whether every hint came to something.
   *
   * @throws AragoniteException JOIN_UNSUPPORTED, with the reason, if one did not
   */
  public static void check(JoinHints hints, RelNode plan) {
    if (hints.hints().isEmpty()) {
      return;
    }
    List<Join> joins = joins(plan);
    for (JoinHints.Hint hint : hints.hints()) {
      List<Join> meant = joins.stream().filter(hint::names).toList();
      boolean done =
          meant.stream().anyMatch(join -> join instanceof GpuJoin own && follows(own, hint));
      if (!done) {
        throw new AragoniteException(
            ErrorCode.JOIN_UNSUPPORTED,
            "The hint %s cannot be followed: %s. Leave it out, or name another join."
                .formatted(hint.text(), reason(hint, meant)));
      }
    }
  }

  /** Whether a join that a hint names is as it says; tables in host memory alone can be refused. */
  private static boolean follows(GpuJoin join, JoinHints.Hint hint) {
    return join.algorithm() != JoinAlgorithm.NESTED_LOOP
        && (hint.algorithm() != JoinAlgorithm.HOST_SORT_MERGE
            || join.algorithm() == hint.algorithm());
  }

  private static String reason(JoinHints.Hint hint, List<Join> meant) {
    if (meant.isEmpty()) {
      return "the plan has no such join";
    }
    if (hint.algorithm() == JoinAlgorithm.HOST_SORT_MERGE
        && meant.getFirst() instanceof GpuJoin join
        && join.algorithm() != JoinAlgorithm.NESTED_LOOP) {
      return "that join cannot be done in host memory, since " + HostTables.refusal(join);
    }
    return meant.stream().anyMatch(GpuJoin.class::isInstance)
        ? "that join has no equality between its two sides, so it is a nested loop"
        : "that join does not run on the device (EXPLAIN PLAN FOR says why)";
  }

  /**
   * Looks whether a plan's joins can be what the connection asks of all of them. A side of one row,
   * as scalar subqueries have, is compared with the other in any way: no algorithm has anything to
   * do there.
   *
   * @param forced the algorithm; null: none is asked for
   * @throws AragoniteException JOIN_UNSUPPORTED if a join has no equality
   */
  public static void checkForced(@Nullable JoinAlgorithm forced, RelNode plan) {
    if (forced == null) {
      return;
    }
    RelMetadataQuery mq = plan.getCluster().getMetadataQuery();
    for (Join join : joins(plan)) {
      if (join instanceof GpuJoin own
          && own.algorithm() == JoinAlgorithm.NESTED_LOOP
          && !oneRow(mq, own.getLeft())
          && !oneRow(mq, own.getRight())) {
        throw new AragoniteException(
            ErrorCode.JOIN_UNSUPPORTED,
            ("join=%s cannot be followed for the join of %s with %s: it has no equality between its"
                    + " two sides, so it is a nested loop. Leave the property out, and name other"
                    + " joins by hints.")
                .formatted(
                    forced.shortName().toLowerCase(Locale.ROOT),
                    named(own.getLeft()),
                    named(own.getRight())));
      }
    }
  }

  private static boolean oneRow(RelMetadataQuery mq, RelNode side) {
    Double most = mq.getMaxRowCount(side);
    return most != null && most <= 1;
  }

  private static String named(RelNode side) {
    Set<String> tables = JoinHints.tables(side);
    return tables.isEmpty() ? "rows" : String.join(", ", new TreeSet<>(tables));
  }

  private static List<Join> joins(RelNode plan) {
    List<Join> joins = new ArrayList<>();
    collect(plan, joins);
    return joins;
  }

  private static void collect(RelNode rel, List<Join> joins) {
    if (rel instanceof Join join) {
      joins.add(join);
    }
    rel.getInputs().forEach(input -> collect(input, joins));
  }
}
