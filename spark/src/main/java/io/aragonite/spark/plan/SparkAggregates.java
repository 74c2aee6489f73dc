package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitAndAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitOrAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitXorAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.Complete$;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.Final$;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Partial$;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec;
import org.jspecify.annotations.Nullable;

/**
 * Spark's aggregates as ours: columns that are grouped and aggregated, the engine's calls, and then
 * Spark's buffers (of a partial aggregate) or results made of what comes out. Buffers are those of
 * Spark's own functions, so that either side of an exchange may be Spark's.
 */
final class SparkAggregates {
  private static final DataType BOOLEAN = DataType.BOOLEAN.withNullable(true);

  private final ExpressionTranslator input;
  private final SubqueryValues subqueries;
  private final int keys;

  /** Columns of the engine's aggregate: keys, then arguments. */
  private final List<Expr> columns;

  private final List<AggregateCall> calls = new ArrayList<>();
  private final CentralMoments moments;

  private SparkAggregates(
      PhysicalPlan rows, ExpressionTranslator input, SubqueryValues subqueries, List<Expr> keys) {
    this.input = input;
    this.subqueries = subqueries;
    this.keys = keys.size();
    this.columns = new ArrayList<>(keys);
    this.moments = new CentralMoments(rows, keys);
  }

  /**
   * The plan of an aggregate.
   *
   * @param child its input
   */
  static PhysicalPlan translate(
      BaseAggregateExec node, PhysicalPlan child, SubqueryValues subqueries)
      throws UntranslatableException {
    List<Attribute> attributes = ScalaValues.list(node.inputAttributes());
    ExpressionTranslator input = ExpressionTranslator.over(attributes, subqueries);
    List<NamedExpression> grouping = ScalaValues.list(node.groupingExpressions());
    List<Expression> keys = new ArrayList<>();
    grouping.forEach(key -> keys.add((Expression) key));
    return new SparkAggregates(child, input, subqueries, input.translate(keys))
        .plan(node, grouping);
  }

  private PhysicalPlan plan(BaseAggregateExec node, List<NamedExpression> grouping)
      throws UntranslatableException {
    List<AggregateExpression> aggregates = ScalaValues.list(node.aggregateExpressions());
    if (keys == 0 && aggregates.isEmpty()) {
      throw new UntranslatableException("an aggregate without keys and functions");
    }
    boolean ends =
        aggregates.stream()
            .anyMatch(a -> a.mode().equals(Final$.MODULE$) || a.mode().equals(Complete$.MODULE$));
    boolean whole = ends || aggregates.isEmpty();
    List<Expr> outputs = new ArrayList<>();
    for (AggregateExpression aggregate : aggregates) {
      List<Expr> buffers = buffers(aggregate);
      if (ends) {
        outputs.add(result(aggregate, buffers));
      } else {
        outputs.addAll(buffers);
      }
    }
    List<Integer> places = IntStream.range(0, keys).boxed().toList();
    List<DataType> types = new ArrayList<>();
    places.forEach(place -> types.add(columns.get(place).type()));
    calls.forEach(call -> types.add(call.type()));
    PhysicalPlan groups =
        new PhysicalPlan.Aggregate(
            new PhysicalPlan.Project(moments.rows(), List.copyOf(columns)),
            places,
            List.of(places),
            List.copyOf(calls),
            false,
            types);
    List<Expr> all = new ArrayList<>(groups.references().subList(0, keys));
    all.addAll(outputs);
    PhysicalPlan made = new PhysicalPlan.Project(groups, all);
    if (!whole) {
      return made;
    }
    return new PhysicalPlan.Project(made, results(node, made, grouping));
  }

  /** What comes out of an aggregate that ends: expressions over keys and results. */
  private List<Expr> results(
      BaseAggregateExec node, PhysicalPlan made, List<NamedExpression> grouping)
      throws UntranslatableException {
    Map<ExprId, Expr> known = new HashMap<>();
    List<Expr> references = made.references();
    for (int i = 0; i < keys; i++) {
      known.put(grouping.get(i).toAttribute().exprId(), references.get(i));
    }
    List<Attribute> results = ScalaValues.list(node.aggregateAttributes());
    for (int i = 0; i < results.size(); i++) {
      known.put(results.get(i).exprId(), references.get(keys + i));
    }
    List<Expression> wanted = new ArrayList<>();
    for (NamedExpression result : ScalaValues.<NamedExpression>list(node.resultExpressions())) {
      wanted.add((Expression) result);
    }
    return ExpressionTranslator.over(known, subqueries).translate(wanted);
  }

  /** The buffers of a function, over what comes out of the engine's aggregate. */
  private List<Expr> buffers(AggregateExpression aggregate) throws UntranslatableException {
    var function = aggregate.aggregateFunction();
    boolean updates =
        aggregate.mode().equals(Partial$.MODULE$) || aggregate.mode().equals(Complete$.MODULE$);
    List<AttributeReference> slots = ScalaValues.list(function.aggBufferAttributes());
    List<Expr> merged = List.of();
    if (!updates) {
      List<AttributeReference> given = ScalaValues.list(function.inputAggBufferAttributes());
      merged = input.translate(given);
    }
    int filter =
        updates && aggregate.filter().isDefined()
            ? column(input.translate(aggregate.filter().get()))
            : -1;
    DataType first = ExpressionTranslator.type(slots.getFirst());
    return switch (function) {
      case Sum sum -> {
        requireAnsi(first, sum.evalContext().evalMode().equals(EvalMode.ANSI()), "sum");
        yield slots.size() == 2
            ? decimalSum(updates ? input.translate(sum.child()) : null, merged, first, filter)
            : List.of(plainSum(given(sum.child(), merged), first, filter));
      }
      case Average average -> {
        requireAnsi(first, average.evalMode().equals(EvalMode.ANSI()), "avg");
        yield updates
            ? averageOf(input.translate(average.child()), first, filter)
            : List.of(
                zeroed(call(AggregateFunction.SUM, first, filter, merged.get(0)), first),
                counts(merged.get(1)));
      }
      case Count count ->
          List.of(
              updates
                  ? counted(input.translate(ScalaValues.list(count.children())), filter)
                  : counts(merged.get(0)));
      case Min min ->
          List.of(extreme(AggregateFunction.MIN, given(min.child(), merged), filter));
      case Max max ->
          List.of(extreme(AggregateFunction.MAX, given(max.child(), merged), filter));
      case BitAndAgg and ->
          List.of(extreme(AggregateFunction.BIT_AND, given(and.child(), merged), filter));
      case BitOrAgg or ->
          List.of(extreme(AggregateFunction.BIT_OR, given(or.child(), merged), filter));
      case BitXorAgg xor ->
          List.of(extreme(AggregateFunction.BIT_XOR, given(xor.child(), merged), filter));
      default -> {
        if (CentralMoments.variables(function).isEmpty()) {
          throw new UntranslatableException("aggregate function " + function.prettyName());
        }
        yield updates ? deviations(function, filter) : deviations(merged);
      }
    };
  }

  /** What a function takes: values, or the buffers of its partial results. */
  private Expr given(Expression child, List<Expr> merged) throws UntranslatableException {
    return merged.isEmpty() ? input.translate(child) : merged.get(0);
  }

  /** Of rows: their number, the means, and sums of products of distances from these. */
  private List<Expr> deviations(Expression function, int filter) throws UntranslatableException {
    List<Expression> variables = CentralMoments.variables(function);
    if (variables.size() == 1
        && variables.getFirst() instanceof Cast cast
        && ExactVariance.takes(cast)) {
      return variance(input.translate(cast.child()), filter);
    }
    List<Expr> values = input.translate(variables);
    Expr counts = filter < 0 ? null : Expr.call(Op.IS_TRUE, DataType.BOOLEAN, columns.get(filter));
    for (Expr value : values) {
      if (value.type().nullable() && values.size() > 1) {
        Expr there = Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, value);
        counts = counts == null ? there : Expr.call(Op.AND, DataType.BOOLEAN, counts, there);
      }
    }
    List<Expr> taken = new ArrayList<>();
    for (Expr value : values) {
      taken.add(counts == null ? value : where(counts, value));
    }
    Expr rows = counted(List.of(taken.getFirst()), -1);
    return moments(
        new CentralMoments.MomentSample(taken, null, null), Expr.call(Op.CAST, DataType.FLOAT64, rows));
  }

  /** Of parts that have these already. */
  private List<Expr> deviations(List<Expr> merged) {
    Expr rows = merged.getFirst();
    Expr none = Expr.literal(0.0, DataType.FLOAT64);
    Expr some = Expr.call(Op.GT, DataType.BOOLEAN.withNullable(rows.type().nullable()), rows, none);
    List<Expr> means =
        merged.subList(1, merged.size() - 1).stream().map(mean -> where(some, mean)).toList();
    return moments(
        new CentralMoments.MomentSample(means, rows, merged.getLast()), sumOfFloats(rows));
  }

  private static Expr where(Expr condition, Expr value) {
    DataType type = value.type().withNullable(true);
    return Expr.call(Op.CASE, type, condition, value, Expr.literal(null, type));
  }

  private List<Expr> moments(CentralMoments.MomentSample sample, Expr rows) {
    CentralMoments.Moments columns = moments.of(sample);
    List<Expr> buffers = new ArrayList<>();
    buffers.add(rows);
    for (Expr mean : columns.means()) {
      Expr ofGroup = call(AggregateFunction.MIN, mean.type(), -1, mean);
      buffers.add(zeroed(ofGroup, DataType.FLOAT64));
    }
    buffers.add(sumOfFloats(columns.product()));
    return buffers;
  }

  private Expr sumOfFloats(Expr value) {
    DataType nullable = DataType.FLOAT64.withNullable(true);
    return zeroed(call(AggregateFunction.SUM, nullable, -1, value), DataType.FLOAT64);
  }

  /** Of values with few digits: of exact sums, so that no second look at the rows is needed. */
  private List<Expr> variance(Expr value, int filter) throws UntranslatableException {
    DataType square = ExactVariance.SQUARES.withNullable(value.type().nullable());
    DataType total = ExactVariance.SUMS.withNullable(true);
    Expr number = ExactVariance.number(value);
    Expr sum = call(AggregateFunction.SUM, total, filter, number);
    Expr squares =
        call(AggregateFunction.SUM, total, filter, Expr.call(Op.TIMES, square, number, number));
    return ExactVariance.buffers(counted(List.of(value), filter), sum, squares, value.type().scale());
  }

  static void requireAnsi(DataType type, boolean ansi, String name)
      throws UntranslatableException {
    if (!type.kind().isFloat() && !ansi) {
      throw new UntranslatableException(
          "exact " + name + " without ANSI mode (spark.sql.ansi.enabled)");
    }
  }

  /** A column of the aggregate's input. */
  private int column(Expr expression) {
    int known = columns.indexOf(expression);
    if (known >= keys) {
      return known;
    }
    columns.add(expression);
    return columns.size() - 1;
  }

  /** A call of the engine's; the reference to what comes out. */
  private Expr call(AggregateFunction function, DataType type, int filter, Expr... args) {
    List<Integer> places = new ArrayList<>();
    for (Expr arg : args) {
      places.add(column(filter < 0 ? arg : guarded(arg, columns.get(filter))));
    }
    calls.add(
        new AggregateCall(
            function, null, function.name(), places, false, filter, List.of(), type));
    return Expr.ref(keys + calls.size() - 1, type);
  }

  /** What could raise an error is evaluated only for rows that a call takes, as Spark does. */
  private static Expr guarded(Expr arg, Expr condition) {
    if (!ExpressionTranslator.raises(arg)) {
      return arg;
    }
    DataType nullable = arg.type().withNullable(true);
    Expr taken = Expr.call(Op.IS_TRUE, DataType.BOOLEAN, condition);
    return Expr.call(Op.CASE, nullable, taken, arg, Expr.literal(null, nullable));
  }

  private Expr counted(List<Expr> values, int filter) {
    Expr[] args = counting(values).toArray(new Expr[0]);
    return call(AggregateFunction.COUNT, DataType.INT64, filter, args);
  }

  /** What a count counts in place of its arguments: what is null where one of them is, or none. */
  static List<Expr> counting(List<Expr> values) {
    List<Expr> nullable = values.stream().filter(value -> value.type().nullable()).toList();
    if (nullable.size() < 2) {
      return nullable;
    }
    List<Expr> there =
        nullable.stream().map(value -> Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, value)).toList();
    Expr all = there.stream().reduce((a, b) -> Expr.call(Op.AND, DataType.BOOLEAN, a, b)).get();
    return List.of(where(all, Expr.literal(true, DataType.BOOLEAN)));
  }

  /** The sum of counts. */
  private Expr counts(Expr count) {
    return call(AggregateFunction.SUM0, DataType.INT64, -1, count);
  }

  /** Of 0.0 and -0.0 Spark keeps the one that it sees first, which is either. */
  private Expr extreme(AggregateFunction function, Expr value, int filter) {
    return call(function, value.type().withNullable(true), filter, value);
  }

  /** Of integers and floats: null over no values. */
  private Expr plainSum(Expr value, DataType type, int filter) {
    DataType nullable = type.withNullable(true);
    Expr sum = call(AggregateFunction.SUM, nullable, filter, as(value, type));
    // Spark adds to 0.0, after which no sum is -0.0.
    return type.kind().isFloat()
        ? Expr.call(Op.PLUS, nullable, sum, Expr.literal(0.0, type.withNullable(false)))
        : sum;
  }

  static Expr as(Expr value, DataType type) {
    return value.type().kind() == type.kind()
        ? value
        : Expr.call(Op.CAST, type.withNullable(value.type().nullable()), value);
  }

  /**
   * Of decimals: the sum, 0 over no values, and whether there were none. A sum that is null beside
   * values is one that has overflowed on Spark's side.
   */
  private List<Expr> decimalSum(
      @Nullable Expr value, List<Expr> merged, DataType type, int filter) {
    DataType nullable = type.withNullable(true);
    Expr given = value == null ? merged.get(0) : value;
    Expr total = zeroed(call(AggregateFunction.SUM, nullable, filter, given), type);
    if (value != null) {
      Expr count = call(AggregateFunction.COUNT, DataType.INT64, filter, value);
      Expr none =
          Expr.call(Op.EQ, DataType.BOOLEAN, count, Expr.literal(0L, DataType.INT64));
      return List.of(total, none);
    }
    Expr isEmpty = merged.get(1);
    Expr allEmpty = call(AggregateFunction.MIN, BOOLEAN, -1, isEmpty);
    Expr none =
        Expr.call(
            Op.COALESCE, DataType.BOOLEAN, allEmpty, Expr.literal(true, DataType.BOOLEAN));
    Expr lost =
        Expr.call(
            Op.AND,
            BOOLEAN,
            Expr.call(Op.IS_NULL, DataType.BOOLEAN, given),
            Expr.call(Op.IS_FALSE, DataType.BOOLEAN, isEmpty));
    Expr anyLost = call(AggregateFunction.MAX, BOOLEAN, -1, lost);
    Expr sum =
        Expr.call(
            Op.CASE,
            type.withNullable(false),
            Expr.call(Op.IS_TRUE, DataType.BOOLEAN, anyLost),
            ExpressionTranslator.overflow(type.withNullable(false)),
            total);
    return List.of(sum, none);
  }

  private static Expr zeroed(Expr sum, DataType type) {
    DataType never = type.withNullable(false);
    Object zero = type.kind().isFloat() ? 0.0 : BigDecimal.ZERO.setScale(type.scale());
    Expr result = Expr.call(Op.COALESCE, never, sum, Expr.literal(zero, never));
    return type.kind().isFloat()
        ? Expr.call(Op.PLUS, never, result, Expr.literal(0.0, never))
        : result;
  }

  private List<Expr> averageOf(Expr value, DataType type, int filter)
      throws UntranslatableException {
    if (type.kind() != TypeKind.DECIMAL && type.kind() != TypeKind.FLOAT64) {
      throw new UntranslatableException("average of " + value.type());
    }
    DataType nullable = type.withNullable(true);
    Expr sum = call(AggregateFunction.SUM, nullable, filter, as(value, type));
    return List.of(zeroed(sum, type), counted(List.of(value), filter));
  }

  /** The result that a function makes of its buffers. */
  private Expr result(AggregateExpression aggregate, List<Expr> buffers)
      throws UntranslatableException {
    DataType type =
        ExpressionTranslator.type(aggregate.aggregateFunction()).withNullable(true);
    return switch (aggregate.aggregateFunction()) {
      case Sum sum when buffers.size() == 2 ->
          Expr.call(
              Op.CASE, type, buffers.get(1), Expr.literal(null, type), buffers.get(0));
      case Average average -> quotient(average, buffers, type);
      case DeclarativeAggregate function when !CentralMoments.variables(function).isEmpty() -> {
        Map<ExprId, Expr> known = new HashMap<>();
        List<AttributeReference> slots = ScalaValues.list(function.aggBufferAttributes());
        for (int i = 0; i < slots.size(); i++) {
          known.put(slots.get(i).exprId(), buffers.get(i));
        }
        yield ExpressionTranslator.over(known, subqueries).translate(function.evaluateExpression());
      }
      default -> buffers.get(0);
    };
  }

  static Expr quotient(Average average, List<Expr> buffers, DataType type)
      throws UntranslatableException {
    Expr count = buffers.get(1);
    Expr divided;
    if (type.kind() == TypeKind.DECIMAL) {
      DataType wide = DataType.decimal(20, 0, false);
      divided = Expr.call(Op.DIVIDE, type, buffers.get(0), Expr.call(Op.CAST, wide, count));
    } else {
      Expr floating = Expr.call(Op.CAST, DataType.FLOAT64, count);
      divided = Expr.call(Op.DIVIDE, type, buffers.get(0), floating);
    }
    Expr none = Expr.call(Op.EQ, DataType.BOOLEAN, count, Expr.literal(0L, DataType.INT64));
    return Expr.call(Op.CASE, type, none, Expr.literal(null, type), divided);
  }
}
