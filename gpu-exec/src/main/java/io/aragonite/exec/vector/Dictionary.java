package io.aragonite.exec.vector;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The distinct values of a text or binary column in ascending order of their unsigned bytes, which
 * for UTF-8 is the order of code points. Codes are positions in it, so comparing codes compares
 * values. Immutable; identity is equality, and two columns with the same Dictionary object may be
 * compared by code.
 */
public final class Dictionary {
  private final byte[][] values;
  private final Map<Class<?>, Object> derived = new ConcurrentHashMap<>(4);

  /**
   * @param sortedValues distinct values in ascending unsigned byte order; kept, not copied
   */
  public Dictionary(byte[][] sortedValues) {
    this.values = sortedValues;
    for (int i = 1; i < values.length; i++) {
      if (Arrays.compareUnsigned(values[i - 1], values[i]) >= 0) {
        throw new IllegalArgumentException("dictionary values are not in order at " + i);
      }
    }
  }

  public int size() {
    return values.length;
  }

  /** The value of a code; not to be changed. */
  public byte[] bytes(int code) {
    return values[code];
  }

  public String text(int code) {
    return new String(values[code], StandardCharsets.UTF_8);
  }

  /** The code of a value, or {@code -(insertion point) - 1} if it is not in the dictionary. */
  public int find(byte[] value) {
    return Arrays.binarySearch(values, value, Arrays::compareUnsigned);
  }

  /**
   * What is made of the values once, and freed with the dictionary. It may refer to the dictionary,
   * which the values of a map with weak keys may not. Safe for several threads.
   *
   * @param type of what is made, of which there is one
   */
  public <T> T derived(Class<T> type, Function<Dictionary, T> make) {
    return type.cast(derived.computeIfAbsent(type, t -> make.apply(this)));
  }
}
