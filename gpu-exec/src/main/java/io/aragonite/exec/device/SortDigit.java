package io.aragonite.exec.device;

/**
 * A part of an order as an unsigned number in some bits of a word, so that comparing numbers
 * compares rows; see {@link SortOps#sortDigit}.
 *
 * <p>The number of a value that is not null is as {@link DigitKind} says, complemented (within
 * {@code bits}) if descending, but for RANGED, which counts down from {@code max} itself. The
 * number of a null is 0, or {@code max - min + 1} if it has a slot and comes last; NULLS has its
 * own.
 *
 * @param column the column's place in its batch
 * @param kind how the number is made
 * @param min for RANGED: the smallest value
 * @param max for RANGED: the largest value
 * @param bits how many bits it takes
 * @param descending larger values first: the number is complemented
 * @param nullsFirst whether null comes before all values
 * @param nullSlot for RANGED: whether a number is set aside for null; if nulls come first the
 *     numbers of values are one larger
 * @param round for TEXT: which stretch of seven bytes
 */
public record SortDigit(
    int column,
    DigitKind kind,
    long min,
    long max,
    int bits,
    boolean descending,
    boolean nullsFirst,
    boolean nullSlot,
    int round) {
  /** Forms of numbers; those without a slot for null have an undefined one for it, all the same. */
  public enum DigitKind {
    /** One bit: of a null 0 if nulls come first, else 1; of a value the other. */
    NULLS,
    /** An integer (or code, or handle) of known bounds, less the smaller one. */
    RANGED,
    /** A signed integer widened to 64 bits, its sign bit flipped. */
    SIGNED,
    /** The high half of a signed 128-bit value, its sign bit flipped. */
    HIGH,
    /** The low half of a 128-bit value. */
    LOW,
    /**
     * IEEE bits, all complemented if the sign is set, else the sign bit flipped; -0.0 is 0.0, and
     * all NaN are 0x7fc00000, so that they are greatest.
     */
    FLOAT,
    /** As FLOAT, 64 bits, NaN 0x7ff8000000000000. */
    DOUBLE,
    /**
     * The seven bytes of text from {@code 7 * round} on, the first in the highest byte, padded with
     * zeros, and in the lowest byte how many there are, 8 if more follow, so that a text comes
     * after its own prefixes; 0 if there are none.
     */
    TEXT
  }

  /** An integer that is never null, by its value from 0 to {@code max}. */
  public static SortDigit ofNumbers(long max) {
    int bits = Math.max(1, 64 - Long.numberOfLeadingZeros(max));
    return new SortDigit(0, DigitKind.RANGED, 0, max, bits, false, false, false, 0);
  }

  /** Bytes of text in one digit. */
  public static final int TEXT_BYTES = 7;

  /** The next stretch of a text. */
  public SortDigit nextRound() {
    return new SortDigit(column, kind, min, max, bits, descending, nullsFirst, nullSlot, round + 1);
  }
}
