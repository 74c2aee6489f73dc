package io.aragonite.exec.expr;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.settings.EngineSettings;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The hash behind hashed key words. Each key's value has a 64-bit hash of its own, which depends on
 * the value alone and not on how it is stored; {@link #combine} chains them. With {@link
 * EngineSettings#constantHash} all words are 0.
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

  /** Whether everything is hashed to 0. */
  public static boolean zero() {
    return EngineSettings.current().constantHash();
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

  /**
   * Sixteen bytes a step, each a 128-bit product whose halves are folded (as wyhash does); what is
   * left over is read together with bytes before it, so that no byte is read alone.
   */
  public static long ofBytes(byte[] bytes) {
    int length = bytes.length;
    if (length < 8) {
      return fold(shortWord(bytes), length);
    }
    long hash = SEED;
    int at = 0;
    for (; at + 16 < length; at += 16) {
      hash = fold((long) LONGS.get(bytes, at) ^ hash, (long) LONGS.get(bytes, at + 8));
    }
    if (length - at > 8) {
      hash = fold((long) LONGS.get(bytes, at) ^ hash, at);
    }
    return fold((long) LONGS.get(bytes, length - 8) ^ hash, length);
  }

  /** As {@link #ofBytes(byte[])}, of bytes in memory. */
  public static long ofBytes(long address, int length) {
    if (length < 8) {
      return fold(shortWord(address, length), length);
    }
    long hash = SEED;
    int at = 0;
    for (; at + 16 < length; at += 16) {
      hash = fold(Mem.getLong(address + at) ^ hash, Mem.getLong(address + at + 8));
    }
    if (length - at > 8) {
      hash = fold(Mem.getLong(address + at) ^ hash, at);
    }
    return fold(Mem.getLong(address + length - 8) ^ hash, length);
  }

  /** Fewer than eight bytes as a word; with the length it tells them apart. */
  private static long shortWord(byte[] bytes) {
    long word = 0;
    for (int i = bytes.length - 1; i >= 0; i--) {
      word = word << 8 | bytes[i] & 0xFF;
    }
    return word;
  }

  private static long shortWord(long address, int length) {
    if (length >= 4) {
      long low = Mem.getInt(address) & 0xFFFFFFFFL;
      long high = Mem.getInt(address + length - 4) & 0xFFFFFFFFL;
      return low | high << 8 * (length - 4);
    }
    long word = 0;
    for (int i = length - 1; i >= 0; i--) {
      word = word << 8 | Mem.getByte(address + i) & 0xFF;
    }
    return word;
  }

  private static long fold(long x, long y) {
    long a = x ^ 0x8EBC6AF09C88C6E3L;
    long b = y ^ 0x589965CC75374CC3L;
    return a * b ^ Math.multiplyHigh(a, b);
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
