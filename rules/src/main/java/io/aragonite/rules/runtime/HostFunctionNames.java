package io.aragonite.rules.runtime;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WindowCall;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the host functions and host aggregates of a plan. */
final class HostFunctionNames {
  private final Set<String> names = new TreeSet<>();
  private final Collection<PhysicalPlan> without;

  private HostFunctionNames(Collection<PhysicalPlan> without) {
    this.without = without;
  }

  /** The names in a plan, in alphabetical order. */
  static Set<String> of(PhysicalPlan plan) {
    return of(plan, List.of());
  }

  /**
   * The names in a part of a plan.
   *
   * @param without the nodes below which it ends, themselves not part of it
   */
  static Set<String> of(PhysicalPlan plan, Collection<PhysicalPlan> without) {
    HostFunctionNames found = new HostFunctionNames(without);
    found.visit(plan);
    return Collections.unmodifiableSet(found.names);
  }

  @SuppressWarnings("ReferenceEquality") // a node's identity is its key
  private void visit(PhysicalPlan plan) {
    if (without.stream().anyMatch(node -> node == plan)) {
      return;
    }
    switch (plan) {
      case PhysicalPlan.Values values -> values.rows().forEach(this::visit);
      case PhysicalPlan.Filter filter -> visit(filter.predicate());
      case PhysicalPlan.Project project -> visit(project.expressions());
      case PhysicalPlan.Join join -> visit(join.residual());
      case PhysicalPlan.Aggregate aggregate -> aggregate.calls().forEach(this::visit);
      case PhysicalPlan.Window window -> window.calls().forEach(this::visit);
      case PhysicalPlan.Repeat repeat -> {}
      case PhysicalPlan.Scan scan -> {}
      case PhysicalPlan.Series series -> {}
      case PhysicalPlan.RowInput rows -> {}
      case PhysicalPlan.Sort sort -> {}
      case PhysicalPlan.SetOperation set -> {}
      case PhysicalPlan.Recursion recursion -> {}
      case PhysicalPlan.MaterializedCte cte -> {}
      case PhysicalPlan.WorkingRows rows -> {}
      case PhysicalPlan.BatchInput batches -> {}
      case PhysicalPlan.MultiwayJoin join -> {}
      case PhysicalPlan.Exchange exchange -> {}
    }
    plan.inputs().forEach(this::visit);
  }

  private void visit(WindowCall call) {
    if (call.aggregate() != null) {
      visit(call.aggregate());
    }
  }

  /** Operators that stand for a function of SQL have a dollar before its name. */
  private void add(String name) {
    names.add(name.startsWith("$") ? name.substring(1) : name);
  }

  private void visit(AggregateCall call) {
    if (call.host() != null) {
      add(call.name());
    }
  }

  private void visit(List<Expr> expressions) {
    expressions.forEach(this::visit);
  }

  private void visit(@Nullable Expr expression) {
    switch (expression) {
      case null -> {}
      case Expr.HostFunctionCall call -> {
        add(call.name());
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
