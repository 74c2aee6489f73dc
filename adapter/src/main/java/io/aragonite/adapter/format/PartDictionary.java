package io.aragonite.adapter.format;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;

/**
 * The values of a decoded part whose rows are numbers in this list, as a file has it: in any order,
 * and some perhaps twice or in no row.
 *
 * @param count how many
 * @param offsets count + 1 of 32 bits into {@code bytes}
 * @param bytes of the values; at least 7 bytes behind them may be read
 */
public record PartDictionary(int count, Buffer offsets, Buffer bytes) {
  /** The address of a value's first byte. */
  public long address(int number) {
    return bytes.address() + Mem.getInt(offsets.address() + 4L * number);
  }

  /** Bytes of a value. */
  public int length(int number) {
    long at = offsets.address() + 4L * number;
    return Mem.getInt(at + 4) - Mem.getInt(at);
  }
}
