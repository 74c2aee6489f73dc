package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.spark.execution.FragmentPlan.InputKind;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NullsFirst$;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.ExpandExec;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.GlobalLimitExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.LocalLimitExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SortExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.joins.BaseJoinExec;
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec;
import org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec;
import org.apache.spark.sql.execution.joins.CartesianProductExec;
import org.apache.spark.sql.execution.joins.ShuffledHashJoinExec;
import org.apache.spark.sql.execution.joins.SortMergeJoinExec;
import org.apache.spark.sql.execution.window.WindowExec;
import org.apache.spark.sql.execution.window.WindowGroupLimitExec;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Makes one fragment of a subtree of Spark's plan, as far down as operators can be translated. What
 * cannot, and exchanges and scans, are its inputs.
 */
final class FragmentBuilder {
  private static final DataType SOURCE = DataType.of(TypeKind.OPAQUE, false);

  private final List<Fragment.Input> inputs = new ArrayList<>();
  private final List<Expression> subqueries = new ArrayList<>();
  private final List<SparkPlan> operators = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();

  /** Whether a Cartesian product is, or is about to be, in the fragment. */
  private boolean product;

  /** Inputs by partition of its left side, and of both sides; none as long as they are not known. */
  private int leftInputs = Fragment.NO_PRODUCT;

  private int productInputs = Fragment.NO_PRODUCT;

  private FragmentBuilder() {}

  /**
   * The fragment that begins with an operator.
   *
   * @param ordered whether somebody may rely on the order that Spark's operators have
   * @throws UntranslatableException if that operator stays with Spark
   */
  static Fragment of(SparkPlan plan, boolean ordered) throws UntranslatableException {
    FragmentBuilder builder = new FragmentBuilder();
    PhysicalPlan translated = builder.translate(plan);
    if (!ordered) {
      return builder.fragment(translated, plan, List.of());
    }
    if (keepsOrder(plan)) {
      return builder.fragment(translated, plan, ScalaValues.list(plan.outputOrdering()));
    }
    Order order = builder.order(plan);
    return builder.fragment(sorted(translated, order, null, null), plan, order.made());
  }

  /** Whether a projection makes structs of values that it computes. */
  static boolean makesStructs(ProjectExec project) {
    return ScalaValues.list(project.projectList()).stream()
        .anyMatch(column -> fieldsOf((Expression) column) != null);
  }

  private static @Nullable CreateNamedStruct fieldsOf(Expression column) {
    return column instanceof Alias alias && alias.child() instanceof CreateNamedStruct struct
        ? struct
        : null;
  }

  /**
   * A projection that makes structs, as one of their fields: whoever takes rows of the fragment gets
   * structs of them.
   */
  static Fragment ofStructs(ProjectExec project) throws UntranslatableException {
    if (!project.outputOrdering().isEmpty()) {
      throw new UntranslatableException("an order beside structs");
    }
    FragmentBuilder builder = new FragmentBuilder();
    builder.operators.add(project);
    List<Expression> values = new ArrayList<>();
    for (var named : ScalaValues.list(project.projectList())) {
      Expression column = (Expression) named;
      CreateNamedStruct struct = fieldsOf(column);
      values.addAll(struct == null ? List.of(column) : ScalaValues.list(struct.valExprs()));
    }
    List<Expr> expressions = builder.over(project.child()).translate(values);
    PhysicalPlan input = builder.input(project.child());
    return builder.fragment(new PhysicalPlan.Project(input, expressions), project, List.of());
  }

  /**
   * An order that is to be made.
   *
   * @param keys what to sort by: columns of the rows, and behind them the expressions
   * @param extra expressions over the rows that are keys
   * @param made what Spark calls it
   */
  private record Order(List<SortKey> keys, List<Expr> extra, List<SortOrder> made) {}

  /** Whether rows come out in the order in which the input has them, or in that of a sort. */
  private static boolean keepsOrder(SparkPlan plan) {
    return switch (plan) {
      case FilterExec filter -> keepsOrder(filter.child());
      case ProjectExec project -> keepsOrder(project.child());
      case LocalLimitExec limit -> keepsOrder(limit.child());
      case GlobalLimitExec limit -> keepsOrder(limit.child());
      case SortExec sort -> true;
      default -> isSource(plan);
    };
  }

  /** The order that Spark's operator has as it works. */
  private Order order(SparkPlan plan) throws UntranslatableException {
    List<Attribute> output = ScalaValues.list(plan.output());
    List<SortOrder> made = new ArrayList<>();
    for (SortOrder order : ScalaValues.<SortOrder>list(plan.outputOrdering())) {
      if (keyOf(order, output) == null) {
        break; // nobody can rely on what comes behind a column that is not there
      }
      made.add(order);
    }
    return orderBy(plan, made);
  }

  /**
   * Rows in an order.
   *
   * @param skipped how many of them to leave out, and
   * @param fetch how many to take; null: all
   */
  private static PhysicalPlan sorted(
      PhysicalPlan rows, Order order, @Nullable Expr skipped, @Nullable Expr fetch) {
    if (order.keys().isEmpty() && skipped == null && fetch == null) {
      return rows;
    }
    if (order.extra().isEmpty()) {
      return new PhysicalPlan.Sort(rows, order.keys(), skipped, fetch);
    }
    List<Expr> columns = new ArrayList<>(rows.references());
    int width = columns.size();
    columns.addAll(order.extra());
    PhysicalPlan sorted =
        new PhysicalPlan.Sort(
            new PhysicalPlan.Project(rows, columns), order.keys(), skipped, fetch);
    return new PhysicalPlan.Project(sorted, sorted.references().subList(0, width));
  }

  /** What to sort rows by for an order, a column if there is one; null if it is not of these rows. */
  private static @Nullable Expression keyOf(SortOrder order, List<Attribute> output) {
    Expression found = null;
    for (Expression expression : ScalaValues.<Expression>list(order.children())) {
      boolean there =
          CollectionConverters.asJava(expression.references().toSeq()).stream()
              .allMatch(column -> output.stream().anyMatch(o -> o.exprId().equals(column.exprId())));
      if (there && (found == null || expression instanceof Attribute)) {
        if (expression instanceof Attribute) {
          return expression;
        }
        found = expression;
      }
    }
    return found;
  }

  static SortKey key(SortOrder order, int column) {
    return new SortKey(
        column,
        !order.direction().equals(Ascending$.MODULE$),
        order.nullOrdering().equals(NullsFirst$.MODULE$));
  }

  /**
   * The first rows by an order of what a plan makes, for an operator of Spark's that takes the
   * first of all partitions.
   */
  static Fragment first(SparkPlan plan, List<SortOrder> orders, int count)
      throws UntranslatableException {
    FragmentBuilder builder = new FragmentBuilder();
    Order order = builder.orderBy(plan, orders);
    PhysicalPlan input = builder.translate(plan);
    Expr fetch = Expr.literal((long) count, DataType.INT64);
    return builder.fragment(sorted(input, order, null, fetch), plan, order.made());
  }

  /** What Spark hands over as it is, for an operator that takes columns of fragments. */
  static Fragment passing(SparkPlan plan) throws UntranslatableException {
    FragmentBuilder builder = new FragmentBuilder();
    return builder.fragment(builder.input(plan), plan, List.of());
  }

  private Fragment fragment(PhysicalPlan translated, SparkPlan plan, List<SortOrder> ordering)
      throws UntranslatableException {
    if (product && productInputs != inputsByPartition()) {
      throw new UntranslatableException("a Cartesian product beside other rows by partition");
    }
    return new Fragment(
        new ParameterNumbers(inputs.size()).apply(translated),
        ScalaValues.list(plan.output()),
        ordering,
        List.copyOf(inputs),
        List.copyOf(subqueries),
        List.copyOf(operators),
        List.copyOf(reasons),
        leftInputs);
  }

  /** Inputs of which each task has a partition. */
  private int inputsByPartition() {
    return (int) inputs.stream().filter(input -> input.kind() != InputKind.BROADCAST).count();
  }

  private Expr parameter(Expression subquery, DataType type) {
    subqueries.add(subquery);
    // Behind the inputs, whose number is not known yet.
    return new Expr.Parameter(-subqueries.size(), type.withNullable(true));
  }

  private ExpressionTranslator over(SparkPlan child) throws UntranslatableException {
    return ExpressionTranslator.over(ScalaValues.list(child.output()), this::parameter);
  }

  /** What hands over rows to this operator: as much of it as can be is in the fragment. */
  private PhysicalPlan input(SparkPlan child) throws UntranslatableException {
    if (product && child instanceof CartesianProductExec) {
      return source(child, InputKind.ROWS, false); // a fragment of its own
    }
    if (!isSource(child)) {
      int knownInputs = inputs.size();
      int knownSubqueries = subqueries.size();
      int knownOperators = operators.size();
      int knownReasons = reasons.size();
      boolean knownProduct = product;
      int knownLeft = leftInputs;
      int knownBoth = productInputs;
      try {
        return translate(child);
      } catch (UntranslatableException e) {
        forget(inputs, knownInputs);
        forget(subqueries, knownSubqueries);
        forget(operators, knownOperators);
        forget(reasons, knownReasons);
        product = knownProduct;
        leftInputs = knownLeft;
        productInputs = knownBoth;
        reasons.add(child.nodeName() + ": " + e.getMessage());
      }
    }
    if (scanned(child) instanceof FileSourceScanExec scan) {
      String refusal = ParquetScans.refusal(scan);
      if (refusal == null) {
        return source(scan, InputKind.FILES, false);
      }
      reasons.add(scan.nodeName() + ": " + refusal);
    }
    return child instanceof ColumnarToRowExec rows
        ? source(columns(rows.child()), InputKind.COLUMNS, false)
        : source(child, InputKind.ROWS, false);
  }

  private static SparkPlan scanned(SparkPlan plan) {
    return plan instanceof ColumnarToRowExec rows ? rows.child() : plan;
  }

  /** What hands over columns; a union of Spark's forgets its partitioning when it does. */
  private static SparkPlan columns(SparkPlan plan) {
    return plan instanceof UnionExec union
        ? new ColumnarUnionExec(union, ScalaValues.list(union.children()))
        : plan;
  }

  private static void forget(List<?> list, int from) {
    list.subList(from, list.size()).clear();
  }

  private PhysicalPlan source(SparkPlan source, InputKind kind, boolean nullable)
      throws UntranslatableException {
    List<DataType> types = new ArrayList<>();
    for (Attribute column : ScalaValues.<Attribute>list(source.output())) {
      DataType type = ExpressionTranslator.type(column);
      types.add(nullable ? type.withNullable(true) : type);
    }
    inputs.add(new Fragment.Input(source, kind, types));
    return new PhysicalPlan.BatchInput(new Expr.Parameter(inputs.size() - 1, SOURCE), types);
  }

  /** Whether an operator is where fragments begin, rather than one that is left to Spark. */
  static boolean isSource(SparkPlan plan) {
    return plan instanceof Exchange
        || plan instanceof ReusedExchangeExec
        || plan instanceof QueryStageExec
        || plan instanceof AQEShuffleReadExec
        || plan instanceof ColumnarToRowExec
        || plan instanceof InputAdapter
        || plan instanceof UnionExec
        || plan.children().isEmpty();
  }

  private PhysicalPlan translate(SparkPlan plan) throws UntranslatableException {
    if (isSource(plan)) {
      throw new UntranslatableException("it hands over rows");
    }
    operators.add(plan);
    return switch (plan) {
      case FilterExec filter -> {
        Expr predicate = over(filter.child()).predicate(filter.condition());
        yield new PhysicalPlan.Filter(input(filter.child()), predicate);
      }
      case ProjectExec project -> {
        List<Expression> wanted = new ArrayList<>();
        ScalaValues.list(project.projectList()).forEach(named -> wanted.add((Expression) named));
        List<Expr> expressions = over(project.child()).translate(wanted);
        yield new PhysicalPlan.Project(input(project.child()), expressions);
      }
      case BaseAggregateExec aggregate -> aggregate(aggregate, plan.children().head());
      case SortExec sort -> sort(sort);
      case LocalLimitExec limit -> limited(limit.child(), 0, limit.limit());
      case GlobalLimitExec limit -> limited(limit.child(), limit.offset(), limit.limit());
      case BroadcastHashJoinExec join -> join(join);
      case BroadcastNestedLoopJoinExec join -> join(join);
      case CartesianProductExec join -> product(join);
      case WindowExec window -> {
        ExpressionTranslator columns = over(window.child());
        yield SparkWindows.translate(window, unsorted(window.child()), columns);
      }
      case WindowGroupLimitExec limit -> {
        ExpressionTranslator columns = over(limit.child());
        yield SparkWindows.limit(limit, unsorted(limit.child()), columns);
      }
      case ExpandExec expand -> {
        ExpressionTranslator columns = over(expand.child());
        yield ExpandTranslator.translate(expand, input(expand.child()), columns);
      }
      case ShuffledHashJoinExec join -> join(join);
      case SortMergeJoinExec join -> join(join);
      default -> throw new UntranslatableException("operator");
    };
  }

  private PhysicalPlan join(BaseJoinExec join) throws UntranslatableException {
    return JoinTranslator.translate(JoinTranslator.SparkJoin.of(join), this::side, this::over);
  }

  /**
   * All pairs of rows: each task has a partition of either side. Of several products in one stage
   * the topmost is in the fragment, and the others are its inputs.
   */
  private PhysicalPlan product(CartesianProductExec join) throws UntranslatableException {
    if (product || inputsByPartition() > 0) {
      throw new UntranslatableException("a Cartesian product beside other rows by partition");
    }
    product = true;
    JoinTranslator.SideTranslator sides =
        (side, broadcast, nullable) -> {
          PhysicalPlan made = side(side, broadcast, nullable);
          if (leftInputs == Fragment.NO_PRODUCT) {
            leftInputs = inputsByPartition(); // the left side comes first
          }
          return made;
        };
    PhysicalPlan joined =
        JoinTranslator.translate(JoinTranslator.SparkJoin.of(join), sides, this::over);
    productInputs = inputsByPartition();
    return joined;
  }

  /** A side of a join; rows need no order. */
  private PhysicalPlan side(SparkPlan side, boolean broadcast, boolean nullable)
      throws UntranslatableException {
    if (broadcast) {
      return source(side, InputKind.BROADCAST, nullable);
    }
    return unsorted(side);
  }

  /** What hands over rows to an operator that needs no order. */
  private PhysicalPlan unsorted(SparkPlan child) throws UntranslatableException {
    return child instanceof SortExec sort && !sort.global() ? dropped(sort) : input(child);
  }

  private PhysicalPlan dropped(SortExec sort) throws UntranslatableException {
    operators.add(sort);
    return input(sort.child());
  }

  private PhysicalPlan aggregate(BaseAggregateExec aggregate, SparkPlan child)
      throws UntranslatableException {
    int known = inputs.size();
    PhysicalPlan input = unsorted(child);
    assert inputs.size() > known;
    return SparkAggregates.translate(aggregate, input, this::parameter);
  }

  private PhysicalPlan sort(SortExec sort) throws UntranslatableException {
    Order order = orderBy(sort.child(), ScalaValues.list(sort.sortOrder()));
    return sorted(input(sort.child()), order, null, null);
  }

  /** An order of what a plan hands over. */
  private Order orderBy(SparkPlan plan, List<SortOrder> orders) throws UntranslatableException {
    ExpressionTranslator translator = over(plan);
    List<Attribute> output = ScalaValues.list(plan.output());
    List<SortKey> keys = new ArrayList<>();
    List<Expr> extra = new ArrayList<>();
    for (SortOrder order : orders) {
      Expression by = keyOf(order, output);
      Expr value = translator.translate(by == null ? order.child() : by);
      int column = value instanceof Expr.InputRef ref ? ref.index() : output.size() + extra.size();
      if (column == output.size() + extra.size()) {
        extra.add(value);
      }
      keys.add(key(order, column));
    }
    return new Order(keys, extra, orders);
  }

  private PhysicalPlan limited(SparkPlan child, int offset, int limit)
      throws UntranslatableException {
    PhysicalPlan input = input(child);
    // Spark takes the first rows by the order that its operator has as it works: it sorts no more.
    Order order =
        keepsOrder(child) ? new Order(List.of(), List.of(), List.of()) : order(child);
    Expr skipped = offset == 0 ? null : Expr.literal((long) offset, DataType.INT64);
    // Spark's limit counts the rows that are left out, and is negative where there is none.
    Expr fetch = limit < 0 ? null : Expr.literal((long) limit - offset, DataType.INT64);
    return sorted(input, order, skipped, fetch);
  }

}
