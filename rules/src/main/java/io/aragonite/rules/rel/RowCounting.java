package io.aragonite.rules.rel;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates over a multi-predicate join whose rows are counted without being made: COUNT, and SUM,
 * MIN and MAX of joined columns, grouped by joined columns or not, as long as the variable that is
 * bound last is none of them. For each combination of the others the join says how many rows there
 * are, which is what its last step counts.
 */
final class RowCounting {
  /** Holds every 64-bit integer. */
  private static final DataType LONG_DIGITS = DataType.decimal(19, 0, false);

  private final GpuAggregate aggregate;
  private final GpuMultiwayJoin join;

  /** For each column of the aggregate's input that of the join, -1 for an expression. */
  private final List<Integer> columns;

  /** Columns of the join that come out beside the count. */
  private final List<Integer> wanted = new ArrayList<>();

  private RowCounting(GpuAggregate aggregate, GpuMultiwayJoin join, List<Integer> columns) {
    this.aggregate = aggregate;
    this.join = join;
    this.columns = columns;
  }

  /** The plan, null if the aggregate is another one. */
  static @Nullable PhysicalPlan of(GpuAggregate aggregate, GpuRelImplementor implementor) {
    RelNode input = aggregate.getInput();
    List<Integer> columns = IntStream.range(0, input.getRowType().getFieldCount()).boxed().toList();
    while (input instanceof GpuProject project) {
      List<RexNode> projects = project.getProjects();
      columns =
          columns.stream()
              .map(column ->
                  column >= 0 && projects.get(column) instanceof RexInputRef ref
                      ? ref.getIndex()
                      : -1)
              .toList();
      input = project.getInput();
    }
    if (!(input instanceof GpuMultiwayJoin join)
        || aggregate.getGroupSets().size() != 1
        || aggregate.getAggCallList().isEmpty()) {
      return null;
    }
    return new RowCounting(aggregate, join, columns).plan(implementor);
  }

  private @Nullable PhysicalPlan plan(GpuRelImplementor implementor) {
    for (int key : aggregate.getGroupSet()) {
      if (!wants(key)) {
        return null;
      }
    }
    for (org.apache.calcite.rel.core.AggregateCall call : aggregate.getAggCallList()) {
      if (call.filterArg >= 0
          || call.isDistinct()
          || !call.getCollation().getFieldCollations().isEmpty()
          || call.getArgList().size() > 1
          || !(call.getArgList().isEmpty() ? isCount(call) : known(call))) {
        return null;
      }
    }
    PhysicalPlan counts = join.implementCounting(implementor, wanted);
    List<DataType> types = new ArrayList<>(counts.types());
    int count = types.size() - 1;
    if (!wanted.isEmpty()) {
      Expr present =
          Expr.call(Op.GT, DataType.BOOLEAN, ref(types, count), Expr.literal(0L, DataType.INT64));
      counts = new PhysicalPlan.Filter(counts, present);
    }
    List<Expr> expressions = new ArrayList<>();
    IntStream.range(0, types.size()).forEach(i -> expressions.add(ref(types, i)));
    List<AggregateCall> calls = new ArrayList<>();
    for (org.apache.calcite.rel.core.AggregateCall call : aggregate.getAggCallList()) {
      calls.add(call(call, types, expressions, count));
    }
    List<Integer> keys =
        aggregate.getGroupSet().asList().stream()
            .map(key -> wanted.indexOf(columns.get(key)))
            .toList();
    PhysicalPlan rows =
        expressions.size() == types.size() ? counts : new PhysicalPlan.Project(counts, expressions);
    return new PhysicalPlan.Aggregate(
        rows,
        keys,
        List.of(IntStream.range(0, keys.size()).boxed().toList()),
        calls,
        false,
        TypeMapping.ofRow(aggregate.getRowType()));
  }

  private static Expr ref(List<DataType> types, int column) {
    return Expr.ref(column, types.get(column));
  }

  private AggregateCall call(
      org.apache.calcite.rel.core.AggregateCall call,
      List<DataType> types,
      List<Expr> expressions,
      int count) {
    DataType type = TypeMapping.of(call.getType());
    if (isCount(call)) {
      return AggregateCall.of(AggregateFunction.SUM0, type, count);
    }
    int argument = wanted.indexOf(columns.get(call.getArgList().get(0)));
    return switch (call.getAggregation().kind) {
      case MIN -> AggregateCall.of(AggregateFunction.MIN, type, argument);
      case MAX -> AggregateCall.of(AggregateFunction.MAX, type, argument);
      default -> {
        boolean zero = call.getAggregation().kind == SqlKind.SUM0;
        // Of 128 bits: rows that are added up need not fit the type of their sum before they are.
        expressions.add(
            Expr.call(
                Op.TIMES,
                DataType.decimal(DataType.MAX_DECIMAL_PRECISION, 0, false),
                Expr.call(Op.CAST, LONG_DIGITS, ref(types, argument)),
                Expr.call(Op.CAST, LONG_DIGITS, ref(types, count))));
        yield AggregateCall.of(
            zero ? AggregateFunction.SUM0 : AggregateFunction.SUM, type, expressions.size() - 1);
      }
    };
  }

  private static boolean isCount(org.apache.calcite.rel.core.AggregateCall call) {
    return call.getAggregation().kind == SqlKind.COUNT;
  }

  /** Whether an aggregate of one column can be had, whose column is wanted then. */
  private boolean known(org.apache.calcite.rel.core.AggregateCall call) {
    int column = call.getArgList().get(0);
    boolean can =
        switch (call.getAggregation().kind) {
          // Joined columns have no nulls.
          case COUNT, MIN, MAX -> true;
          case SUM, SUM0 ->
              columns.get(column) >= 0
                  && typeOf(column).kind().isInteger()
                  && TypeMapping.of(call.getType()).kind() == TypeKind.INT64;
          default -> false;
        };
    return can && wants(column);
  }

  private DataType typeOf(int column) {
    return TypeMapping.of(aggregate.getInput().getRowType().getFieldList().get(column).getType());
  }

  /** Takes a column of the aggregate's input to those that come out, if that can be. */
  private boolean wants(int column) {
    int ofJoin = columns.get(column);
    if (ofJoin < 0 || !join.isBoundBeforeLast(ofJoin)) {
      return false;
    }
    if (!wanted.contains(ofJoin)) {
      wanted.add(ofJoin);
    }
    return true;
  }
}
