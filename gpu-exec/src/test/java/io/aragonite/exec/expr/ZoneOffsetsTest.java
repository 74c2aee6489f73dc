package io.aragonite.exec.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tables of offsets against the rules of the JDK, far beyond where tables end. */
class ZoneOffsetsTest {
  private static final List<String> ZONES =
      List.of("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "+05:30");

  @Test
  void offsetsAreThoseOfTheRules() {
    Random random = new Random(1);
    for (String zone : ZONES) {
      ZoneRules rules = ZoneId.of(zone).getRules();
      ZoneOffsets offsets = ZoneOffsets.of(zone);
      for (int i = 0; i < 20_000; i++) {
        long seconds = random.nextLong(-10_000_000_000L, 100_000_000_000L);
        check(rules, offsets, seconds);
        ZoneOffsetTransition next = rules.nextTransition(Instant.ofEpochSecond(seconds));
        if (next != null && i % 20 == 0) {
          for (long by = -7200; by <= 7200; by += 1800) {
            check(rules, offsets, next.toEpochSecond() + by);
          }
          check(rules, offsets, next.toEpochSecond() - 1);
        }
      }
    }
  }

  private static void check(ZoneRules rules, ZoneOffsets offsets, long seconds) {
    assertEquals(
        rules.getOffset(Instant.ofEpochSecond(seconds)).getTotalSeconds(),
        offsets.atInstant(seconds),
        () -> "at " + Instant.ofEpochSecond(seconds));
    LocalDateTime local = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    ZoneOffsetTransition change = rules.getTransition(local);
    ZoneOffset wanted =
        change == null
            ? rules.getOffset(local)
            : change.isGap() ? change.getOffsetBefore() : change.getOffsetAfter();
    assertEquals(
        wanted.getTotalSeconds(), offsets.atLocal(seconds), () -> "of local time " + local);
  }

  @Test
  void namesOfZones() {
    assertEquals(3600, ZoneOffsets.of("europe/berlin").atInstant(0));
    assertEquals(0, ZoneOffsets.of("utc").atLocal(12));
    assertNull(ZoneOffsets.known("Europe/Nowhere"));
    assertThrows(EvalException.class, () -> ZoneOffsets.of("Europe/Nowhere"));
  }
}
