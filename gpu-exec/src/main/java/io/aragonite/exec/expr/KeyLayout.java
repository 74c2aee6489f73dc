package io.aragonite.exec.expr;

import java.util.List;

/**
 * How several key values become one 64-bit word (see {@link Expr.KeyWord}). Either all keys are
 * packed, so that equal words mean equal keys, or they are hashed, so that equal keys have equal
 * words and whoever finds equal words must still compare the keys.
 *
 * @param exact packed (true) or hashed (false)
 * @param parts for a packed word one part a key, from the low bits up; empty for a hashed one
 */
public record KeyLayout(boolean exact, List<KeyField> parts) {
  /** The hashed layout, for any types. */
  public static final KeyLayout HASHED = new KeyLayout(false, List.of());

  /**
   * One key in a packed word: {@code value - min}, plus one if the key may be null, in {@code bits}
   * bits; zero stands for null.
   */
  public record KeyField(long min, int bits, boolean mayBeNull) {
    /** What a value is more than its bits. */
    public long zero() {
      return mayBeNull ? min - 1 : min;
    }
  }
}
