package io.aragonite.rules.limit;

import io.aragonite.exec.settings.PlanningSettings;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptPlanner;
import org.jspecify.annotations.Nullable;

/**
 * What the planning of one statement may take: time and rule firings. Once one of them is spent,
 * steps that only make a plan better are left out, and EXPLAIN says which; what every plan needs
 * runs to its end. Used by the planning thread only.
 *
 * <p>Time is what the thread has worked, as far as the system tells: a plan is kept and runs often,
 * so it should not be worse because others kept the processors busy while it was made, or because
 * tables had to be read.
 */
public final class PlanningBudget {
  /** This share of the time passes before anybody asks what the thread has worked. */
  private static final int UNASKED = 8;

  private static final long UNKNOWN = -1;

  private final long startNanos = System.nanoTime();
  private final PlanningSettings limits;
  private final Set<String> leftOut = new LinkedHashSet<>();

  /** What the thread had worked when an eighth of the time had passed. */
  private long workedBefore = UNKNOWN;

  private long firings;
  private boolean spent;

  /** Begins now. */
  public PlanningBudget(PlanningSettings limits) {
    this.limits = limits;
  }

  /** That of a planner; one without end if it has none. */
  public static PlanningBudget of(RelOptPlanner planner) {
    return of(planner.getContext());
  }

  static PlanningBudget of(@Nullable Context context) {
    PlanningBudget budget = context == null ? null : context.unwrap(PlanningBudget.class);
    return budget == null ? new PlanningBudget(PlanningSettings.ENDLESS) : budget;
  }

  /** Counts the firing of a rule. */
  public void fired() {
    firings++;
  }

  /** Rules that have fired. */
  public long firings() {
    return firings;
  }

  /**
   * Whether a step that makes a plan better may begin, or go on.
   *
   * @param step its name for EXPLAIN, which is kept if it may not
   */
  public boolean allows(String step) {
    if (!spent) {
      spent = firings > limits.firings() || timeIsSpent();
    }
    if (spent) {
      leftOut.add(step);
    }
    return !spent;
  }

  private boolean timeIsSpent() {
    long limit = TimeUnit.MILLISECONDS.toNanos(limits.millis());
    long passed = System.nanoTime() - startNanos;
    if (passed <= limit / UNASKED) {
      return false;
    }
    long worked = worked();
    if (workedBefore == UNKNOWN) {
      workedBefore = worked;
    }
    // All of the first eighth is taken for work.
    return passed > limit
        && (worked == UNKNOWN || worked - workedBefore >= limit - limit / UNASKED);
  }

  /** Nanoseconds for which this thread has worked. */
  private static long worked() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    boolean known =
        threads.isCurrentThreadCpuTimeSupported() && !Thread.currentThread().isVirtual();
    return known ? threads.getCurrentThreadCpuTime() : UNKNOWN;
  }

  /** The steps that were not allowed, in their order. */
  public List<String> leftOut() {
    return List.copyOf(leftOut);
  }
}
