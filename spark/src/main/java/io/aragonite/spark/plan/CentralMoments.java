package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.FrameBound;
import io.aragonite.exec.plan.WindowFrame.FrameBoundKind;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.CentralMomentAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.Covariance;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an aggregate with what variances and covariances want of them: how far a
 * row is from the mean of its group. The mean is found first, in a window, so that no digits cancel
 * out; the mean of equal values is that value, and their variance 0, as they are where Spark adds
 * row by row.
 */
final class CentralMoments {
  private static final DataType FLOAT = DataType.FLOAT64;
  private static final DataType NULLABLE = FLOAT.withNullable(true);
  private static final WindowFrame GROUP =
      new WindowFrame(
          true,
          new FrameBound(FrameBoundKind.UNBOUNDED_PRECEDING, null),
          new FrameBound(FrameBoundKind.UNBOUNDED_FOLLOWING, null),
          WindowFrame.Exclude.NO_OTHERS);

  private final PhysicalPlan input;
  private final int width;

  /** The input's columns, keys and what windows look at. */
  private final List<Expr> columns;

  private final List<Integer> partition = new ArrayList<>();
  private final List<WindowCall> calls = new ArrayList<>();
  private final List<Made> made = new ArrayList<>();
  private final Map<MomentSample, Moments> known = new HashMap<>();

  /** Makes a column of the windows' results, which begin at a place. */
  private interface Made {
    Expr of(int results);
  }

  /**
   * What a function is of.
   *
   * @param values the variables: of rows, or the means of parts of a group; null where a row does
   *     not count
   * @param weight rows of such a part; null for rows
   * @param product of such a part, as {@link Moments} have it; null for rows
   */
  record MomentSample(List<Expr> values, @Nullable Expr weight, @Nullable Expr product) {}

  /**
   * Columns of the rows.
   *
   * @param means of the group that a row is of
   * @param product of the distances from the means, or the square of the only one
   */
  record Moments(List<Expr> means, Expr product) {}

  /**
   * @param keys of the groups, over the input
   */
  CentralMoments(PhysicalPlan input, List<Expr> keys) {
    this.input = input;
    this.width = input.types().size();
    this.columns = new ArrayList<>(input.references());
    keys.forEach(key -> partition.add(column(key)));
  }

  /**
   * The variables of a function that is one of these; none of another. Correlations are not: they
   * divide by variances, of which Spark's last bits decide whether they are 0.
   */
  static List<Expression> variables(Expression function) {
    return switch (function) {
      case CentralMomentAgg f when f.aggBufferAttributes().size() == 3 -> List.of(f.child());
      case Covariance f -> List.of(f.left(), f.right());
      default -> List.of();
    };
  }

  private int column(Expr value) {
    int known = columns.indexOf(value);
    if (known >= 0) {
      return known;
    }
    columns.add(value);
    return columns.size() - 1;
  }

  private int window(AggregateFunction function, DataType type, Expr value) {
    AggregateCall call = AggregateCall.of(function, type, column(value));
    calls.add(new WindowCall(WindowCall.Function.AGGREGATE, call, List.of(), false, type));
    return calls.size() - 1;
  }

  /** The columns of a function, over {@link #rows}; functions of one sample have the same. */
  Moments of(MomentSample sample) {
    return known.computeIfAbsent(sample, this::add);
  }

  private Moments add(MomentSample sample) {
    Expr weight = sample.weight();
    Expr first = sample.values().getFirst();
    int count =
        weight == null
            ? window(AggregateFunction.COUNT, DataType.INT64, first)
            : window(AggregateFunction.SUM, NULLABLE, weight);
    List<Made> means = new ArrayList<>();
    for (Expr value : sample.values()) {
      int least = window(AggregateFunction.MIN, NULLABLE, value);
      int most = window(AggregateFunction.MAX, NULLABLE, value);
      Expr part = weight == null ? value : times(weight, value);
      int sum = window(AggregateFunction.SUM, NULLABLE, part);
      DataType countType = calls.get(count).type();
      means.add(
          results -> {
            Expr counted = Expr.ref(results + count, countType);
            Expr rows = weight == null ? Expr.call(Op.CAST, FLOAT, counted) : counted;
            Expr lowest = Expr.ref(results + least, NULLABLE);
            Expr highest = Expr.ref(results + most, NULLABLE);
            Expr equal = Expr.call(Op.EQ, DataType.BOOLEAN.withNullable(true), lowest, highest);
            Expr total = Expr.ref(results + sum, NULLABLE);
            Expr mean = Expr.call(Op.DIVIDE, NULLABLE, total, rows);
            return Expr.call(Op.CASE, NULLABLE, equal, lowest, mean);
          });
    }
    List<Expr> columnsOfMeans = means.stream().map(this::make).toList();
    return new Moments(columnsOfMeans, make(results -> product(sample, means, results)));
  }

  private static Expr product(MomentSample sample, List<Made> means, int results) {
    Expr one = sample.values().getFirst();
    Expr other = sample.values().getLast();
    Expr product =
        times(
            minus(one, means.getFirst().of(results)), minus(other, means.getLast().of(results)));
    Expr weight = sample.weight();
    Expr before = sample.product();
    if (weight == null || before == null) {
      return product;
    }
    // Spark joins a part to an empty one too, which has the mean 0: NaN if that overflows.
    Expr joined = times(one, Expr.call(Op.DIVIDE, NULLABLE, other, weight));
    return plus(
        plus(before, times(weight, product)),
        times(Expr.literal(0.0, DataType.FLOAT64), joined));
  }

  private Expr make(Made column) {
    made.add(column);
    return Expr.ref(width + made.size() - 1, NULLABLE);
  }

  private static Expr times(Expr one, Expr other) {
    return Expr.call(Op.TIMES, NULLABLE, one, other);
  }

  private static Expr plus(Expr one, Expr other) {
    return Expr.call(Op.PLUS, NULLABLE, one, other);
  }

  private static Expr minus(Expr one, Expr other) {
    return Expr.call(Op.MINUS, NULLABLE, one, other);
  }

  /** The input's rows, with the columns of the functions behind theirs. */
  PhysicalPlan rows() {
    if (made.isEmpty()) {
      return input;
    }
    PhysicalPlan windows =
        new PhysicalPlan.Window(
            new PhysicalPlan.Project(input, List.copyOf(columns)),
            List.copyOf(partition),
            List.of(),
            GROUP,
            List.copyOf(calls));
    List<Expr> wanted = new ArrayList<>(windows.references().subList(0, width));
    made.forEach(column -> wanted.add(column.of(columns.size())));
    return new PhysicalPlan.Project(windows, wanted);
  }
}
