package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.List;

/** Finds functions that look at texts character by character: of bytes that are no UTF-8 they differ from Spark's. */
final class CharacterFunctions {
  /** A character, and what Spark's patterns see in place of bytes that are none. */
  private static final String ONE = "_\uFFFD";

  private CharacterFunctions() {}

  static boolean in(PhysicalPlan plan) {
    boolean here =
        switch (plan) {
          case PhysicalPlan.Filter filter -> in(filter.predicate());
          case PhysicalPlan.Project project -> in(project.expressions());
          case PhysicalPlan.Join join -> {
            Expr residual = join.residual();
            yield residual != null && in(residual);
          }
          case PhysicalPlan other -> false;
        };
    return here || plan.inputs().stream().anyMatch(CharacterFunctions::in);
  }

  private static boolean in(List<Expr> expressions) {
    return expressions.stream().anyMatch(CharacterFunctions::in);
  }

  private static boolean in(Expr expression) {
    return switch (expression) {
      case Expr.HostFunctionCall call -> true;
      case Expr.Call call -> isOne(call) || in(call.args());
      case Expr other -> false;
    };
  }

  private static boolean isOne(Expr.Call call) {
    return switch (call.op()) {
      case CHAR_LENGTH, UPPER, LOWER, SUBSTRING, POSITION, TRIM_BOTH, TRIM_LEADING, TRIM_TRAILING -> true;
      case LIKE ->
          !(call.args().get(1) instanceof Expr.Literal pattern
              && pattern.value() instanceof String text
              && text.chars().noneMatch(c -> ONE.indexOf(c) >= 0));
      default -> false;
    };
  }
}
