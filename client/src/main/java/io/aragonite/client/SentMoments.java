package io.aragonite.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.apache.calcite.avatica.ColumnMetaData.Rep;
import org.apache.calcite.avatica.remote.TypedValue;

/**
 * Times and moments on their way to the server, whose {@code ReceivedMoments} reads them. Avatica's
 * messages count milliseconds that clocks show: that leaves out nanoseconds, and which of two equal
 * hours it is when clocks go back. So one is a decimal of a scale that no number has: its bytes are
 * a kind, the seconds or nanoseconds that clocks show, the nanoseconds of the second, and the
 * seconds of the instant.
 */
final class SentMoments {
  /** Far beyond the digits that a decimal of SQL has. */
  private static final int SCALE = 2_000_000_000;

  private static final byte TIME = 1;
  private static final byte LOCAL = 2;
  private static final byte MOMENT = 3;

  private SentMoments() {}

  static TypedValue time(LocalTime time) {
    return value(TIME, time.toNanoOfDay(), 0, 0);
  }

  static TypedValue local(LocalDateTime shown) {
    return value(LOCAL, shown.toEpochSecond(ZoneOffset.UTC), shown.getNano(), 0);
  }

  /**
   * @param shown what clocks show at the instant
   */
  static TypedValue moment(LocalDateTime shown, Instant instant) {
    return value(
        MOMENT,
        shown.toEpochSecond(ZoneOffset.UTC),
        instant.getNano(),
        instant.getEpochSecond());
  }

  private static TypedValue value(byte kind, long shown, int nanos, long instant) {
    ByteBuffer bytes = ByteBuffer.allocate(1 + 2 * Long.BYTES + Integer.BYTES);
    bytes.put(kind).putLong(shown).putInt(nanos).putLong(instant);
    return TypedValue.ofSerial(
        Rep.NUMBER, new BigDecimal(new BigInteger(1, bytes.array()), SCALE));
  }
}
