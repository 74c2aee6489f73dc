package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.DeepStack;
import io.aragonite.exec.device.CompiledAggregation;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.CompiledTableAggregation;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExpressionCache;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Expressions as PTX kernels. What has no form there is evaluated by the host, expression by
 * expression, and counted by its reason.
 */
public final class PtxExpressionCompiler implements ExpressionCompiler {
  private static final Logger LOG = LoggerFactory.getLogger(PtxExpressionCompiler.class);

  private final PtxRunner runner;
  private final ExpressionCompiler host;
  private final ExpressionCache known = new ExpressionCache();
  private final LongAdder compiled = new LongAdder();
  private final Map<String, LongAdder> onHost = new ConcurrentHashMap<>();

  /**
   * @param host evaluates expressions over the device's columns on the host, and counts them
   */
  public PtxExpressionCompiler(PtxRunner runner, ExpressionCompiler host) {
    this.runner = runner;
    this.host = host;
  }

  @Override
  public CompiledPredicate predicate(Expr predicate, List<ColumnShape> inputs) {
    compiled.increment();
    List<Expr> expressions = List.of(predicate);
    Supplier<CompiledPredicate> make = () -> new PtxPredicate(this, predicate, List.copyOf(inputs));
    return ExpressionCache.comparable(expressions)
        ? known.get(CompiledPredicate.class, expressions, inputs, make)
        : DeepStack.call(DeepStack.isDeep(expressions), make);
  }

  @Override
  public CompiledProjection projection(List<Expr> expressions, List<ColumnShape> inputs) {
    compiled.increment();
    Supplier<CompiledProjection> make =
        () -> new PtxProjection(this, List.copyOf(expressions), List.copyOf(inputs));
    return ExpressionCache.comparable(expressions)
        ? known.get(CompiledProjection.class, expressions, inputs, make)
        : DeepStack.call(DeepStack.isDeep(expressions), make);
  }

  @Override
  public @Nullable CompiledAggregation aggregation(
      @Nullable Expr predicate,
      Expr.@Nullable KeyWord group,
      int groups,
      List<Expr> sums,
      List<ColumnShape> inputs) {
    List<Expr> expressions = new ArrayList<>(sums);
    if (predicate != null) {
      expressions.add(predicate);
    }
    if (group != null) {
      expressions.add(group);
    }
    if (!ExpressionCache.comparable(expressions)) {
      return null;
    }
    PtxAggregation made =
        known.get(
            PtxAggregation.class,
            expressions,
            inputs,
            () ->
                new PtxAggregation(
                    this, predicate, group, groups, List.copyOf(sums), List.copyOf(inputs)));
    return made.isSupported() ? made : null;
  }

  @Override
  public @Nullable CompiledTableAggregation tableAggregation(
      @Nullable Expr predicate, Expr.KeyWord group, List<Expr> sums, List<ColumnShape> inputs) {
    List<Expr> expressions = new ArrayList<>(sums);
    if (predicate != null) {
      expressions.add(predicate);
    }
    expressions.add(group);
    if (!ExpressionCache.comparable(expressions)) {
      return null;
    }
    PtxTableAggregation made =
        known.get(
            PtxTableAggregation.class,
            expressions,
            inputs,
            () ->
                new PtxTableAggregation(
                    this, predicate, group, List.copyOf(sums), List.copyOf(inputs)));
    return made.isSupported() ? made : null;
  }

  PtxRunner runner() {
    return runner;
  }

  ExpressionCompiler host() {
    return host;
  }

  /** Books an expression that the host will evaluate. */
  void needsHost(String reason) {
    LOG.debug("on the host: {}", reason);
    onHost.computeIfAbsent(reason, r -> new LongAdder()).increment();
  }

  /** Books code that should have had a form in PTX. */
  void refused(PtxUntranslatable e) {
    LOG.warn("An expression runs on the host, since there is no code for {}", e.what());
    needsHost("no code for " + e.what());
  }

  /** Predicates and projections compiled so far. */
  public long compiled() {
    return compiled.sum();
  }

  /** How many expressions needed the host, by reason. */
  public Map<String, Long> onHost() {
    Map<String, Long> counts = new TreeMap<>();
    onHost.forEach((reason, count) -> counts.put(reason, count.sum()));
    return counts;
  }
}
