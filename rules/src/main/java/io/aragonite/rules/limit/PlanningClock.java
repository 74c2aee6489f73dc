package io.aragonite.rules.limit;

import java.util.EnumMap;
import java.util.Map;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptPlanner;
import org.jspecify.annotations.Nullable;

/** How long the phases of one statement's planning took. Used by the planning thread only. */
public final class PlanningClock {
  private final Map<PlanningPhase, Long> nanos = new EnumMap<>(PlanningPhase.class);
  private @Nullable PlanningPhase running;
  private long since;

  /** Ends the phase that runs, and begins another. */
  public static void begin(RelOptPlanner planner, PlanningPhase phase) {
    Context context = planner.getContext();
    PlanningClock clock = context == null ? null : context.unwrap(PlanningClock.class);
    if (clock != null) {
      clock.begin(phase);
    }
  }

  /** Ends the phase that runs, and begins another. */
  public void begin(PlanningPhase phase) {
    end();
    running = phase;
    since = System.nanoTime();
  }

  /** Ends the phase that runs. */
  public void end() {
    if (running != null) {
      nanos.merge(running, System.nanoTime() - since, Long::sum);
      running = null;
    }
  }

  /** Nanoseconds of the phases that have ended. */
  public Map<PlanningPhase, Long> nanos() {
    return Map.copyOf(nanos);
  }
}
