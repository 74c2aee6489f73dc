package io.aragonite.rules.metadata;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * How many rows joins have: of all pairs of rows those with equal keys, from sketches of both sides
 * where there are any, else |L| * |R| / max(distinct keys).
 */
public final class JoinEstimates {
  /** What a condition over both sides that is no equality keeps. */
  static final double RESIDUAL = 0.33;

  /** What a condition keeps that only says that two values differ. */
  static final double DIFFERENT = 0.9;

  private JoinEstimates() {}

  /** Rows of a relational expression, at least one. */
  public static double rows(RelNode rel, RelMetadataQuery mq) {
    Double rows = mq.getRowCount(rel);
    return rows == null ? 100 : Math.max(1, rows);
  }

  /** Distinct combinations of columns, at least one, guessed if unknown. */
  public static double distinct(RelNode rel, RelMetadataQuery mq, ImmutableBitSet columns) {
    double rows = rows(rel, mq);
    if (columns.isEmpty()) {
      return 1;
    }
    Double distinct = mq.getDistinctRowCount(rel, columns, null);
    return distinct == null ? Math.pow(rows, 0.75) : Math.clamp(distinct, 1, rows);
  }

  /** What a condition that is no equality of columns keeps. */
  public static double residual(RexNode condition) {
    return switch (condition.getKind()) {
      case NOT_EQUALS, IS_DISTINCT_FROM -> DIFFERENT;
      case EQUALS -> 0.1;
      case OR -> 0.5;
      default -> condition.isAlwaysTrue() ? 1 : RESIDUAL;
    };
  }

  /** The keys of a join: equalities of columns, also those in which nulls are equal. */
  public static JoinInfo keys(Join join) {
    return JoinInfo.of(join.getLeft(), join.getRight(), join.getCondition());
  }

  /**
   * Rows of a join, computed. Only the handler of the row count calls it: {@link #rows} asks the
   * metadata query, which remembers. It has a name of its own, so that no overload is taken for the
   * other one.
   */
  static double computeJoinRows(Join join, RelMetadataQuery mq) {
    double left = rows(join.getLeft(), mq);
    double right = rows(join.getRight(), mq);
    JoinInfo info = keys(join);
    double residual = residual(info);
    double equal =
        info.leftKeys.isEmpty()
            ? 1
            : equalPairs(join.getLeft(), info.leftKeys, join.getRight(), info.rightKeys, mq);
    double inner = left * right * equal * residual;
    boolean projects = join.getJoinType().projectsRight();
    double matched =
        info.leftKeys.isEmpty()
            ? Math.min(1, residual * right)
            : projects
                ? 1
                : matched(join.getLeft(), info.leftKeys, join.getRight(), info.rightKeys, mq)
                    * residual;
    return Math.max(
        1,
        switch (join.getJoinType()) {
          case LEFT -> Math.max(left, inner + unmatched(join, true, residual, mq));
          case RIGHT -> Math.max(right, inner + unmatched(join, false, residual, mq));
          case FULL ->
              Math.max(
                  Math.max(left, right),
                  inner
                      + unmatched(join, true, residual, mq)
                      + unmatched(join, false, residual, mq));
          case SEMI -> left * matched;
          case ANTI -> left * (1 - Math.min(matched, 0.95));
          default -> inner;
        });
  }

  private static double residual(JoinInfo info) {
    double residual = 1;
    for (RexNode condition : info.nonEquiConditions) {
      residual *= residual(condition);
    }
    return residual;
  }

  /** Rows of a join that have a row of one side; that of others is nulls. */
  public static double rowsOfSide(Join join, boolean left, RelMetadataQuery mq) {
    boolean padded =
        left
            ? join.getJoinType().generatesNullsOnLeft()
            : join.getJoinType().generatesNullsOnRight();
    double others = padded ? unmatched(join, !left, residual(keys(join)), mq) : 0;
    return rows(join, mq) - others;
  }

  /** Rows of a side that come out without a partner. */
  private static double unmatched(Join join, boolean ofLeft, double residual, RelMetadataQuery mq) {
    JoinInfo info = keys(join);
    RelNode side = ofLeft ? join.getLeft() : join.getRight();
    RelNode other = ofLeft ? join.getRight() : join.getLeft();
    double matched =
        info.leftKeys.isEmpty()
            ? residual * rows(other, mq)
            : residual
                * matched(
                    side,
                    ofLeft ? info.leftKeys : info.rightKeys,
                    other,
                    ofLeft ? info.rightKeys : info.leftKeys,
                    mq);
    return rows(side, mq) * (1 - Math.min(matched, 1));
  }

  /** The share of all pairs of rows of two sides that have equal keys. */
  public static double equalPairs(
      RelNode left,
      List<Integer> leftKeys,
      RelNode right,
      List<Integer> rightKeys,
      RelMetadataQuery mq) {
    return equalPairs(left, leftKeys, rows(left, mq), right, rightKeys, rows(right, mq), mq);
  }

  /**
   * The same of sides of which one may be limited to rows that have a partner by other columns.
   *
   * @param leftRows rows of the left side before that, of which no more can have different keys
   * @param rightRows the same of the right side
   */
  public static double equalPairs(
      RelNode left,
      List<Integer> leftKeys,
      double leftRows,
      RelNode right,
      List<Integer> rightKeys,
      double rightRows,
      RelMetadataQuery mq) {
    double ofLeft = distinct(left, mq, ImmutableBitSet.of(leftKeys));
    double ofRight = distinct(right, mq, ImmutableBitSet.of(rightKeys));
    // Seen from the rows that look their keys up where each is once, or nearly so.
    boolean fromLeft = ofRight / rows(right, mq) >= ofLeft / rows(left, mq);
    KeyStatistics keys =
        fromLeft
            ? KeyStatistics.of(right, rightKeys, left, leftKeys, mq)
            : KeyStatistics.of(left, leftKeys, right, rightKeys, mq);
    if (!keys.known()) {
      return contained(left, leftKeys, ofLeft, right, rightKeys, ofRight, mq);
    }
    // A sample may see more keys than there are rows.
    double distinct = keys.buildDistinct(fromLeft ? ofRight : ofLeft);
    return keys.matchRatio(0, 0) / Math.min(fromLeft ? rightRows : leftRows, distinct);
  }

  /**
   * The same where nothing is known of the values: the side with fewer keys has keys of the other
   * one. Where each side has more values of some column than the other one, neither can: rows with
   * values that the other side does not have are left out, column by column.
   */
  private static double contained(
      RelNode left,
      List<Integer> leftKeys,
      double ofLeft,
      RelNode right,
      List<Integer> rightKeys,
      double ofRight,
      RelMetadataQuery mq) {
    double keptLeft = 1;
    double keptRight = 1;
    if (leftKeys.size() > 1) {
      for (int i = 0; i < leftKeys.size(); i++) {
        double a = values(left, leftKeys.get(i), mq);
        double b = values(right, rightKeys.get(i), mq);
        keptLeft *= a > b && b > 0 ? b / a : 1;
        keptRight *= b > a && a > 0 ? a / b : 1;
      }
    }
    return keptLeft < 1 && keptRight < 1
        ? keptLeft * keptRight / Math.max(1, Math.max(ofLeft * keptLeft, ofRight * keptRight))
        : 1 / Math.max(ofLeft, ofRight);
  }

  /** Distinct values of a column, whatever filters have left of its table's; -1 if unknown. */
  private static double values(RelNode rel, int column, RelMetadataQuery mq) {
    double all = ColumnStatisticsFinder.find(rel, mq, column).distinct();
    Double left = all >= 1 ? null : mq.getDistinctRowCount(rel, ImmutableBitSet.of(column), null);
    return all >= 1 ? all : left == null ? -1 : Math.max(1, left);
  }

  /** The share of left rows with an equal key on the right. */
  public static double matched(
      RelNode left,
      List<Integer> leftKeys,
      RelNode right,
      List<Integer> rightKeys,
      RelMetadataQuery mq) {
    return KeyStatistics.of(right, rightKeys, left, leftKeys, mq)
        .matchRatio(
            distinct(right, mq, ImmutableBitSet.of(rightKeys)),
            distinct(left, mq, ImmutableBitSet.of(leftKeys)));
  }
}
