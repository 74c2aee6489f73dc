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
import java.util.TreeSet;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's decorrelator with four mends, three of them of wrong answers in 1.41. Where both sides
 * of a join or of a correlation depend on the same column of an outer query, as in {@code (SELECT
 * COUNT(*) FROM b, c WHERE b.k = a.k AND c.k = a.k)}, it brings that column up from both sides and
 * forgets that it must be the same one. Where only the right side of a left join does, it forgets
 * the rows that this side has none for; here the left side is joined with all values of the column
 * first. It takes a column of the left side of a left join for NOT NULL when the join's condition
 * is never true for null, and then drops rows. And a query whose row type it does not keep is an
 * assertion; here such a query keeps its Correlate, as do those that cannot be mended.
 *
 * <p>In Calcite's package, since what a decorrelator knows of a node is visible nowhere else.
 */
public final class JoinDecorrelator extends RelDecorrelator {
  /** Left correlations of which a filter above drops the rows that the right side has none for. */
  private final Set<RelNode> withoutNulls = Collections.newSetFromMap(new IdentityHashMap<>());

  /** The correlations that define the variables met so far. */
  private final Map<CorrelationId, Correlate> definers = new HashMap<>();

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
        type.generatesNullsOnLeft()
                && !right.corDefOutputs.keySet().containsAll(left.corDefOutputs.keySet())
            || type == JoinRelType.FULL
                && !(left.corDefOutputs.isEmpty() && right.corDefOutputs.isEmpty());
    if (lost) {
      map.remove(join);
      return null;
    }
    NavigableMap<CorDef, Integer> outputs = new TreeMap<>(frame.corDefOutputs);
    if (type.generatesNullsOnRight()) {
      Set<CorDef> missing = new TreeSet<>(right.corDefOutputs.keySet());
      missing.removeAll(left.corDefOutputs.keySet());
      if (!missing.isEmpty()) {
        return withAllValues(join, frame, left, right, missing);
      }
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
    definers.put(correlate.getCorrelationId(), correlate);
    Frame frame = super.decorrelateRel(correlate, isCorVarDefined, parentPropagatesNullValues);
    Frame left = map.get(correlate.getLeft());
    Frame right = map.get(correlate.getRight());
    if (frame == null || left == null || right == null) {
      return frame;
    }
    frame = nullSafe(correlate, frame, left, right);
    // Rows that a left join fills with nulls have no value of an outer query's column that only the
    // right side brings up. So somebody must drop them, or the left side must have it too.
    if (correlate.getJoinType() == JoinRelType.LEFT && !withoutNulls.contains(correlate)) {
      Set<CorDef> missing = new TreeSet<>(right.corDefOutputs.keySet());
      missing.removeAll(left.corDefOutputs.keySet());
      missing.removeIf(outer -> outer.corr.equals(correlate.getCorrelationId()));
      if (!missing.isEmpty()) {
        return withAllValues(correlate, frame, left, right, missing);
      }
    }
    return joined(correlate, frame, left, right, new TreeMap<>(frame.corDefOutputs));
  }

  /** The join of a correlation's sides, by equalities for which nulls are equal where there are. */
  private Frame nullSafe(Correlate correlate, Frame frame, Frame left, Frame right) {
    if (!(frame.r instanceof Join join)) {
      return frame;
    }
    int width = left.r.getRowType().getFieldCount();
    List<RexNode> conditions = new ArrayList<>(RelOptUtil.conjunctions(join.getCondition()));
    boolean changed = false;
    for (Map.Entry<CorDef, Integer> entry : right.corDefOutputs.entrySet()) {
      int place = entry.getValue();
      if (!entry.getKey().corr.equals(correlate.getCorrelationId())
          || NullableColumns.isNotNull(right.r, place)) {
        continue;
      }
      for (int i = 0; i < conditions.size(); i++) {
        RexNode condition = conditions.get(i);
        if (condition.isA(SqlKind.EQUALS)
            && ((RexCall) condition)
                .getOperands().stream()
                    .anyMatch(operand ->
                        operand instanceof RexInputRef ref && ref.getIndex() == width + place)) {
          RexCall equality = (RexCall) condition;
          conditions.set(
              i,
              relBuilder.isNotDistinctFrom(
                  equality.getOperands().get(0), equality.getOperands().get(1)));
          changed = true;
        }
      }
    }
    return changed
        ? register(
            correlate,
            copy(join, conditions, join.getLeft()),
            new HashMap<>(frame.oldToNewOutputs),
            new TreeMap<>(frame.corDefOutputs))
        : frame;
  }

  private Join copy(Join join, List<RexNode> conditions, RelNode left) {
    return join.copy(
        join.getTraitSet(),
        RexUtil.composeConjunction(relBuilder.getRexBuilder(), conditions),
        left,
        join.getRight(),
        join.getJoinType(),
        join.isSemiJoinDone());
  }

  /**
   * A left join whose left side is joined with all values of outer columns that only the right side
   * brings up.
   */
  private @Nullable Frame withAllValues(
      RelNode node, Frame frame, Frame left, Frame right, Set<CorDef> missing) {
    if (!(frame.r instanceof Join join)) {
      map.remove(node);
      return null;
    }
    NavigableMap<CorDef, Integer> outputs = new TreeMap<>(left.corDefOutputs);
    int oldWidth = left.r.getRowType().getFieldCount();
    int width = oldWidth;
    RelNode newLeft = left.r;
    Map<CorrelationId, List<CorDef>> byQuery = new TreeMap<>();
    missing.forEach(def -> byQuery.computeIfAbsent(def.corr, id -> new ArrayList<>()).add(def));
    for (Map.Entry<CorrelationId, List<CorDef>> query : byQuery.entrySet()) {
      RelNode definer = definers.get(query.getKey());
      if (definer == null) {
        map.remove(node);
        return null;
      }
      Frame defined = map.get(definer.getInput(0));
      relBuilder.push(defined == null ? definer.getInput(0) : defined.r);
      List<Integer> places = new ArrayList<>();
      for (CorDef def : query.getValue()) {
        Integer place =
            defined == null ? Integer.valueOf(def.field) : defined.oldToNewOutputs.get(def.field);
        if (place == null) {
          relBuilder.build();
          map.remove(node);
          return null;
        }
        places.add(place);
        outputs.put(def, width++);
      }
      RelNode values = relBuilder.project(relBuilder.fields(places)).distinct().build();
      newLeft =
          relBuilder
              .push(newLeft)
              .push(values)
              .join(JoinRelType.INNER, relBuilder.literal(true))
              .build();
    }
    int added = width - oldWidth;
    RexShuttle shift =
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            return ref.getIndex() < oldWidth
                ? ref
                : new RexInputRef(ref.getIndex() + added, ref.getType());
          }
        };
    List<RexNode> conditions = new ArrayList<>(List.of(join.getCondition().accept(shift)));
    for (Map.Entry<CorDef, Integer> entry : outputs.entrySet()) {
      Integer place = right.corDefOutputs.get(entry.getKey());
      if (place != null) {
        conditions.add(
            relBuilder.isNotDistinctFrom(
                RexInputRef.of(entry.getValue(), newLeft.getRowType()),
                new RexInputRef(
                    width + place, RexInputRef.of(place, right.r.getRowType()).getType())));
      }
    }
    Map<Integer, Integer> places = new HashMap<>();
    frame.oldToNewOutputs.forEach(
        (old, place) -> places.put(old, place < oldWidth ? place : place + added));
    return register(node, copy(join, conditions, newLeft), places, outputs);
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
    return register(
        node,
        copy(join, conditions, join.getLeft()),
        new HashMap<>(frame.oldToNewOutputs),
        outputs);
  }
}
