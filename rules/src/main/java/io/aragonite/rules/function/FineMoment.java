package io.aragonite.rules.function;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * A time or timestamp with more than milliseconds within a list, a map or a row. Those that have no
 * more are numbers of milliseconds there, as Calcite has them: a moment has one form whatever its
 * type's precision is. Code of Calcite's, which knows the numbers alone, fails over this class; it
 * loses no digits.
 */
public final class FineMoment extends Number {
  private static final long serialVersionUID = 1;
  private static final int NANOS_PER_MILLI = 1_000_000;

  private final long millis;
  private final int nanos;

  private FineMoment(long millis, int nanos) {
    this.millis = millis;
    this.nanos = nanos;
  }

  /**
   * What a list has of a moment: an Integer of a time and a Long of a timestamp with no more than
   * milliseconds, else one of this class.
   *
   * @param value in the unit of {@code type}
   * @param type a TIME, TIMESTAMP or instant
   */
  public static Object of(long value, DataType type) {
    int perMilli = (int) type.timestampUnit().perMilli();
    long millis = Math.floorDiv(value, perMilli);
    int rest = (int) (value - millis * perMilli);
    return of(millis, rest * (NANOS_PER_MILLI / perMilli), type.kind() == TypeKind.TIME);
  }

  /**
   * As {@link #of(long, DataType)}.
   *
   * @param millis since 1970, or of the day
   * @param nanos from 0 to 999,999, after the millisecond
   */
  public static Object of(long millis, int nanos, boolean time) {
    if (nanos != 0) {
      return new FineMoment(millis, nanos);
    }
    return time ? (Object) (int) millis : millis;
  }

  /**
   * What {@link #of} was made of; digits behind those of the type are cut off.
   *
   * @throws ArithmeticException if the type's unit does not reach as far
   */
  public static long in(Object moment, DataType type) {
    TimestampUnit unit = type.timestampUnit();
    if (!(moment instanceof FineMoment fine)) {
      return TimestampUnit.MILLIS.to(unit, ((Number) moment).longValue());
    }
    long nanosPerUnit = NANOS_PER_MILLI / unit.perMilli();
    // The first moment of a range is later than the begin of its millisecond.
    return fine.millis < 0
        ? Math.addExact(
            TimestampUnit.MILLIS.to(unit, fine.millis + 1),
            Math.floorDiv(fine.nanos - NANOS_PER_MILLI, nanosPerUnit))
        : Math.addExact(TimestampUnit.MILLIS.to(unit, fine.millis), fine.nanos / nanosPerUnit);
  }

  /** Milliseconds of a moment in a list, cut off. */
  public static long millis(Object moment) {
    return moment instanceof FineMoment fine ? fine.millis : ((Number) moment).longValue();
  }

  /** The nanoseconds behind {@link #millis(Object)}. */
  public static int nanos(Object moment) {
    return moment instanceof FineMoment fine ? fine.nanos : 0;
  }

  /** What has milliseconds instead, as Calcite has it; all else as it is. */
  public static @Nullable Object cut(@Nullable Object value) {
    return value instanceof FineMoment fine ? (Object) fine.millis : value;
  }

  @Override
  public long longValue() {
    throw MillisFunctions.refused("timestamp " + this);
  }

  @Override
  public int intValue() {
    return (int) longValue();
  }

  @Override
  public float floatValue() {
    return longValue();
  }

  @Override
  public double doubleValue() {
    return longValue();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FineMoment fine && fine.millis == millis && fine.nanos == nanos;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(millis) + nanos;
  }

  @Override
  public String toString() {
    int ofMilli = Math.floorMod(millis, 1000) * NANOS_PER_MILLI;
    return LocalDateTime.ofEpochSecond(
            Math.floorDiv(millis, 1000L), ofMilli + nanos, ZoneOffset.UTC)
        .toString()
        .replace('T', ' ');
  }
}
