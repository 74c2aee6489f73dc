package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.RelationColumn;
import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The order of work of a multi-predicate join: each variable is bound in all relations that have
 * it, then a row is chosen in those relations whose rows matter, or matter several times.
 */
final class JoinSteps {
  /**
   * A relation's part in a step.
   *
   * @param level of its trie; the number of levels for its rows
   */
  record StepRelation(int relation, int level) {}

  /**
   * A comparison of a step's variable with an earlier one.
   *
   * @param kind how the step's variable must compare
   */
  record VariableBound(TrieBound.BoundKind kind, int variable) {}

  /**
   * A step.
   *
   * @param variable that is bound, -1 where rows are chosen
   * @param keptRelations whose positions are wanted afterwards
   * @param keptVariables whose values are wanted afterwards
   */
  record Step(
      int variable,
      List<StepRelation> parts,
      List<VariableBound> comparisons,
      BitSet keptRelations,
      BitSet keptVariables) {}

  private JoinSteps() {}

  /**
   * The steps of a join.
   *
   * @param tries one a relation
   */
  static List<Step> of(MultiwayJoin node, List<Trie> tries) {
    List<List<StepRelation>> parts = new ArrayList<>();
    for (int v = 0; v < node.variables(); v++) {
      parts.add(new ArrayList<>());
    }
    BitSet output = new BitSet();
    node.outputs().stream().map(RelationColumn::relation).forEach(output::set);
    for (int r = 0; r < tries.size(); r++) {
      List<VariableKey> keys = node.keys().get(r);
      for (int level = 0; level < keys.size(); level++) {
        parts.get(keys.get(level).variable()).add(new StepRelation(r, level));
      }
      if (!tries.get(r).unique() && !node.counted()) {
        parts.add(List.of(new StepRelation(r, keys.size())));
      }
    }
    List<List<VariableBound>> comparisons = comparisons(node);
    List<Step> steps = new ArrayList<>();
    for (int i = parts.size() - 1; i >= 0; i--) {
      BitSet relations = new BitSet();
      BitSet variables = new BitSet();
      if (i == parts.size() - 1) {
        relations.or(output);
        if (node.counted()) {
          for (int r = 0; r < tries.size(); r++) {
            if (!tries.get(r).unique()) {
              relations.set(r);
            }
          }
        }
      } else {
        // What the next step wants, or passes on.
        Step next = steps.getFirst();
        relations.or(next.keptRelations);
        variables.or(next.keptVariables);
        if (next.variable >= 0) {
          variables.clear(next.variable);
        }
        for (StepRelation part : next.parts) {
          relations.set(part.relation, part.level > 0);
        }
        next.comparisons.forEach(comparison -> variables.set(comparison.variable));
      }
      boolean binds = i < node.variables();
      steps.addFirst(
          new Step(
              binds ? i : -1,
              parts.get(i),
              binds ? comparisons.get(i) : List.of(),
              relations,
              variables));
    }
    return steps;
  }

  private static List<List<VariableBound>> comparisons(MultiwayJoin node) {
    List<List<VariableBound>> result = new ArrayList<>();
    for (int v = 0; v < node.variables(); v++) {
      result.add(new ArrayList<>());
    }
    for (VariableComparison c : node.comparisons()) {
      boolean leftLater = c.left() > c.right();
      int later = leftLater ? c.left() : c.right();
      int earlier = leftLater ? c.right() : c.left();
      TrieBound.BoundKind kind =
          switch (c.op()) {
            case LT -> leftLater ? TrieBound.BoundKind.LESS : TrieBound.BoundKind.GREATER;
            case LE ->
                leftLater
                    ? TrieBound.BoundKind.LESS_OR_EQUAL
                    : TrieBound.BoundKind.GREATER_OR_EQUAL;
            case GT -> leftLater ? TrieBound.BoundKind.GREATER : TrieBound.BoundKind.LESS;
            case GE ->
                leftLater
                    ? TrieBound.BoundKind.GREATER_OR_EQUAL
                    : TrieBound.BoundKind.LESS_OR_EQUAL;
            case NE -> TrieBound.BoundKind.DIFFERENT;
            default -> throw new IllegalArgumentException(c.op() + " of variables");
          };
      result.get(later).add(new VariableBound(kind, earlier));
    }
    return result;
  }
}
