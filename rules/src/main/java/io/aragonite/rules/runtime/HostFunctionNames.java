package io.aragonite.rules.runtime;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WindowCall;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the host functions and host aggregates of a plan. */
final class HostFunctionNames {
  private final Set<String> names = new TreeSet<>();

  private HostFunctionNames() {}

  static Set<String> of(PhysicalPlan plan) {
    HostFunctionNames found = new HostFunctionNames();
    found.visit(plan);
    return Set.copyOf(found.names);
  }

  private void visit(PhysicalPlan plan) {
    switch (plan) {
      case PhysicalPlan.Values values -> values.rows().forEach(this::visit);
      case PhysicalPlan.Filter filter -> visit(filter.predicate());
      case PhysicalPlan.Project project -> visit(project.expressions());
      case PhysicalPlan.Join join -> visit(join.residual());
      case PhysicalPlan.Aggregate aggregate -> aggregate.calls().forEach(this::visit);
      case PhysicalPlan.Window window -> window.calls().forEach(this::visit);
      case PhysicalPlan.Scan scan -> {}
      case PhysicalPlan.HostRows rows -> {}
      case PhysicalPlan.Sort sort -> {}
      case PhysicalPlan.SetOperation set -> {}
      case PhysicalPlan.MultiwayJoin join -> {}
    }
    plan.inputs().forEach(this::visit);
  }

  private void visit(WindowCall call) {
    if (call.aggregate() != null) {
      visit(call.aggregate());
    }
  }

  private void visit(AggregateCall call) {
    if (call.host() != null) {
      names.add(call.name());
    }
  }

  private void visit(List<Expr> expressions) {
    expressions.forEach(this::visit);
  }

  private void visit(@Nullable Expr expression) {
    switch (expression) {
      case null -> {}
      case Expr.HostCall call -> {
        names.add(call.name());
        visit(call.args());
      }
      case Expr.Call call -> visit(call.args());
      case Expr.KeyWord word -> visit(word.keys());
      case Expr.InputRef ref -> {}
      case Expr.Literal literal -> {}
      case Expr.Parameter parameter -> {}
    }
  }
}
