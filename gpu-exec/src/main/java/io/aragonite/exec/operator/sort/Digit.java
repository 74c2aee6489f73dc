package io.aragonite.exec.operator.sort;

/**
 * A part of an order as an unsigned number in some bits of a word, so that comparing numbers
 * compares rows.
 *
 * @param column the column
 * @param kind how the number is made
 * @param min for RANGED: the smallest value
 * @param max for RANGED: the largest value
 * @param bits how many bits it takes
 * @param descending larger values first: the number is complemented
 * @param nullsFirst whether null comes before all values
 * @param nullSlot for RANGED: whether a number is set aside for null
 * @param round for TEXT: which stretch of seven bytes
 */
record Digit(
    int column,
    Kind kind,
    long min,
    long max,
    int bits,
    boolean descending,
    boolean nullsFirst,
    boolean nullSlot,
    int round) {
  /** Forms of numbers; those without a slot for null have an undefined one for it, all the same. */
  enum Kind {
    /** One bit: null or not. */
    NULLS,
    /** An integer of known bounds, null included. */
    RANGED,
    /** A signed 64-bit value. */
    SIGNED,
    /** The high half of a signed 128-bit value. */
    HIGH,
    /** The low half of a 128-bit value. */
    LOW,
    /** IEEE floats, -0.0 as 0.0, NaN greatest. */
    FLOAT,
    DOUBLE,
    /**
     * Seven bytes of text, padded with zeros, and in the lowest byte how many there are, 8 if more
     * follow; so a text comes after its own prefixes.
     */
    TEXT
  }

  /** Bytes of text in one digit. */
  static final int TEXT_BYTES = 7;

  Digit nextRound() {
    return new Digit(column, kind, min, max, bits, descending, nullsFirst, nullSlot, round + 1);
  }
}
