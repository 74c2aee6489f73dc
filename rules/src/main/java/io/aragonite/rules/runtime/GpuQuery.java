package io.aragonite.rules.runtime;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.HostFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.NestedDecoder;
import io.aragonite.rules.translate.RuntimeValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.AbstractEnumerable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.jspecify.annotations.Nullable;

/**
 * A subtree of a query that is ready to run on an engine, any number of times. Generated code holds
 * it and asks for its rows.
 */
public final class GpuQuery {
  private final PhysicalPlan plan;
  private final RelDataType rowType;
  private final Map<RelNode, PhysicalPlan> plans;
  private final RuntimeValues runtimeValues;
  private final @Nullable EngineProvider engines;
  private final Set<String> hostFunctions;
  private final AtomicBoolean loaded = new AtomicBoolean();
  private final AtomicLong runNanos = new AtomicLong();
  private final AtomicLong runs = new AtomicLong();

  /**
   * @param plans which plan each node of the tree became
   * @param engines where it runs; null: nobody has said
   */
  public GpuQuery(
      RelDataType rowType,
      PhysicalPlan plan,
      Map<RelNode, PhysicalPlan> plans,
      RuntimeValues runtimeValues,
      @Nullable EngineProvider engines) {
    this.plan = plan;
    this.rowType = rowType;
    this.plans = plans;
    this.runtimeValues = runtimeValues;
    this.engines = engines;
    this.hostFunctions = HostFunctionNames.of(plan);
  }

  public PhysicalPlan plan() {
    return plan;
  }

  /** The functions that the device does not know itself and calls in Java, row by row. */
  public Set<String> hostFunctions() {
    return hostFunctions;
  }

  /** Those of them that a node of the tree calls itself, in alphabetical order. */
  public Set<String> hostFunctions(RelNode node) {
    PhysicalPlan own = plans.get(node);
    return own == null
        ? Set.of()
        : HostFunctionNames.of(
            own, node.getInputs().stream().map(plans::get).filter(Objects::nonNull).toList());
  }

  /** The plan node that a node of the tree became, null if it has none of its own. */
  public @Nullable PhysicalPlan planOf(RelNode node) {
    return plans.get(node);
  }

  /** Says that a run has ended, in which rows were waited for so long. */
  public void ran(long nanos) {
    if (loaded.getAndSet(true)) {
      runNanos.addAndGet(nanos);
      runs.incrementAndGet();
    }
  }

  /** How long rows of all runs were waited for but for the first, which loads tables. */
  public long runNanos() {
    return runNanos.get();
  }

  /** The mean of these runs; 0 if there was none. */
  public long meanRunNanos() {
    return runNanos.get() / Math.max(1, runs.get());
  }

  /**
   * The same query, some of whose columns come as the bytes that tables store for lists, rows and
   * maps: what is decoded lives on the host until its query ends.
   *
   * @param wanted says so of a column and its decoder
   */
  public GpuQuery stored(BiPredicate<Integer, NestedDecoder> wanted) {
    if (!(plan instanceof PhysicalPlan.Project project)) {
      return this;
    }
    List<Expr> expressions = new ArrayList<>();
    for (Expr expression : project.expressions()) {
      boolean bytes =
          expression instanceof Expr.HostFunctionCall call
              && call.function() instanceof NestedDecoder decoder
              && wanted.test(expressions.size(), decoder);
      expressions.add(bytes ? stored((Expr.HostFunctionCall) expression) : expression);
    }
    return expressions.equals(project.expressions())
        ? this
        : new GpuQuery(
            rowType,
            new PhysicalPlan.Project(project.input(), expressions),
            plans,
            runtimeValues,
            engines);
  }

  private static Expr stored(Expr.HostFunctionCall call) {
    HostFunction bytes = ((NestedDecoder) call.function()).stored();
    return bytes == null
        ? call.args().getFirst()
        : new Expr.HostFunctionCall(
            call.name(),
            bytes,
            call.args(),
            call.deterministic(),
            DataType.of(TypeKind.BINARY, true));
  }

  /** Starts an execution. The caller closes the result. */
  public BatchResult start(DataContext context) {
    if (engines == null) {
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE,
          "The query has no engine to run on; open the connection through Aragonite's driver or"
              + " use one of its tables.");
    }
    QueryOptions options =
        new QueryOptions(
            runtimeValues.begin(context),
            engines.workers(),
            engines.memoryBytes(context),
            timeout(context),
            cancelFlag(context),
            engines.join(),
            context.get(DataContext.Variable.CANCEL_FLAG.camelName));
    return engines.started(this, context, engines.engine().execute(plan, options));
  }

  private static @Nullable Duration timeout(DataContext context) {
    Object millis = DataContext.Variable.TIMEOUT.get(context);
    return millis instanceof Number number && number.longValue() > 0
        ? Duration.ofMillis(number.longValue())
        : null;
  }

  private static @Nullable BooleanSupplier cancelFlag(DataContext context) {
    Object flag = context.get(DataContext.Variable.CANCEL_FLAG.camelName);
    return flag instanceof AtomicBoolean cancelled ? cancelled::get : null;
  }

  /** The rows of an execution that starts with the first enumerator: called by generated code. */
  public Enumerable<@Nullable Object> rows(DataContext context) {
    return new AbstractEnumerable<>() {
      @Override
      public Enumerator<@Nullable Object> enumerator() {
        return rows(start(context), false);
      }
    };
  }

  /**
   * The rows of an execution that has started; closed with them.
   *
   * @param exact whether timestamps come in the unit of their type: Calcite's form has milliseconds
   */
  public RowEnumerator rows(BatchResult result, boolean exact) {
    return new RowEnumerator(
        result, rowType.getFieldList().stream().map(field -> field.getType()).toList(), exact);
  }
}
