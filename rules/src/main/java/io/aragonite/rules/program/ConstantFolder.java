package io.aragonite.rules.program;

import io.aragonite.exec.expr.Expr;
import io.aragonite.rules.translate.CalciteValues;
import io.aragonite.rules.translate.RexTranslator;
import io.aragonite.rules.translate.RuntimeValues;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;

/**
 * Computes constant parts of conditions (dates plus intervals, above all), so that their
 * selectivity can be estimated. The engine's own reference semantics computes them; what fails is
 * left for the execution to fail on.
 */
final class ConstantFolder extends RexShuttle {
  private final RexBuilder rexBuilder;

  ConstantFolder(RexBuilder rexBuilder) {
    this.rexBuilder = rexBuilder;
  }

  @Override
  public RexNode visitCall(RexCall call) {
    if (call.isA(SqlKind.SEARCH) || call.isA(SqlKind.CAST) && isLiteral(call)) {
      return call;
    }
    RexNode node = super.visitCall(call);
    if (node instanceof RexCall like && isLikeNull(like)) {
      return rexBuilder.makeNullLiteral(call.getType());
    }
    if (!(node instanceof RexCall folded)
        || !folded.getOperands().stream().allMatch(RexLiteral.class::isInstance)
        || !RexUtil.isDeterministic(folded)
        || folded.getOperator().isDynamicFunction()) {
      return node;
    }
    return fold(folded);
  }

  /** Calcite's simplifier takes a constant pattern for a text without looking whether it is one. */
  private static boolean isLikeNull(RexCall call) {
    return (call.isA(SqlKind.LIKE) || call.isA(SqlKind.SIMILAR))
        && call.getOperands().stream().anyMatch(operand -> RexUtil.isNullLiteral(operand, true));
  }

  private static boolean isLiteral(RexCall call) {
    return call.getOperands().get(0) instanceof RexLiteral;
  }

  private RexNode fold(RexCall call) {
    try {
      RexTranslator translator = new RexTranslator(rexBuilder, new RuntimeValues());
      Expr expr = translator.translate(call);
      if (!(expr instanceof Expr.Call)) {
        return call;
      }
      Object value = ConstantExecutor.evaluate(expr);
      if (value == null) {
        return rexBuilder.makeNullLiteral(call.getType());
      }
      Object form = CalciteValues.literalForm(value, call.getType());
      return rexBuilder.makeLiteral(form, call.getType(), false, false);
    } catch (RuntimeException e) {
      // Division by zero and the like: an error of the execution, if the row is ever reached.
      return call;
    }
  }
}
