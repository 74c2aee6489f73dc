package io.aragonite.sqltests.operators;

import io.aragonite.exec.testing.TestSample;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestWatcher;
import org.opentest4j.TestAbortedException;

/**
 * Watches each operator test: where its queries ran, whether it passed, and whether that is at
 * least what the stored file says. A test that is worse than stored fails.
 */
final class OperatorListener
    implements BeforeAllCallback, AfterAllCallback, InvocationInterceptor, TestWatcher {
  /** The shares that run a day: of all tests, and of queries that a test has asked before. */
  private static final double TESTS = 0.25;

  private static final double REPEATED = 0.1;
  private static final TestSample SAMPLE = new TestSample(GpuSqlOperatorTest.class);
  private static final OperatorListener NONE = new OperatorListener();

  /** The one that watches; tests of this class run one after another. */
  private static OperatorListener current = NONE;

  private final List<QueryTrace> traces = new ArrayList<>();
  private final OperatorRun run = new OperatorRun();
  private final Set<String> queries = new HashSet<>();

  /** Hears of each connection that a test opens. */
  static void opened(Connection connection) {
    current.traces.add(QueryTrace.of(connection));
  }

  /** Hears of a query whose decimals are right but for zeros at their end. */
  static void trailingZeros() {
    current.run.trailingZeros();
  }

  /** Hears of a query that we answer otherwise on purpose. */
  static void deviation() {
    current.run.deviation();
  }

  /**
   * Whether a query is left out because the test that runs has asked it before, with functions of
   * another library or a hundred times for a random number: all but some of these.
   */
  static boolean leavesOut(String query) {
    return !current.queries.add(query) && !OperatorRun.updating() && !SAMPLE.has(REPEATED);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    current = this;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    current = NONE;
    run.report();
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    run.skipped();
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    draw(invocation, context.getRequiredTestMethod().getName());
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    String arguments =
        method.getArguments().stream()
            .filter(argument -> argument instanceof Enum || argument instanceof String)
            .map(String::valueOf)
            .collect(Collectors.joining(","));
    draw(invocation, method.getExecutable().getName() + "(" + arguments.replace(' ', '_') + ")");
  }

  /** Runs a test if it is one of today's. */
  private void draw(Invocation<Void> invocation, String test) throws Throwable {
    if (OperatorRun.updating() || SAMPLE.has(TESTS)) {
      watch(invocation, test);
    } else {
      invocation.skip();
      run.leftOut();
    }
  }

  private void watch(Invocation<Void> invocation, String test) throws Throwable {
    traces.clear();
    queries.clear();
    Throwable error = null;
    try {
      invocation.proceed();
    } catch (TestAbortedException e) {
      run.skipped();
      throw e;
    } catch (Throwable e) {
      error = e;
    }
    judge(test, error);
  }

  private void judge(String test, Throwable error) throws Throwable {
    TreeSet<String> fallbacks = new TreeSet<>();
    TreeSet<String> hostFunctions = new TreeSet<>();
    boolean asked = false;
    for (QueryTrace trace : traces) {
      asked |= trace.asked();
      fallbacks.addAll(trace.fallbacks());
      hostFunctions.addAll(trace.hostFunctions());
    }
    run.queries(traces.size());
    Standing standing =
        error != null
            ? Standing.FAILED
            : !fallbacks.isEmpty()
                ? Standing.FALLBACK
                : !hostFunctions.isEmpty()
                    ? Standing.HOST
                    : asked ? Standing.DEVICE : Standing.NOTHING;
    run.finished(
        test,
        standing,
        hostFunctions,
        error == null ? fallbacks : new TreeSet<>(List.of(String.valueOf(error.getMessage()))));
    if (error != null) {
      throw error;
    }
    Standing before = run.stored().standing(test);
    if (standing.compareTo(before) > 0 && !OperatorRun.updating()) {
      throw new AssertionError(
          String.format(
              Locale.ROOT,
              "%s was %s before; now it is %s: %s",
              test,
              before,
              standing,
              String.join("; ", standing == Standing.FALLBACK ? fallbacks : hostFunctions)));
    }
  }
}
