package io.aragonite.rules.metadata;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.hep.HepRelVertex;
import org.apache.calcite.plan.volcano.RelSubset;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.mapping.Mappings;
import org.jspecify.annotations.Nullable;

/**
 * Where the key columns of a side of a join come from, and what became of their table's rows since.
 *
 * @param table whose columns they are
 * @param columns their positions there
 * @param filter what rows of the table had to satisfy, over its columns; null: nothing
 * @param filterShare the share of the table's rows that satisfy it
 * @param kept the share of these rows that other joins and groupings have left, as far as these
 *     removed rows, but for {@code limits}
 * @param limits semi-joins by these keys
 */
record KeySource(
    TableData table,
    List<Integer> columns,
    @Nullable RexNode filter,
    double filterShare,
    double kept,
    List<KeySource.Limit> limits) {
  /**
   * A semi-join.
   *
   * @param by where its other side's keys come from; null if that is not known
   * @param share what it has left of the rows
   */
  record Limit(@Nullable KeySource by, double share) {}

  /**
   * The share of the rows that is left of those with the keys that another source has: a semi-join
   * by these very keys has left all of them, as one does that limits a grouping to what it meets
   * later.
   */
  double keptOf(KeySource other) {
    double share = kept;
    for (Limit limit : limits) {
      share *= limit.by != null && limit.by.hasKeysOf(other) ? 1 : limit.share;
    }
    return share;
  }

  /** Whether a semi-join has left only rows whose keys another source has. */
  boolean isLimitedTo(KeySource other) {
    return limits.stream().anyMatch(limit -> limit.by != null && other.hasKeysOf(limit.by));
  }

  private boolean hasKeysOf(KeySource other) {
    return table.equals(other.table)
        && columns.equals(other.columns)
        && Objects.equals(filter, other.filter)
        && kept >= other.kept
        && limits.isEmpty();
  }

  /** Follows columns to their table; null if they come from several, or are computed. */
  static @Nullable KeySource of(RelNode rel, List<Integer> columns, RelMetadataQuery mq) {
    return columns.isEmpty() ? null : follow(rel, columns, List.of(), 1, new ArrayList<>(), mq);
  }

  /** The filter for samples; null if there is none or it cannot be tried. */
  @Nullable Expr predicate(RexBuilder builder) {
    RexNode condition = filter;
    return condition == null ? null : SampledPredicates.translated(builder, condition);
  }

  private static @Nullable KeySource follow(
      RelNode rel,
      List<Integer> columns,
      List<RexNode> conditions,
      double kept,
      List<Limit> limits,
      RelMetadataQuery mq) {
    StopCheck.current().check();
    return switch (rel) {
      case RelSubset subset ->
          follow(subset.getBestOrOriginal(), columns, conditions, kept, limits, mq);
      case HepRelVertex vertex ->
          follow(vertex.getCurrentRel(), columns, conditions, kept, limits, mq);
      case TableScan scan -> scanned(scan, columns, conditions, kept, limits, mq);
      case Filter filter -> {
        List<RexNode> all = new ArrayList<>(conditions);
        all.addAll(RelOptUtil.conjunctions(filter.getCondition()));
        yield follow(filter.getInput(), columns, all, kept, limits, mq);
      }
      case Project project -> {
        List<Integer> below = new ArrayList<>();
        for (int column : columns) {
          if (!(project.getProjects().get(column) instanceof RexInputRef ref)) {
            yield null;
          }
          below.add(ref.getIndex());
        }
        List<RexNode> pushed = RelOptUtil.pushPastProject(conditions, project);
        yield follow(project.getInput(), below, pushed, kept, limits, mq);
      }
      case Join join -> joined(join, columns, conditions, kept, limits, mq);
      case Aggregate aggregate -> grouped(aggregate, columns, conditions, kept, limits, mq);
      case EquivalentRel equivalent -> {
        List<Integer> theirs = equivalent.equivalentColumns();
        Mappings.TargetMapping mapping =
            Mappings.source(theirs, equivalent.equivalent().getRowType().getFieldCount());
        yield follow(
            equivalent.equivalent(),
            columns.stream().map(theirs::get).toList(),
            RexUtil.apply(mapping, conditions),
            kept,
            limits,
            mq);
      }
      default -> null;
    };
  }

  private static @Nullable KeySource scanned(
      TableScan scan,
      List<Integer> columns,
      List<RexNode> conditions,
      double kept,
      List<Limit> limits,
      RelMetadataQuery mq) {
    TableData table = scan.getTable().unwrap(TableData.class);
    if (table == null) {
      return null;
    }
    if (conditions.isEmpty()) {
      return new KeySource(table, columns, null, 1, kept, List.copyOf(limits));
    }
    RexNode filter = RexUtil.composeConjunction(scan.getCluster().getRexBuilder(), conditions);
    Double share = mq.getSelectivity(scan, filter);
    return new KeySource(
        table, columns, filter, share == null ? 1 : share, kept, List.copyOf(limits));
  }

  private static @Nullable KeySource joined(
      Join join,
      List<Integer> columns,
      List<RexNode> conditions,
      double kept,
      List<Limit> limits,
      RelMetadataQuery mq) {
    int width = join.getLeft().getRowType().getFieldCount();
    boolean left = columns.getFirst() < width;
    if (columns.stream().anyMatch(column -> column < width != left)) {
      return null;
    }
    RelNode side = left ? join.getLeft() : join.getRight();
    int offset = left ? 0 : width;
    List<RexNode> ours = new ArrayList<>();
    double others = 1;
    for (RexNode condition : conditions) {
      boolean here =
          RelOptUtil.InputFinder.bits(condition).asSet().stream()
              .allMatch(column ->
                  column >= offset && column < offset + side.getRowType().getFieldCount());
      if (here) {
        ours.add(shifted(condition, -offset));
      } else {
        others *= 0.5;
      }
    }
    double rows = JoinEstimates.rows(side, mq);
    List<Integer> below = columns.stream().map(column -> column - offset).toList();
    double share = Math.min(1, JoinEstimates.rows(join, mq) / rows);
    JoinInfo keys = JoinEstimates.keys(join);
    if (join.getJoinType() == JoinRelType.SEMI && keys.leftKeys.containsAll(below)) {
      List<Integer> theirs =
          below.stream().map(key -> keys.rightKeys.get(keys.leftKeys.indexOf(key))).toList();
      limits.add(new Limit(of(join.getRight(), theirs, mq), share));
      share = 1;
    }
    RexNode bounds = bounds(join, keys, left, mq);
    if (bounds != null) {
      ours.add(bounds);
      Double within = mq.getSelectivity(side, bounds);
      share = within == null ? share : Math.min(1, share / within);
    }
    return follow(side, below, ours, kept * share * others, limits, mq);
  }

  /** What bounds of the other side's keys leave of a side's rows; null if they leave most. */
  private static @Nullable RexNode bounds(
      Join join, JoinInfo keys, boolean left, RelMetadataQuery mq) {
    boolean drops =
        switch (join.getJoinType()) {
          case INNER, SEMI -> true;
          case LEFT -> !left;
          case RIGHT -> left;
          default -> false;
        };
    if (!drops || keys.leftKeys.size() != 1) {
      return null;
    }
    int ofLeft = keys.leftKeys.getFirst();
    int ofRight = keys.rightKeys.getFirst();
    return left
        ? KeyStatistics.withinBounds(join.getLeft(), ofLeft, join.getRight(), ofRight, mq)
        : KeyStatistics.withinBounds(join.getRight(), ofRight, join.getLeft(), ofLeft, mq);
  }

  private static RexNode shifted(RexNode node, int by) {
    return by == 0
        ? node
        : node.accept(
            new RexShuttle() {
              @Override
              public RexNode visitInputRef(RexInputRef ref) {
                return new RexInputRef(ref.getIndex() + by, ref.getType());
              }
            });
  }

  private static @Nullable KeySource grouped(
      Aggregate aggregate,
      List<Integer> columns,
      List<RexNode> conditions,
      double kept,
      List<Limit> limits,
      RelMetadataQuery mq) {
    int keys = aggregate.getGroupCount();
    if (aggregate.getGroupSets().size() > 1 || columns.stream().anyMatch(c -> c >= keys)) {
      return null;
    }
    double share = 1;
    for (RexNode condition : conditions) {
      Double selected = mq.getSelectivity(aggregate, condition);
      share *= selected == null ? 0.5 : selected;
    }
    List<Integer> below = columns.stream().map(aggregate.getGroupSet()::nth).toList();
    return follow(aggregate.getInput(), below, List.of(), kept * share, limits, mq);
  }
}
