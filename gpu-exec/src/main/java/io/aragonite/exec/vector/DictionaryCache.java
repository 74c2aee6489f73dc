package io.aragonite.exec.vector;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The same texts get the same dictionary: what two compilations of an expression yield can be
 * compared by code, and what was compiled for the texts of one task serves others. Safe for several
 * threads.
 */
public final class DictionaryCache {
  private static final int MAX_DICTIONARIES = 256;

  private final int mostTexts;

  private final Map<List<ByteBuffer>, Dictionary> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<ByteBuffer>, Dictionary> eldest) {
          return size() > MAX_DICTIONARIES;
        }
      };

  /**
   * @param mostTexts of a dictionary that is kept; larger ones are new each time
   */
  public DictionaryCache(int mostTexts) {
    this.mostTexts = mostTexts;
  }

  /**
   * The dictionary of texts.
   *
   * @param values distinct ones in ascending unsigned byte order; may be kept, and not copied
   */
  public synchronized Dictionary of(byte[][] values) {
    if (values.length > mostTexts) {
      return new Dictionary(values);
    }
    List<ByteBuffer> key = new ArrayList<>();
    for (byte[] value : values) {
      key.add(ByteBuffer.wrap(value));
    }
    return known.computeIfAbsent(key, k -> new Dictionary(values));
  }
}
