package io.aragonite.bench.fuzz;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The processor time of a whole process by phases, of which one goes on at a time: compilers and collectors count where they work. */
final class FuzzTimes {
  private final Map<FuzzPhase, Long> nanos = new EnumMap<>(FuzzPhase.class);
  private FuzzPhase now = FuzzPhase.REST;
  private long since = processorNanos();

  /** A part of a run, which ends when it is closed. */
  interface PhaseSpan extends AutoCloseable {
    @Override
    void close();
  }

  /** Begins a phase; what makes failures smaller stays in its own. */
  PhaseSpan in(FuzzPhase phase) {
    FuzzPhase before = now;
    enter(before == FuzzPhase.REDUCING ? before : phase);
    return () -> enter(before);
  }

  boolean isReducing() {
    return now == FuzzPhase.REDUCING;
  }

  private void enter(FuzzPhase phase) {
    long read = processorNanos();
    add(now, read - since);
    since = read;
    now = phase;
  }

  void add(FuzzPhase phase, long more) {
    nanos.merge(phase, more, Long::sum);
  }

  /** Nanoseconds by phase until now. */
  Map<FuzzPhase, Long> nanos() {
    enter(now);
    return new EnumMap<>(nanos);
  }

  /** Shares in percent, the largest first. */
  static String shares(Map<FuzzPhase, Long> nanos) {
    double all = Math.max(1, nanos.values().stream().mapToLong(Long::longValue).sum());
    return nanos.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .map(entry -> "%s %.0f %%".formatted(entry.getKey(), 100 * entry.getValue() / all))
        .collect(Collectors.joining(", "));
  }

  static long processorNanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
        ? Math.max(0, system.getProcessCpuTime())
        : System.nanoTime();
  }
}
