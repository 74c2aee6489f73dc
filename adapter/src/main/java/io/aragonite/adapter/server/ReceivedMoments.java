package io.aragonite.adapter.server;

import io.aragonite.adapter.parameter.ShownMoment;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Times and moments of our client, whose {@code SentMoments} writes them: decimals of a scale that
 * no number has. Their bytes are a kind, the seconds or nanoseconds that clocks show, the
 * nanoseconds of the second, and the seconds of the instant.
 */
final class ReceivedMoments {
  private static final int SCALE = 2_000_000_000;

  private static final byte TIME = 1;
  private static final byte LOCAL = 2;
  private static final byte MOMENT = 3;

  private ReceivedMoments() {}

  /** The time or moment that a parameter is; null if it is a number. */
  static @Nullable Object of(BigDecimal parameter) {
    byte[] bytes =
        parameter.scale() == SCALE ? parameter.unscaledValue().toByteArray() : new byte[0];
    if (bytes.length != 1 + 2 * Long.BYTES + Integer.BYTES) {
      return null;
    }
    ByteBuffer fields = ByteBuffer.wrap(bytes);
    byte kind = fields.get();
    long shown = fields.getLong();
    int nanos = fields.getInt();
    long instant = fields.getLong();
    try {
      return switch (kind) {
        case TIME -> LocalTime.ofNanoOfDay(shown);
        case LOCAL -> LocalDateTime.ofEpochSecond(shown, nanos, ZoneOffset.UTC);
        case MOMENT ->
            new ShownMoment(
                LocalDateTime.ofEpochSecond(shown, nanos, ZoneOffset.UTC),
                Instant.ofEpochSecond(instant, nanos));
        default -> null;
      };
    } catch (DateTimeException e) {
      return null; // a number after all, which is too large
    }
  }
}
