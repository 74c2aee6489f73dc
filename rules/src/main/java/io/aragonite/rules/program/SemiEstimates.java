package io.aragonite.rules.program;

import io.aragonite.rules.metadata.JoinEstimates;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/** What semi-joins and anti-joins keep. */
final class SemiEstimates {
  /** An anti-join is never estimated to keep less. */
  private static final double LEAST_ANTI = 0.05;

  private SemiEstimates() {}

  /** Whether a condition is an equality of two columns. */
  static boolean isKey(RexNode condition) {
    return condition.isA(SqlKind.EQUALS)
        && ((RexCall) condition).getOperands().stream().allMatch(RexInputRef.class::isInstance);
  }

  /** Rows that are left of {@code leftRows} rows. */
  static double rows(
      JoinGraph graph, int filter, double leftRows, double rightRows, RelMetadataQuery mq) {
    JoinGraph.Leaf inner = graph.leaves().get(filter);
    List<Integer> innerKeys = new ArrayList<>();
    List<RexNode> residual = new ArrayList<>();
    double outer = 1;
    for (RexNode condition : inner.filters()) {
      if (!isKey(condition)) {
        residual.add(condition);
        continue;
      }
      for (RexNode operand : ((RexCall) condition).getOperands()) {
        int column = ((RexInputRef) operand).getIndex();
        if (inner.has(column)) {
          innerKeys.add(column);
        } else {
          JoinGraph.Leaf leaf = graph.leaves().get(graph.leafOf(column));
          outer *= JoinEstimates.distinct(leaf.rel(), mq, JoinGraph.local(leaf, List.of(column)));
        }
      }
    }
    double innerDistinct =
        JoinEstimates.distinct(inner.rel(), mq, JoinGraph.local(inner, innerKeys));
    double matched =
        innerKeys.isEmpty()
            ? 0.5
            : JoinEstimates.matched(Math.max(1, outer), innerDistinct, residual);
    boolean anti = inner.type() == JoinRelType.ANTI;
    return Math.max(1, leftRows * (anti ? Math.max(LEAST_ANTI, 1 - matched) : matched));
  }
}
