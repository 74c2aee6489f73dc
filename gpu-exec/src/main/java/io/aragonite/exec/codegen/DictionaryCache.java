package io.aragonite.exec.codegen;

import io.aragonite.exec.vector.Dictionary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * Dictionaries of the texts in expressions: the same texts get the same object, so that what two
 * compilations of an expression yield can be compared by code.
 */
final class DictionaryCache {
  private static final int MAX_DICTIONARIES = 256;
  private static final int MAX_CACHED_SIZE = 100;

  private final Map<List<ByteBuffer>, Dictionary> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<ByteBuffer>, Dictionary> eldest) {
          return size() > MAX_DICTIONARIES;
        }
      };

  /** The dictionary of texts in their order. */
  synchronized Dictionary of(SortedSet<byte[]> texts) {
    byte[][] values = texts.toArray(new byte[0][]);
    if (values.length > MAX_CACHED_SIZE) {
      return new Dictionary(values);
    }
    List<ByteBuffer> key = new ArrayList<>();
    for (byte[] value : values) {
      key.add(ByteBuffer.wrap(value));
    }
    return known.computeIfAbsent(key, k -> new Dictionary(values));
  }
}
