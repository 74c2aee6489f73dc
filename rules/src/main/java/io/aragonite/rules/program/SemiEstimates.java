package io.aragonite.rules.program;

import io.aragonite.rules.metadata.JoinEstimates;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

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

  /** The columns of the graph by which a filter's rows are equal to others: theirs, and its own. */
  static JoinKeys keys(JoinGraph graph, int filter) {
    JoinGraph.JoinLeaf inner = graph.leaves().get(filter);
    List<Integer> outerKeys = new ArrayList<>();
    List<Integer> innerKeys = new ArrayList<>();
    for (RexNode condition : inner.filters()) {
      if (isKey(condition)) {
        int a = ((RexInputRef) ((RexCall) condition).getOperands().get(0)).getIndex();
        int b = ((RexInputRef) ((RexCall) condition).getOperands().get(1)).getIndex();
        if (inner.has(a) != inner.has(b)) {
          innerKeys.add(inner.has(a) ? a : b);
          outerKeys.add(inner.has(a) ? b : a);
        }
      }
    }
    return new JoinKeys(outerKeys, innerKeys);
  }

  /** Rows that are left of {@code leftRows} rows. */
  static double rows(
      JoinGraph graph, int filter, double leftRows, double rightRows, RelMetadataQuery mq) {
    JoinGraph.JoinLeaf inner = graph.leaves().get(filter);
    List<Integer> innerKeys = new ArrayList<>();
    List<Integer> outerKeys = new ArrayList<>();
    Set<Integer> outerLeaves = new HashSet<>();
    double residual = 1;
    for (RexNode condition : inner.filters()) {
      if (!isKey(condition)) {
        residual *= JoinEstimates.residual(condition);
        continue;
      }
      for (RexNode operand : ((RexCall) condition).getOperands()) {
        int column = ((RexInputRef) operand).getIndex();
        if (inner.has(column)) {
          innerKeys.add(column - inner.first());
        } else {
          int leaf = graph.leafOf(column);
          outerLeaves.add(leaf);
          outerKeys.add(column - graph.leaves().get(leaf).first());
        }
      }
    }
    double matched = 0.5;
    if (outerLeaves.size() == 1 && innerKeys.size() == outerKeys.size()) {
      JoinGraph.JoinLeaf outer = graph.leaves().get(outerLeaves.iterator().next());
      matched =
          JoinEstimates.matched(outer.rel(), outerKeys, inner.rel(), innerKeys, mq) * residual;
    } else if (!innerKeys.isEmpty()) {
      double distinct = JoinEstimates.distinct(inner.rel(), mq, ImmutableBitSet.of(innerKeys));
      matched = Math.min(1, distinct / Math.max(1, leftRows)) * residual;
    }
    boolean anti = inner.type() == JoinRelType.ANTI;
    return Math.max(1, leftRows * (anti ? Math.max(LEAST_ANTI, 1 - matched) : matched));
  }
}
