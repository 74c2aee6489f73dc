package io.aragonite.rules.function;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Calc;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexLocalRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexProgram;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of texts and of floats for Calcite's code, which would compare their ends by UTF-16 units,
 * and find NaN in none of them: they become comparisons, which {@link CheckedCalls} has right ones
 * for.
 */
final class HostSearches {
  private HostSearches() {}

  /** A relation whose expressions are a program, with comparisons. */
  static RelNode expanded(RelNode rel) {
    if (!(rel instanceof Calc calc)
        || calc.getProgram().getExprList().stream().noneMatch(HostSearches::isOrderedOtherwise)) {
      return rel;
    }
    RexBuilder builder = rel.getCluster().getRexBuilder();
    RexProgram program = calc.getProgram();
    RexShuttle comparisons = RexUtil.searchShuttle(builder, null, -1);
    List<RexNode> projects = comparisons.apply(program.expandList(program.getProjectList()));
    RexLocalRef condition = program.getCondition();
    return calc.copy(
        calc.getTraitSet(),
        calc.getInput(),
        RexProgram.create(
            program.getInputRowType(),
            projects,
            condition == null ? null : program.expandLocalRef(condition).accept(comparisons),
            program.getOutputRowType(),
            builder));
  }

  /** A call as comparisons; null if Calcite's code of it is right. */
  static @Nullable RexNode expanded(RexCall call, RexBuilder builder) {
    return isOrderedOtherwise(call) && call.getOperands().get(1) instanceof RexLiteral
        ? RexUtil.expandSearch(builder, null, call)
        : null;
  }

  private static boolean isOrderedOtherwise(RexNode node) {
    if (!(node instanceof RexCall call) || !call.isA(SqlKind.SEARCH)) {
      return false;
    }
    RelDataType type = call.getOperands().getFirst().getType();
    return SqlTypeUtil.inCharFamily(type) || SqlTypeUtil.isApproximateNumeric(type);
  }
}
