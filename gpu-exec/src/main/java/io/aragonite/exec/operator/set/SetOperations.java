package io.aragonite.exec.operator.set;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.operator.RepeatOperator;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.operator.aggregate.Aggregation;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Set operations other than UNION ALL, in terms of other operators: the inputs are put together,
 * each row with a 1 in the column of its input and a 0 in those of the others; grouping counts how
 * often each input has the row; and the counts say whether, or how often, it comes out.
 */
public final class SetOperations {
  private static final DataType COUNT = DataType.INT64;

  private SetOperations() {}

  public static PipelineHead compile(PlanCompiler compiler, SetOperation operation) {
    if (operation.kind() == SetOperation.SetOperationKind.UNION) {
      PipelineHead all =
          UnionAll.of(
              operation.inputs().stream().map(compiler::compile).toList(), operation.types());
      return operation.all() ? all : Aggregation.distinct(compiler, operation, all);
    }
    Expr times = times(operation);
    Expr wanted = Expr.call(Op.GT, DataType.BOOLEAN, times, Expr.literal(0L, COUNT));
    PhysicalPlan chosen = new Filter(counted(operation), wanted);
    List<Expr> output = refs(operation.types());
    if (!operation.all()) {
      return compiler.compile(new Project(chosen, output));
    }
    output.add(times);
    PipelineHead rows = compiler.compile(new Project(chosen, output));
    return rows.then(RepeatOperator.of(rows.shapes()));
  }

  /** Distinct rows, and behind their columns a count an input. */
  private static PhysicalPlan counted(SetOperation operation) {
    List<DataType> types = new ArrayList<>(operation.types());
    operation.inputs().forEach(input -> types.add(COUNT));
    List<PhysicalPlan> marked = new ArrayList<>();
    for (int i = 0; i < operation.inputs().size(); i++) {
      PhysicalPlan input = operation.inputs().get(i);
      List<Expr> columns = refs(input.types());
      for (int k = 0; k < operation.inputs().size(); k++) {
        columns.add(Expr.literal(k == i ? 1L : 0L, COUNT));
      }
      marked.add(new Project(input, columns));
    }
    SetOperation all = new SetOperation(SetOperation.SetOperationKind.UNION, true, marked, types);
    return grouped(all, operation.types(), operation.inputs().size());
  }

  private static Aggregate grouped(PhysicalPlan input, List<DataType> types, int counts) {
    List<Integer> keys = IntStream.range(0, types.size()).boxed().toList();
    List<AggregateCall> calls = new ArrayList<>();
    List<DataType> output = new ArrayList<>(types);
    for (int i = 0; i < counts; i++) {
      calls.add(AggregateCall.of(AggregateFunction.SUM0, COUNT, types.size() + i));
      output.add(COUNT);
    }
    return new Aggregate(input, keys, List.of(keys), calls, false, output);
  }

  /** How often a row comes out; for a distinct operation whether (more than 0) it does. */
  private static Expr times(SetOperation operation) {
    int first = operation.types().size();
    int inputs = operation.inputs().size();
    Expr times = Expr.ref(first, COUNT);
    for (int i = 1; i < inputs; i++) {
      Expr count = Expr.ref(first + i, COUNT);
      if (operation.kind() == SetOperation.SetOperationKind.INTERSECT) {
        times = Expr.call(Op.LEAST, COUNT, times, count);
      } else if (operation.all()) {
        times = Expr.call(Op.MINUS, COUNT, times, count);
      } else {
        // One row of the others is enough to take away all of the first's.
        Expr none = Expr.call(Op.EQ, DataType.BOOLEAN, count, Expr.literal(0L, COUNT));
        times = Expr.call(Op.CASE, COUNT, none, times, Expr.literal(0L, COUNT));
      }
    }
    return times;
  }

  private static List<Expr> refs(List<DataType> types) {
    List<Expr> refs = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      refs.add(Expr.ref(i, types.get(i)));
    }
    return refs;
  }
}
