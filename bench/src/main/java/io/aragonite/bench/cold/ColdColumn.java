package io.aragonite.bench.cold;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A column of the report: one engine's times of all statements.
 *
 * @param engine its name
 * @param which process or round it is, as {@code , round 2}; empty for the first of both
 * @param open from the start of the process to the connection; null where each query has a process
 * @param times by the statement's name
 */
record ColdColumn(
    String engine, String which, @Nullable ColdTime open, Map<String, ColdTime> times) {

  /** A round of a process. */
  static ColdColumn of(
      String engine, String which, ColdProcess process, int round, List<String> queries) {
    Map<String, ColdTime> times = new LinkedHashMap<>();
    for (String query : queries) {
      ColdTime time = process.time(round, query);
      if (time != null) {
        times.put(query, time);
      }
    }
    return new ColdColumn(engine, which, round == 1 ? process.open() : null, times);
  }

  String name() {
    return engine + which;
  }

  /** The sum of all that ran, the opening included; null if nothing did. */
  @Nullable ColdTime total() {
    if (times.isEmpty()) {
      return null;
    }
    double millis = open == null ? 0 : open.millis();
    double cpuMillis = open == null ? 0 : open.cpuMillis();
    double planMillis = 0;
    for (ColdTime time : times.values()) {
      millis += time.millis();
      planMillis += time.planMillis();
      cpuMillis += time.cpuMillis();
    }
    return new ColdTime(0, "", millis, planMillis, cpuMillis);
  }
}
