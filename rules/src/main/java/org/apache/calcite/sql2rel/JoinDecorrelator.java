package org.apache.calcite.sql2rel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's decorrelator with three mends, two of them of wrong answers in 1.41. Where both sides
 * of a join or of a correlation depend on the same column of an outer query, as in {@code (SELECT
 * COUNT(*) FROM b, c WHERE b.k = a.k AND c.k = a.k)}, it brings that column up from both sides and
 * forgets that it must be the same one. Where only the nullable side of an outer join does, it
 * forgets the rows that this side has none for. And a query whose row type it does not keep is an
 * assertion; here such a query keeps its Correlate, as do those that cannot be mended.
 *
 * <p>In Calcite's package, since what a decorrelator knows of a node is visible nowhere else.
 */
public final class JoinDecorrelator extends RelDecorrelator {
  /** Left correlations of which a filter above drops the rows that the right side has none for. */
  private final Set<RelNode> withoutNulls = Collections.newSetFromMap(new IdentityHashMap<>());

  private JoinDecorrelator(CorelMap corelMap, Context context, RelBuilder builder) {
    super(corelMap, context, builder);
  }

  /** The query without correlation, or as it is if it cannot be decorrelated. */
  public static RelNode of(RelNode root, RelBuilder builder) {
    CorelMap correlations = new CorelMapBuilder().build(root);
    if (!correlations.hasCorrelation()) {
      return root;
    }
    JoinDecorrelator decorrelator =
        new JoinDecorrelator(correlations, root.getCluster().getPlanner().getContext(), builder);
    RelNode result = decorrelator.removeCorrelationViaRule(root);
    if (decorrelator.cm.hasCorrelation()) {
      result = decorrelator.decorrelate(result);
    }
    boolean done =
        !new CorelMapBuilder().build(result).hasCorrelation()
            && RelOptUtil.getVariablesUsed(result).isEmpty()
            && root.getRowType().equalsSansFieldNames(result.getRowType());
    return done ? RelOptUtil.propagateRelHints(result, true) : root;
  }

  @Override
  public @Nullable Frame decorrelateRel(
      Join join, boolean isCorVarDefined, boolean parentPropagatesNullValues) {
    Frame frame = super.decorrelateRel(join, isCorVarDefined, parentPropagatesNullValues);
    if (frame == null || !join.getJoinType().projectsRight()) {
      return frame;
    }
    Frame left = map.get(join.getLeft());
    Frame right = map.get(join.getRight());
    if (left == null || right == null) {
      return frame;
    }
    JoinRelType type = join.getJoinType();
    // A row that gets nulls for a side has no value of a column that only this side brings up.
    boolean lost =
        type.generatesNullsOnRight()
                && !left.corDefOutputs.keySet().containsAll(right.corDefOutputs.keySet())
            || type.generatesNullsOnLeft()
                && !right.corDefOutputs.keySet().containsAll(left.corDefOutputs.keySet())
            || type == JoinRelType.FULL && !left.corDefOutputs.isEmpty();
    if (lost) {
      map.remove(join);
      return null;
    }
    NavigableMap<CorDef, Integer> outputs = new TreeMap<>(frame.corDefOutputs);
    if (type.generatesNullsOnRight()) {
      outputs.putAll(left.corDefOutputs);
    }
    return joined(join, frame, left, right, outputs);
  }

  @Override
  public @Nullable Frame decorrelateRel(
      Filter filter, boolean isCorVarDefined, boolean parentPropagatesNullValues) {
    RelNode input = filter.getInput();
    RexNode condition = filter.getCondition();
    while (input instanceof Project project && !project.containsOver()) {
      condition = RelOptUtil.pushPastProject(condition, project);
      input = project.getInput();
    }
    if (input instanceof Correlate correlate && correlate.getJoinType() == JoinRelType.LEFT) {
      int width = correlate.getLeft().getRowType().getFieldCount();
      ImmutableBitSet right = ImmutableBitSet.range(width, correlate.getRowType().getFieldCount());
      if (Strong.isNotTrue(condition, right)) {
        withoutNulls.add(correlate);
      }
    }
    return super.decorrelateRel(filter, isCorVarDefined, parentPropagatesNullValues);
  }

  @Override
  public @Nullable Frame decorrelateRel(
      Correlate correlate, boolean isCorVarDefined, boolean parentPropagatesNullValues) {
    Frame frame = super.decorrelateRel(correlate, isCorVarDefined, parentPropagatesNullValues);
    Frame left = map.get(correlate.getLeft());
    Frame right = map.get(correlate.getRight());
    if (frame == null || left == null || right == null) {
      return frame;
    }
    // Rows that a left join fills with nulls have no value of an outer query's column that only the
    // right side brings up. So somebody must drop them.
    if (correlate.getJoinType() == JoinRelType.LEFT && !withoutNulls.contains(correlate)) {
      for (CorDef outer : right.corDefOutputs.keySet()) {
        if (!outer.corr.equals(correlate.getCorrelationId())
            && !left.corDefOutputs.containsKey(outer)) {
          map.remove(correlate);
          return null;
        }
      }
    }
    return joined(correlate, frame, left, right, new TreeMap<>(frame.corDefOutputs));
  }

  /** The join that a node has become, with the equality of columns that both sides bring up. */
  private @Nullable Frame joined(
      RelNode node, Frame frame, Frame left, Frame right, NavigableMap<CorDef, Integer> outputs) {
    List<RexNode> conditions = new ArrayList<>();
    int width = left.r.getRowType().getFieldCount();
    for (Map.Entry<CorDef, Integer> entry : left.corDefOutputs.entrySet()) {
      Integer place = right.corDefOutputs.get(entry.getKey());
      if (place != null) {
        RexNode leftColumn = RexInputRef.of(entry.getValue(), left.r.getRowType());
        RexNode rightColumn =
            new RexInputRef(width + place, RexInputRef.of(place, right.r.getRowType()).getType());
        conditions.add(relBuilder.isNotDistinctFrom(leftColumn, rightColumn));
      }
    }
    if (conditions.isEmpty()) {
      return frame;
    }
    if (!(frame.r instanceof Join join)) {
      map.remove(node);
      return null;
    }
    conditions.add(0, join.getCondition());
    RelNode mended =
        join.copy(
            join.getTraitSet(),
            RexUtil.composeConjunction(relBuilder.getRexBuilder(), conditions),
            join.getLeft(),
            join.getRight(),
            join.getJoinType(),
            join.isSemiJoinDone());
    return register(node, mended, new HashMap<>(frame.oldToNewOutputs), outputs);
  }
}
