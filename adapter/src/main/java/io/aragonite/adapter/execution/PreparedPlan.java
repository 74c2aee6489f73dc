package io.aragonite.adapter.execution;

import io.aragonite.rules.rel.FallbackReasons;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.core.TableScan;
import org.jspecify.annotations.Nullable;

/**
 * What a statement was planned to be.
 *
 * @param root the plan
 * @param query the whole plan as the engine's, null if a part of it stays in Calcite
 * @param fallbacks the parts that stay in Calcite
 * @param leftOut steps of planning that were left out when its budget was spent
 * @param cacheable whether the plan can be used again
 * @param described whether it is not planned yet, but only described: its parameters have no values
 */
public record PreparedPlan(
    RelRoot root,
    @Nullable GpuQuery query,
    List<FallbackReasons.Fallback> fallbacks,
    List<String> leftOut,
    boolean cacheable,
    boolean described) {
  /** Adds the full names of the tables that it reads. */
  void addTables(Set<String> tables) {
    addTables(root.rel, tables);
  }

  private static void addTables(RelNode rel, Set<String> tables) {
    if (rel instanceof TableScan scan) {
      tables.add(String.join(".", scan.getTable().getQualifiedName()));
    }
    rel.getInputs().forEach(input -> addTables(input, tables));
  }
}
