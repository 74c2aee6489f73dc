package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/**
 * Key words that are looked up in a {@link HashTable}: word i is that of row i of the values, or of
 * row {@code rows[i]} where there are such, so that the words of a filter's rows need not be
 * copied.
 *
 * @param values words of {@code bytes} each
 * @param bytes of a word, 4 or 8
 * @param rows 32-bit row numbers, none of which is -1; EMPTY: the values are in order
 * @param count how many words
 */
public record ProbeWords(Buffer values, int bytes, Buffer rows, int count) {
  /** Words in order. */
  public ProbeWords(Buffer values, int bytes, int count) {
    this(values, bytes, Buffer.EMPTY, count);
  }

  /** The words from {@code from} to {@code from + some}. */
  public ProbeWords slice(int from, int some) {
    return rows.address() == 0
        ? new ProbeWords(values.slice((long) bytes * from, (long) bytes * some), bytes, some)
        : new ProbeWords(values, bytes, rows.slice(4L * from, 4L * some), some);
  }
}
