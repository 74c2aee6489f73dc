package io.aragonite.rules.program;

import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexNode;

/** Projections whose columns need no names. */
final class Projections {
  private Projections() {}

  static RelNode of(RelNode input, List<? extends RexNode> columns) {
    return LogicalProject.create(input, List.of(), columns, (List<String>) null, Set.of());
  }
}
