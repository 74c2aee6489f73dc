package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.KeyHash;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.vector.Dictionary;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/** A dictionary's values in native memory, and their hashes, made once a dictionary. */
final class NativeDictionary {
  private final Arena arena = Arena.ofAuto();
  private final @Nullable String[] texts;

  /** Where the value of each code starts; one more for the end of the last. */
  final long[] starts;

  /** {@link KeyHash#ofBytes} of each value. */
  final long[] hashes;

  private NativeDictionary(Dictionary dictionary) {
    int size = dictionary.size();
    long bytes = 0;
    for (int i = 0; i < size; i++) {
      bytes += dictionary.bytes(i).length;
    }
    long address = arena.allocate(bytes + 8, 8).address();
    starts = new long[size + 1];
    hashes = new long[size];
    texts = new String[size];
    for (int i = 0; i < size; i++) {
      byte[] value = dictionary.bytes(i);
      Mem.copy(value, 0, address, value.length);
      starts[i] = address;
      hashes[i] = KeyHash.ofBytes(value);
      address += value.length;
    }
    starts[size] = address;
  }

  static NativeDictionary of(Dictionary dictionary) {
    return dictionary.derived(NativeDictionary.class, NativeDictionary::new);
  }

  int length(long code) {
    return (int) (starts[(int) code + 1] - starts[(int) code]);
  }

  /** The value of a code as a String, made once. */
  String text(long code) {
    String text = texts[(int) code];
    if (text == null) {
      text = KernelArgs.boxText(starts[(int) code], length(code));
      texts[(int) code] = text;
    }
    return text;
  }
}
