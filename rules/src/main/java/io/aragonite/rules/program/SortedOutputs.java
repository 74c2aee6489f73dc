package io.aragonite.rules.program;

import io.aragonite.rules.rel.GpuJoin;
import io.aragonite.rules.rel.GpuProject;
import io.aragonite.rules.rel.GpuSort;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelFieldCollation.Direction;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexInputRef;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out sorts by the key of a sort-merge join right below: the join declares the order of its
 * output as a trait, and the engine keeps to it, by sorting if it joins another way after all.
 */
final class SortedOutputs {
  private SortedOutputs() {}

  /** The plan without such sorts. */
  static RelNode use(RelNode rel) {
    if (rel instanceof GpuSort sort && sort.offset == null && sort.fetch == null) {
      List<RelFieldCollation> keys = sort.getCollation().getFieldCollations();
      if (keys.size() == 1 && keys.getFirst().getDirection() == Direction.ASCENDING) {
        RelNode input = sorted(sort.getInput(), keys.getFirst());
        if (input != null) {
          return use(input);
        }
      }
    }
    List<RelNode> inputs = new ArrayList<>();
    boolean same = true;
    for (RelNode input : rel.getInputs()) {
      RelNode used = use(input);
      same &= used.equals(input);
      inputs.add(used);
    }
    return same ? rel : rel.copy(rel.getTraitSet(), inputs);
  }

  /** The same rows in an order, if they have it as they are; else null. */
  private static @Nullable RelNode sorted(RelNode rel, RelFieldCollation key) {
    RelCollation order = RelCollations.of(key);
    int column = key.getFieldIndex();
    if (rel instanceof GpuProject project
        && project.getProjects().get(column) instanceof RexInputRef ref) {
      RelNode input = sorted(project.getInput(), key.withFieldIndex(ref.getIndex()));
      return input == null
          ? null
          : project.copy(
              project.getTraitSet().replace(order),
              input,
              project.getProjects(),
              project.getRowType());
    }
    if (rel instanceof GpuJoin join && join.sortedBy(column)) {
      return join.copy(
          join.getTraitSet().replace(order),
          join.getCondition(),
          join.getLeft(),
          join.getRight(),
          join.getJoinType(),
          join.isSemiJoinDone());
    }
    return null;
  }
}
