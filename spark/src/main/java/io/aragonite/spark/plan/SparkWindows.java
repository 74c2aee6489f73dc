package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.CumeDist;
import org.apache.spark.sql.catalyst.expressions.CurrentRow$;
import org.apache.spark.sql.catalyst.expressions.DenseRank;
import org.apache.spark.sql.catalyst.expressions.EvalMode;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FrameLessOffsetWindowFunction;
import org.apache.spark.sql.catalyst.expressions.Lag;
import org.apache.spark.sql.catalyst.expressions.Lead;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PercentRank;
import org.apache.spark.sql.catalyst.expressions.Rank;
import org.apache.spark.sql.catalyst.expressions.RowFrame$;
import org.apache.spark.sql.catalyst.expressions.RowNumber;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame;
import org.apache.spark.sql.catalyst.expressions.UnboundedFollowing$;
import org.apache.spark.sql.catalyst.expressions.UnboundedPreceding$;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.execution.window.WindowExec;
import org.apache.spark.sql.execution.window.WindowGroupLimitExec;
import org.jspecify.annotations.Nullable;

/**
 * Spark's windows as ours: a window of the engine for each frame, since calls of one share theirs.
 */
final class SparkWindows {
  /** The rows up to each. */
  static final WindowFrame RANKS =
      new WindowFrame(
          true,
          new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null),
          new FrameBound(FrameBoundKind.CURRENT_ROW, null),
          WindowFrame.Exclude.NO_OTHERS);

  private final ExpressionTranslator input;

  /** The input's columns, then those that keys and arguments want. */
  private final List<Expr> columns;

  private final int width;
  private final List<Integer> partition = new ArrayList<>();
  private final List<SortKey> order = new ArrayList<>();
  private final Map<WindowFrame, List<WindowCall>> calls = new LinkedHashMap<>();

  private SparkWindows(ExpressionTranslator input, List<Expr> columns) {
    this.input = input;
    this.columns = new ArrayList<>(columns);
    this.width = columns.size();
  }

  /** Where a call's result is among those of its frame. */
  private record Result(WindowFrame frame, int place, DataType type) {}

  /** What a function makes of calls' results. */
  private interface Value {
    Expr of(Map<Result, Expr> results) throws UntranslatableException;
  }

  /** The input's columns, then the windows' functions. */
  static PhysicalPlan translate(WindowExec window, PhysicalPlan rows, ExpressionTranslator input)
      throws UntranslatableException {
    SparkWindows translator = new SparkWindows(input, rows.references());
    translator.keys(
        ScalaValues.list(window.partitionSpec()), ScalaValues.list(window.orderSpec()));
    List<Value> values = new ArrayList<>();
    for (NamedExpression named : ScalaValues.<NamedExpression>list(window.windowExpression())) {
      if (!(named instanceof Alias alias && alias.child() instanceof WindowExpression call)) {
        throw new UntranslatableException("window of " + named.name());
      }
      values.add(translator.function(call));
    }
    return translator.plan(rows, values);
  }

  /** The rows whose rank is within a limit. */
  static PhysicalPlan limit(
      WindowGroupLimitExec limit, PhysicalPlan rows, ExpressionTranslator input)
      throws UntranslatableException {
    SparkWindows translator = new SparkWindows(input, rows.references());
    translator.keys(ScalaValues.list(limit.partitionSpec()), ScalaValues.list(limit.orderSpec()));
    DataType type = DataType.INT64;
    Result rank = translator.call(RANKS, rank(limit.rankLikeFunction()), null, type);
    PhysicalPlan ranked = translator.plan(rows, List.of(results -> found(results, rank)));
    List<Expr> all = ranked.references();
    Expr most = Expr.literal((long) limit.limit(), type);
    Expr within = Expr.call(Op.LE, DataType.BOOLEAN, all.getLast(), most);
    PhysicalPlan kept = new PhysicalPlan.Filter(ranked, within);
    return new PhysicalPlan.Project(kept, all.subList(0, all.size() - 1));
  }

  private static Expr found(Map<Result, Expr> results, Result result) {
    return java.util.Objects.requireNonNull(results.get(result));
  }

  private void keys(List<Expression> partitionSpec, List<SortOrder> orderSpec)
      throws UntranslatableException {
    for (Expression key : partitionSpec) {
      partition.add(column(input.translate(key)));
    }
    for (SortOrder key : orderSpec) {
      order.add(FragmentBuilder.key(key, column(input.translate(key.child()))));
    }
  }

  private int column(Expr value) {
    int known = columns.indexOf(value);
    if (known >= 0) {
      return known;
    }
    columns.add(value);
    return columns.size() - 1;
  }

  private static WindowCall.Function rank(Expression function) throws UntranslatableException {
    return switch (function) {
      case RowNumber f -> WindowCall.Function.ROW_NUMBER;
      case Rank f -> WindowCall.Function.RANK;
      case DenseRank f -> WindowCall.Function.DENSE_RANK;
      default -> throw new UntranslatableException("window function " + function.prettyName());
    };
  }

  private Result call(
      WindowFrame frame,
      WindowCall.Function function,
      @Nullable AggregateCall aggregate,
      DataType type) {
    return call(frame, function, aggregate, List.of(), type);
  }

  private Result call(
      WindowFrame frame,
      WindowCall.Function function,
      @Nullable AggregateCall aggregate,
      List<Integer> args,
      DataType type) {
    List<WindowCall> known = calls.computeIfAbsent(frame, f -> new ArrayList<>());
    known.add(new WindowCall(function, aggregate, args, false, type));
    return new Result(frame, known.size() - 1, type);
  }

  private Result aggregate(
      WindowFrame frame, AggregateFunction function, DataType type, Integer... args) {
    AggregateCall aggregate = AggregateCall.of(function, type, args);
    return call(frame, WindowCall.Function.AGGREGATE, aggregate, type);
  }

  private Value function(WindowExpression call) throws UntranslatableException {
    DataType type = ExpressionTranslator.type(call);
    if (!(call.windowFunction() instanceof AggregateExpression aggregate)) {
      return alone(call.windowFunction(), type);
    }
    if (aggregate.filter().isDefined() || aggregate.isDistinct()) {
      throw new UntranslatableException("window aggregate with FILTER or DISTINCT");
    }
    WindowFrame frame = frame(call);
    return switch (aggregate.aggregateFunction()) {
      case Count count -> count(count, frame);
      case Min min -> bare(frame, AggregateFunction.MIN, input.translate(min.child()), type);
      case Max max -> bare(frame, AggregateFunction.MAX, input.translate(max.child()), type);
      case Sum sum -> {
        exact(type, sum.evalContext().evalMode().equals(EvalMode.ANSI()), "sum");
        Expr value = SparkAggregates.as(input.translate(sum.child()), type);
        yield bare(frame, AggregateFunction.SUM, value, type);
      }
      case Average average -> average(average, frame, type);
      default ->
          throw new UntranslatableException(
              "window aggregate " + aggregate.aggregateFunction().prettyName());
    };
  }

  /** A function that has no frame. */
  private Value alone(Expression function, DataType type) throws UntranslatableException {
    Result result =
        switch (function) {
          case Lag lag ->
              offset(WindowCall.Function.LAG, lag, lag.inputOffset(), lag.ignoreNulls(), type);
          case Lead lead ->
              offset(WindowCall.Function.LEAD, lead, lead.offset(), lead.ignoreNulls(), type);
          case PercentRank f ->
              call(RANKS, WindowCall.Function.PERCENT_RANK, null, DataType.FLOAT64);
          case CumeDist f -> call(RANKS, WindowCall.Function.CUME_DIST, null, DataType.FLOAT64);
          default -> call(RANKS, rank(function), null, DataType.INT64);
        };
    return results -> {
      Expr value = found(results, result);
      return value.type().kind() == type.kind() ? value : Expr.call(Op.CAST, type, value);
    };
  }

  /** The value of a row so many before or behind; the default is that of the row itself. */
  private Result offset(
      WindowCall.Function function,
      FrameLessOffsetWindowFunction call,
      Expression rows,
      boolean ignoreNulls,
      DataType type)
      throws UntranslatableException {
    if (ignoreNulls || !(rows instanceof Literal literal && literal.value() instanceof Integer n)) {
      throw new UntranslatableException("offset or IGNORE NULLS of " + call.sql());
    }
    List<Integer> args = new ArrayList<>();
    args.add(column(input.translate(call.input())));
    args.add(column(Expr.literal((long) n, DataType.INT64)));
    Expression otherwise = ScalaValues.<Expression>list(call.children()).get(2);
    if (!(otherwise instanceof Literal none && none.value() == null)) {
      args.add(column(input.translate(otherwise)));
    }
    return call(RANKS, function, null, args, type.withNullable(true));
  }

  private Value count(Count count, WindowFrame frame) throws UntranslatableException {
    List<Expr> values = input.translate(ScalaValues.list(count.children()));
    Integer[] args =
        SparkAggregates.counting(values).stream().map(this::column).toArray(Integer[]::new);
    Result result = aggregate(frame, AggregateFunction.COUNT, DataType.INT64, args);
    return results -> found(results, result);
  }

  private Value bare(WindowFrame frame, AggregateFunction function, Expr value, DataType type) {
    Result result = aggregate(frame, function, type.withNullable(true), column(value));
    return results -> found(results, result);
  }

  private Value average(Average average, WindowFrame frame, DataType type)
      throws UntranslatableException {
    DataType sumType =
        ExpressionTranslator.type(average.aggBufferAttributes().head()).withNullable(true);
    exact(sumType, average.evalMode().equals(EvalMode.ANSI()), "avg");
    int value = column(SparkAggregates.as(input.translate(average.child()), sumType));
    Result sum = aggregate(frame, AggregateFunction.SUM, sumType, value);
    Result count = aggregate(frame, AggregateFunction.COUNT, DataType.INT64, value);
    return results ->
        SparkAggregates.quotient(
            average,
            List.of(found(results, sum), found(results, count)),
            type.withNullable(true));
  }

  /** Sums of floats follow the order of additions, which over frames is not Spark's. */
  private static void exact(DataType type, boolean ansi, String name)
      throws UntranslatableException {
    if (type.kind().isFloat()) {
      throw new UntranslatableException("window " + name + " of floats");
    }
    SparkAggregates.requireAnsi(type, ansi, name);
  }

  private static WindowFrame frame(WindowExpression call) throws UntranslatableException {
    if (!(call.windowSpec().frameSpecification() instanceof SpecifiedWindowFrame frame)) {
      throw new UntranslatableException("frame of " + call.sql());
    }
    boolean rows = frame.frameType().equals(RowFrame$.MODULE$);
    return new WindowFrame(
        rows, bound(frame.lower(), rows), bound(frame.upper(), rows), WindowFrame.Exclude.NO_OTHERS);
  }

  private static FrameBound bound(Expression bound, boolean rows) throws UntranslatableException {
    if (bound.equals(UnboundedPreceding$.MODULE$)) {
      return new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null);
    } else if (bound.equals(UnboundedFollowing$.MODULE$)) {
      return new FrameBound(FrameBoundKind.UNBOUNDED_FOLLOWING, null);
    } else if (bound.equals(CurrentRow$.MODULE$)) {
      return new FrameBound(FrameBoundKind.CURRENT_ROW, null);
    } else if (rows && bound instanceof Literal literal && literal.value() instanceof Integer n) {
      Expr offset = Expr.literal(Math.abs((long) n), DataType.INT64);
      return n == 0
          ? new FrameBound(FrameBoundKind.CURRENT_ROW, null)
          : new FrameBound(n < 0 ? FrameBoundKind.PRECEDING : FrameBoundKind.FOLLOWING, offset);
    }
    throw new UntranslatableException("bound of a frame: " + bound.sql());
  }

  private PhysicalPlan plan(PhysicalPlan rows, List<Value> values)
      throws UntranslatableException {
    PhysicalPlan plan =
        columns.size() == width ? rows : new PhysicalPlan.Project(rows, List.copyOf(columns));
    Map<Result, Expr> results = new LinkedHashMap<>();
    int next = columns.size();
    for (Map.Entry<WindowFrame, List<WindowCall>> entry : calls.entrySet()) {
      List<WindowCall> made = List.copyOf(entry.getValue());
      plan = new PhysicalPlan.Window(plan, partition, order, entry.getKey(), made);
      for (int i = 0; i < made.size(); i++) {
        DataType type = made.get(i).type();
        results.put(new Result(entry.getKey(), i, type), Expr.ref(next++, type));
      }
    }
    List<Expr> wanted = new ArrayList<>(plan.references().subList(0, width));
    for (Value value : values) {
      wanted.add(value.of(results));
    }
    return new PhysicalPlan.Project(plan, wanted);
  }
}
