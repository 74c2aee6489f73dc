package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How far the clocks of a time zone are from UTC, as a table of the moments when they are changed.
 * Device code searches it, so it consists of arrays. Rules that go on for ever repeat after 400
 * years, which are a whole number of weeks: the table has one such span.
 */
public final class ZoneOffsets {
  /** No offset is longer: 18 hours. */
  public static final long MOST_SECONDS = 18 * 3600;

  private static final long CYCLE = 146_097L * 86_400;

  /** Where the table ends, 2500-01-01, in seconds; the span before it repeats. */
  private static final long END = 16_725_225_600L;

  private static final int MAX_KNOWN = 1000;
  private static final Map<String, ZoneOffsets> KNOWN = new ConcurrentHashMap<>();

  /** Seconds since 1970 UTC from which on the offset behind it holds. */
  private final long[] instants;

  /** What clocks show from which on an offset is to be taken. */
  private final long[] locals;

  /** In seconds; the first holds before all changes. */
  private final long[] offsets;

  private ZoneOffsets(ZoneRules rules) {
    List<ZoneOffsetTransition> changes = new ArrayList<>(rules.getTransitions());
    Instant last = changes.isEmpty() ? Instant.MIN : changes.getLast().getInstant();
    for (ZoneOffsetTransition next = rules.nextTransition(last);
        next != null && next.toEpochSecond() < END;
        next = rules.nextTransition(next.getInstant())) {
      changes.add(next);
    }
    instants = new long[changes.size()];
    locals = new long[changes.size()];
    offsets = new long[changes.size() + 1];
    offsets[0] = rules.getOffset(Instant.MIN).getTotalSeconds();
    long shown = Long.MIN_VALUE;
    for (int i = 0; i < instants.length; i++) {
      ZoneOffsetTransition change = changes.get(i);
      instants[i] = change.toEpochSecond();
      offsets[i + 1] = change.getOffsetAfter().getTotalSeconds();
      // Both what is shown twice and what is skipped end when the new offset shows this.
      shown = Math.max(shown, instants[i] + offsets[i + 1]);
      locals[i] = shown;
    }
  }

  /**
   * The offsets of a zone: a name of the time zone database, {@code UTC} and the like, or an offset
   * such as {@code +02:00}.
   *
   * @throws EvalException INVALID_ARGUMENT if there is no such zone
   */
  public static ZoneOffsets of(String zone) {
    ZoneOffsets known = KNOWN.get(zone);
    if (known == null) {
      known = new ZoneOffsets(zoneId(zone).getRules());
      if (KNOWN.size() < MAX_KNOWN) {
        KNOWN.put(zone, known);
      }
    }
    return known;
  }

  /** As {@link #of}, but null if there is no such zone. */
  public static @Nullable ZoneOffsets known(String zone) {
    try {
      return of(zone);
    } catch (EvalException e) {
      return null;
    }
  }

  /**
   * The zone of a name, whatever its case; {@code PST} and the like are as in java.util.TimeZone.
   *
   * @throws EvalException INVALID_ARGUMENT if there is none
   */
  public static ZoneId zoneId(String zone) {
    String name = zone.strip();
    try {
      if (name.equalsIgnoreCase("Z") || name.equalsIgnoreCase("UTC")) {
        return ZoneOffset.UTC;
      }
      return ZoneId.of(name, ZoneId.SHORT_IDS);
    } catch (DateTimeException e) {
      String lower = name.toLowerCase(Locale.ROOT);
      return ZoneId.getAvailableZoneIds().stream()
          .filter(id -> id.toLowerCase(Locale.ROOT).equals(lower))
          .map(ZoneId::of)
          .findFirst()
          .orElseThrow(() ->
              new EvalException(
                  ErrorCode.INVALID_ARGUMENT,
                  "there is no time zone '%s'; zones have names such as 'Europe/Berlin', 'UTC' or '+02:00'"
                      .formatted(zone)));
    }
  }

  /** Seconds that clocks are before UTC at a moment. */
  public long atInstant(long seconds) {
    return offsets[upperBound(instants, repeated(seconds))];
  }

  /** Seconds that clocks which show {@code seconds} since 1970 are before UTC. */
  public long atLocal(long seconds) {
    return offsets[upperBound(locals, repeated(seconds))];
  }

  /** Moments behind the table are as those of its last 400 years. */
  private static long repeated(long seconds) {
    return seconds < END ? seconds : END - CYCLE + (seconds - END) % CYCLE;
  }

  /** How many of the ordered numbers are not above a value. */
  private static int upperBound(long[] ordered, long value) {
    int low = 0;
    int high = ordered.length;
    while (low < high) {
      int middle = low + high >>> 1;
      if (ordered[middle] <= value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
