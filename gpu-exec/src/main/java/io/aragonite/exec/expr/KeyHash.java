package io.aragonite.exec.expr;

import io.aragonite.exec.memory.Mem;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The hash behind hashed key words. Each key's value has a 64-bit hash of its own, which depends on
 * the value alone and not on how it is stored; {@link #combine} chains them. With the system
 * property {@code aragonite.test.hashZero} all words are 0, so that tests meet collisions.
 */
public final class KeyHash {
  /** The word of no keys, where a chain starts. */
  public static final long SEED = 0x9E3779B97F4A7C15L;

  /** The hash of a null of any type. */
  public static final long NULL = 0x5851F42D4C957F2DL;

  private static final long FACTOR = 0xA0761D6478BD642FL;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private KeyHash() {}

  /** Whether this process has been asked to hash everything to 0. */
  public static boolean zero() {
    return Boolean.getBoolean("aragonite.test.hashZero");
  }

  /** Adds a value's hash to a word. */
  public static long combine(long word, long hash) {
    long x = (word ^ hash) * 0xBF58476D1CE4E5B9L;
    x = (x ^ x >>> 32) * 0x94D049BB133111EBL;
    return x ^ x >>> 29;
  }

  public static long ofLong(long value) {
    return value * FACTOR;
  }

  /** A decimal as a 128-bit unscaled value. */
  public static long ofDecimal(long high, long low) {
    return low * FACTOR + (high ^ high >>> 31) * 0xE7037ED1A0B428DBL;
  }

  public static long ofDouble(double value) {
    long bits = Double.doubleToLongBits(value == 0 ? 0.0 : value);
    return (bits ^ bits >>> 32) * FACTOR;
  }

  public static long ofBytes(byte[] bytes) {
    long hash = bytes.length * FACTOR;
    int i = 0;
    for (; i + 8 <= bytes.length; i += 8) {
      hash = step(hash, (long) LONGS.get(bytes, i));
    }
    if (i < bytes.length) {
      long tail = 0;
      for (int j = bytes.length - 1; j >= i; j--) {
        tail = tail << 8 | bytes[j] & 0xFF;
      }
      hash = step(hash, tail);
    }
    return hash;
  }

  /** As {@link #ofBytes(byte[])}, of bytes in memory. */
  public static long ofBytes(long address, int length) {
    long hash = length * FACTOR;
    long at = address;
    long end = address + length;
    for (; at + 8 <= end; at += 8) {
      hash = step(hash, Mem.getLong(at));
    }
    if (at < end) {
      long tail = 0;
      for (long j = end - 1; j >= at; j--) {
        tail = tail << 8 | Mem.getByte(j) & 0xFF;
      }
      hash = step(hash, tail);
    }
    return hash;
  }

  private static long step(long hash, long word) {
    long a = hash ^ word;
    long high = Math.multiplyHigh(a, 0x8EBC6AF09C88C6E3L);
    return a * 0x8EBC6AF09C88C6E3L ^ high + 0x589965CC75374CC3L;
  }

  /** The hash of a boxed value. */
  static long of(@Nullable Object value) {
    return switch (value) {
      case null -> NULL;
      case Boolean truth -> ofLong(truth ? 1 : 0);
      case Long number -> ofLong(number);
      case Double number -> ofDouble(number);
      case BigDecimal decimal -> {
        BigInteger unscaled = decimal.unscaledValue();
        yield ofDecimal(unscaled.shiftRight(64).longValue(), unscaled.longValue());
      }
      case String text -> ofBytes(text.getBytes(StandardCharsets.UTF_8));
      case byte[] bytes -> ofBytes(bytes);
      default -> throw new IllegalArgumentException("no hash of " + value.getClass());
    };
  }
}
