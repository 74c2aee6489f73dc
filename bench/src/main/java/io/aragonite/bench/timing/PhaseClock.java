package io.aragonite.bench.timing;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.join.BatchJoin.Phase;
import io.aragonite.exec.memory.Buffer;
import java.util.function.Consumer;

/** Books the time since the last call to the phase that began then, waiting for the device. */
public final class PhaseClock implements Consumer<Phase> {
  private final ExecContext context;
  private final Buffer word;
  private final BenchClock clock;
  private final double[] millis = new double[Phase.values().length];
  private Phase phase = Phase.OUTSIDE;
  private double since;

  /**
   * @param word eight bytes that are the clock's own
   */
  public PhaseClock(ExecContext context, Buffer word, BenchClock clock) {
    this.context = context;
    this.word = word;
    this.clock = clock;
    context.scan().fill(context, word, 8, 0, 1);
    sync(context, word);
    since = clock.nanos();
  }

  @Override
  public void accept(Phase next) {
    sync(context, word);
    double now = clock.nanos();
    millis[phase.ordinal()] += (now - since) / 1e6;
    phase = next;
    since = now;
  }

  /** Milliseconds by phase. */
  public double[] millis() {
    return millis;
  }

  /** Waits until the device has done what it was asked to. */
  public static void sync(ExecContext context, Buffer word) {
    context.device().transfers().readInt(context, word, 0);
  }
}
