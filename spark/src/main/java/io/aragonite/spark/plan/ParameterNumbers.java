package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.ArrayList;
import java.util.List;

/** Gives the parameters of subqueries their numbers, which are behind those of all inputs. */
final class ParameterNumbers {
  private final int inputs;

  ParameterNumbers(int inputs) {
    this.inputs = inputs;
  }

  PhysicalPlan apply(PhysicalPlan plan) {
    return switch (plan) {
      case PhysicalPlan.Filter filter ->
          new PhysicalPlan.Filter(
              apply(filter.input()), apply(filter.predicate()), filter.expected());
      case PhysicalPlan.Project project ->
          new PhysicalPlan.Project(apply(project.input()), apply(project.expressions()));
      case PhysicalPlan.Aggregate node ->
          new PhysicalPlan.Aggregate(
              apply(node.input()),
              node.keys(),
              node.groupingSets(),
              node.calls(),
              node.groupingIds(),
              node.types(),
              node.expected());
      case PhysicalPlan.Sort sort ->
          new PhysicalPlan.Sort(apply(sort.input()), sort.keys(), sort.offset(), sort.fetch());
      case PhysicalPlan.Join join -> {
        Expr residual = join.residual();
        yield new PhysicalPlan.Join(
            apply(join.left()),
            apply(join.right()),
            join.joinType(),
            join.keys(),
            residual == null ? null : apply(residual),
            join.algorithm(),
            join.buildLeft(),
            join.types(),
            join.expected());
      }
      case PhysicalPlan.Window window ->
          new PhysicalPlan.Window(
              apply(window.input()),
              window.partitionBy(),
              window.orderBy(),
              window.frame(),
              window.calls());
      case PhysicalPlan other -> other;
    };
  }

  private List<Expr> apply(List<Expr> expressions) {
    List<Expr> applied = new ArrayList<>();
    expressions.forEach(expression -> applied.add(apply(expression)));
    return applied;
  }

  private Expr apply(Expr expression) {
    return switch (expression) {
      case Expr.Parameter parameter ->
          parameter.index() < 0
              ? new Expr.Parameter(inputs - parameter.index() - 1, parameter.type())
              : parameter;
      case Expr.Call call -> new Expr.Call(call.op(), apply(call.args()), call.type());
      case Expr.HostFunctionCall call ->
          new Expr.HostFunctionCall(
              call.name(), call.function(), apply(call.args()), call.deterministic(), call.type());
      case Expr other -> other;
    };
  }
}
