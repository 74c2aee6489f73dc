package io.aragonite.rules.program;

import io.aragonite.rules.function.FloatExtremes;
import io.aragonite.rules.translate.Untranslatable;
import io.aragonite.rules.translate.WindowTranslator;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.logical.LogicalWindow;
import org.apache.calcite.sql.SqlAggFunction;

/** MIN and MAX of doubles in windows that Calcite's code runs, which passes over NaN. */
final class WindowExtremes extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalWindow window && !isOurs(window)
        ? LogicalWindow.create(
            window.getTraitSet(),
            window.getInput(),
            window.constants,
            window.getRowType(),
            window.groups.stream().map(WindowExtremes::group).toList())
        : rel;
  }

  private static boolean isOurs(Window window) {
    try {
      new WindowTranslator(window).check();
      return true;
    } catch (Untranslatable e) {
      return false;
    }
  }

  private static Window.Group group(Window.Group group) {
    List<Window.RexWinAggCall> calls = new ArrayList<>();
    for (Window.RexWinAggCall call : group.aggCalls) {
      SqlAggFunction function = (SqlAggFunction) call.getOperator();
      calls.add(
          new Window.RexWinAggCall(
              call.getParserPosition(),
              FloatExtremes.of(function, call.getType().getSqlTypeName()),
              call.getType(),
              call.getOperands(),
              call.ordinal,
              call.distinct,
              call.ignoreNulls));
    }
    return new Window.Group(
        group.keys,
        group.isRows,
        group.lowerBound,
        group.upperBound,
        group.exclude,
        group.orderKeys,
        calls);
  }
}
