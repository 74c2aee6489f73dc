package io.aragonite.rules.metadata;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.ReflectiveRelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMdDistinctRowCount;
import org.apache.calcite.rel.metadata.RelMdUtil;
import org.apache.calcite.rel.metadata.RelMetadataProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.Sarg;
import org.jspecify.annotations.Nullable;

/** Distinct values of columns, from column statistics. */
public final class GpuRelMdDistinctRowCount extends RelMdDistinctRowCount {
  /** Where Calcite finds it. */
  public static final RelMetadataProvider SOURCE =
      ReflectiveRelMetadataProvider.reflectiveSource(
          new GpuRelMdDistinctRowCount(), BuiltInMetadata.DistinctRowCount.Handler.class);

  /** Rows of the largest table whose values of several columns are counted together. */
  private static final int LOOKED_AT = 1 << 17;

  /** Values that several columns could have, at most, where they are not counted together. */
  private static final int FEW = 64;

  /** Parts of an OR that are looked at one by one. */
  private static final int MOST_WAYS = 16;

  private GpuRelMdDistinctRowCount() {}

  @Override
  public @Nullable Double getDistinctRowCount(
      TableScan scan, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    double rows = scan.estimateRowCount(mq);
    double selected = rows * new SelectivityEstimator(scan, mq).estimate(predicate);
    List<RexNode> terms = RelOptUtil.conjunctions(predicate);
    Double found = values(scan, mq, groupKey, points(terms), selected);
    List<List<RexNode>> ways = ways(terms);
    if (found == null || ways.size() < 2) {
      return found;
    }
    double sum = 0;
    for (List<RexNode> way : ways) {
      Double values = values(scan, mq, groupKey, points(way), selected);
      sum += values == null ? found : values;
    }
    return Math.min(found, sum);
  }

  /**
   * Values of columns in the rows of a table that a predicate leaves.
   *
   * @param points how many values the predicate lists of a column
   * @param selected the rows
   */
  private static @Nullable Double values(
      TableScan scan,
      RelMetadataQuery mq,
      ImmutableBitSet columns,
      Map<Integer, Integer> points,
      double selected) {
    double rows = scan.estimateRowCount(mq);
    double product = 1;
    double listed = 1;
    double most = 1;
    List<Integer> open = new ArrayList<>();
    for (int column : columns) {
      double distinct = ColumnStatisticsFinder.find(scan, mq, column).distinct();
      Integer few = points.get(column);
      if (few != null) {
        listed *= distinct < 0 ? few : Math.clamp(distinct, 1, few);
        continue;
      }
      if (distinct < 0) {
        boolean unique = RelMdUtil.areColumnsDefinitelyUnique(mq, scan, columns);
        return unique ? Double.valueOf(Math.max(1, selected)) : null;
      }
      product *= Math.max(1, distinct);
      most = Math.max(most, distinct);
      open.add(column);
    }
    if (open.size() > 1 && product > FEW && most < rows / 2 && rows <= LOOKED_AT) {
      TableData table = scan.getTable().unwrap(TableData.class);
      KeySketch together = table == null ? null : table.keySketch(open);
      product = together == null ? product : Math.clamp(together.distinct(), most, product);
    }
    double left = remaining(Math.min(product, rows), rows, selected);
    return Math.max(1, Math.min(left * listed, selected));
  }

  /** The predicate's first OR spread: what rows of each of its ways satisfy; else no ways. */
  private static List<List<RexNode>> ways(List<RexNode> terms) {
    for (RexNode term : terms) {
      List<RexNode> either = RelOptUtil.disjunctions(term);
      if (either.size() > 1 && either.size() <= MOST_WAYS) {
        return either.stream()
            .map(way -> {
              List<RexNode> all = new ArrayList<>(terms);
              all.remove(term);
              all.addAll(RelOptUtil.conjunctions(way));
              return all;
            })
            .toList();
      }
    }
    return List.of();
  }

  /** How many values the terms of a predicate list of columns, where they do. */
  private static Map<Integer, Integer> points(List<RexNode> terms) {
    Map<Integer, Integer> points = new HashMap<>();
    for (RexNode term : terms) {
      if (!(term instanceof RexCall call)
          || call.getOperands().size() != 2
          || !(call.getOperands().get(0) instanceof RexInputRef column)
          || !(call.getOperands().get(1) instanceof RexLiteral value)) {
        continue;
      }
      Sarg<?> values = term.isA(SqlKind.SEARCH) ? value.getValueAs(Sarg.class) : null;
      if (term.isA(SqlKind.EQUALS) || values != null && values.isPoints()) {
        int few = Math.max(1, values == null ? 1 : values.pointCount);
        points.merge(column.getIndex(), few, Math::min);
      }
    }
    return points;
  }

  /**
   * How many of {@code distinct} values are left when {@code selected} of {@code rows} rows are:
   * each value is lost with all its {@code rows / distinct} rows only.
   */
  static double remaining(double distinct, double rows, double selected) {
    if (selected >= rows || distinct <= 1 || rows <= 0) {
      return Math.min(distinct, Math.max(1, selected));
    }
    double kept = selected / rows;
    double perValue = Math.max(1, rows / distinct);
    return Math.min(selected, distinct * (1 - Math.pow(1 - kept, perValue)));
  }

  @Override
  public @Nullable Double getDistinctRowCount(
      Join rel, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    int width = rel.getLeft().getRowType().getFieldCount();
    ImmutableBitSet leftKey = groupKey.intersect(ImmutableBitSet.range(width));
    ImmutableBitSet rightKey = groupKey.except(leftKey).shift(-width);
    JoinInfo keys = JoinEstimates.keys(rel);
    RelNode a = rel.getLeft();
    RelNode b = rel.getRight();
    Double left =
        rel.getJoinType() == JoinRelType.SEMI
            ? partnered(a, leftKey, keys.leftKeys, b, keys.rightKeys, mq)
            : distinct(a, mq, leftKey);
    Double right = distinct(b, mq, rightKey);
    Double rows = mq.getRowCount(rel);
    if (left == null || right == null || rows == null) {
      return null;
    }
    double selected = rows * new SelectivityEstimator(rel, mq).estimate(predicate);
    if (rel.getJoinType() == JoinRelType.INNER && !keys.leftKeys.isEmpty()) {
      left = joined(a, left, keys.leftKeys, b, keys.rightKeys, selected, mq);
      right = joined(b, right, keys.rightKeys, a, keys.leftKeys, selected, mq);
    }
    return Math.max(1, Math.min(left * right, selected));
  }

  /**
   * How many of a side's {@code distinct} values come out of a join: not those of which all rows
   * are lost, and of a side with one row for each key no more than the other side has keys.
   */
  private static double joined(
      RelNode side,
      double distinct,
      List<Integer> keys,
      RelNode other,
      List<Integer> otherKeys,
      double selected,
      RelMetadataQuery mq) {
    if (distinct <= 1) {
      return distinct;
    }
    double left = remaining(distinct, JoinEstimates.rows(side, mq), selected);
    if (!Boolean.TRUE.equals(mq.areColumnsUnique(side, ImmutableBitSet.of(keys)))) {
      return left;
    }
    Double theirs = distinct(other, mq, ImmutableBitSet.of(otherKeys));
    return theirs == null ? left : Math.min(left, theirs);
  }

  /** Of columns of a side all of whose rows have partners: their keys are among the partners'. */
  private static @Nullable Double partnered(
      RelNode side,
      ImmutableBitSet columns,
      List<Integer> keys,
      RelNode other,
      List<Integer> otherKeys,
      RelMetadataQuery mq) {
    Double all = distinct(side, mq, columns);
    ImmutableBitSet joined = ImmutableBitSet.of(keys);
    if (all == null || joined.isEmpty() || !columns.contains(joined)) {
      return all;
    }
    Double theirs = distinct(other, mq, ImmutableBitSet.of(otherKeys));
    Double rest = distinct(side, mq, columns.except(joined));
    return theirs == null || rest == null ? all : Double.valueOf(Math.min(all, theirs * rest));
  }

  /** Counts of groups are few, whatever is counted. */
  @Override
  public @Nullable Double getDistinctRowCount(
      Aggregate rel, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    ImmutableBitSet keys = groupKey.intersect(ImmutableBitSet.range(rel.getGroupCount()));
    ImmutableBitSet calls = groupKey.except(keys);
    boolean counts =
        calls.asList().stream()
            .map(call -> rel.getAggCallList().get(call - rel.getGroupCount()))
            .allMatch(call -> call.getAggregation().getKind() == SqlKind.COUNT);
    if (predicate != null || calls.isEmpty() || !counts || rel.getGroupCount() == 0) {
      return super.getDistinctRowCount(rel, mq, groupKey, predicate);
    }
    Double ofKeys = distinct(rel, mq, keys);
    double different = Math.pow(GroupTails.counts(rel, mq), calls.cardinality());
    return ofKeys == null
        ? null
        : Double.valueOf(Math.clamp(ofKeys * different, 1, JoinEstimates.rows(rel, mq)));
  }

  /** What is computed has no more values than the columns that it is computed of. */
  @Override
  public @Nullable Double getDistinctRowCount(
      Project rel, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    if (predicate != null || groupKey.isEmpty()) {
      return super.getDistinctRowCount(rel, mq, groupKey, predicate);
    }
    RelNode input = rel.getInput();
    ImmutableBitSet.Builder columns = ImmutableBitSet.builder();
    double computed = 1;
    for (int column : groupKey) {
      RexNode expression = rel.getProjects().get(column);
      if (expression instanceof RexInputRef ref) {
        columns.set(ref.getIndex());
      } else if (!RexUtil.isDeterministic(expression) || RexOver.containsOver(expression)) {
        return super.getDistinctRowCount(rel, mq, groupKey, null);
      } else {
        Double values = distinct(input, mq, RelOptUtil.InputFinder.bits(expression));
        double parts = parts(expression, input, mq);
        if (values == null && parts < 0) {
          return super.getDistinctRowCount(rel, mq, groupKey, null);
        }
        computed *= values == null ? parts : parts < 0 ? values : Math.min(values, parts);
      }
    }
    Double referred = distinct(input, mq, columns.build());
    Double rows = mq.getRowCount(rel);
    return referred == null || rows == null
        ? null
        : Double.valueOf(Math.max(1, Math.min(referred * computed, rows)));
  }

  /** How many values a part of a time has (the years of a date, say); negative if unknown. */
  private static double parts(RexNode expression, RelNode input, RelMetadataQuery mq) {
    if (!(expression instanceof RexCall call)
        || !expression.isA(SqlKind.EXTRACT)
        || !(call.getOperands().getFirst() instanceof RexLiteral unit)) {
      return -1;
    }
    return switch (unit.getValueAs(TimeUnitRange.class)) {
      case YEAR -> years(call.getOperands().get(1), input, mq);
      case QUARTER -> 4;
      case MONTH -> 12;
      case WEEK -> 53;
      case DAY -> 31;
      case DOW, ISODOW -> 7;
      case DOY -> 366;
      case HOUR -> 24;
      case MINUTE, SECOND -> 60;
      case null, default -> -1;
    };
  }

  private static double years(RexNode date, RelNode input, RelMetadataQuery mq) {
    if (!(date instanceof RexInputRef ref) || date.getType().getSqlTypeName() != SqlTypeName.DATE) {
      return -1;
    }
    ColumnStatistics days = ColumnStatisticsFinder.find(input, mq, ref.getIndex());
    Double min = days.min();
    Double max = days.max();
    return min == null || max == null
        ? -1
        : 1
            + LocalDate.ofEpochDay(max.longValue()).getYear()
            - LocalDate.ofEpochDay(min.longValue()).getYear();
  }

  private static @Nullable Double distinct(
      RelNode rel, RelMetadataQuery mq, ImmutableBitSet columns) {
    return columns.isEmpty() ? Double.valueOf(1) : mq.getDistinctRowCount(rel, columns, null);
  }

  public @Nullable Double getDistinctRowCount(
      DistinctRowsRel rel,
      RelMetadataQuery mq,
      ImmutableBitSet groupKey,
      @Nullable RexNode predicate) {
    return filtered((double) rel.rows(), rel, mq, predicate);
  }

  /** Of the input's columns as many as there; of others nothing is known. */
  public @Nullable Double getDistinctRowCount(
      RepeatedRowsRel rel,
      RelMetadataQuery mq,
      ImmutableBitSet groupKey,
      @Nullable RexNode predicate) {
    return groupKey.length() <= rel.kept()
        ? filtered(distinct(rel.getInput(0), mq, groupKey), rel, mq, predicate)
        : null;
  }

  /** As many as in the plan that stands for the relation, and no more than it has rows. */
  public @Nullable Double getDistinctRowCount(
      EquivalentRel rel,
      RelMetadataQuery mq,
      ImmutableBitSet groupKey,
      @Nullable RexNode predicate) {
    ImmutableBitSet columns =
        ImmutableBitSet.of(groupKey.asList().stream().map(rel.equivalentColumns()::get).toList());
    return filtered(distinct(rel.equivalent(), mq, columns), rel, mq, predicate);
  }

  /** How many of a relation's distinct values are left by a predicate; null if nothing is known. */
  private static @Nullable Double filtered(
      @Nullable Double distinct, RelNode rel, RelMetadataQuery mq, @Nullable RexNode predicate) {
    Double rows = mq.getRowCount(rel);
    Double kept = mq.getSelectivity(rel, predicate);
    return distinct == null || rows == null || kept == null
        ? null
        : Double.valueOf(remaining(Math.min(distinct, rows), rows, Math.max(1, rows * kept)));
  }

  @Override
  public @Nullable Double getDistinctRowCount(
      RelSubset rel, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    return mq.getDistinctRowCount(rel.getBestOrOriginal(), groupKey, predicate);
  }

  @Override
  public @Nullable Double getDistinctRowCount(
      RelNode rel, RelMetadataQuery mq, ImmutableBitSet groupKey, @Nullable RexNode predicate) {
    return groupKey.isEmpty()
        ? Double.valueOf(1)
        : super.getDistinctRowCount(rel, mq, groupKey, predicate);
  }
}
