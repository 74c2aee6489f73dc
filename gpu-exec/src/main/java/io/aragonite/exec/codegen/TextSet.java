package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.KeyHash;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An immutable set of texts in native memory. */
final class TextSet {
  private final Arena arena = Arena.ofAuto();

  /** 0 in a slot that is empty. */
  final long[] addresses;

  final int[] lengths;
  private final int mask;

  /**
   * @param members String or byte[]
   */
  TextSet(List<Object> members) {
    int capacity = Math.max(4, Integer.highestOneBit(Math.max(1, members.size())) * 4);
    addresses = new long[capacity];
    lengths = new int[capacity];
    mask = capacity - 1;
    for (Object member : members) {
      byte[] bytes =
          member instanceof byte[] given
              ? given
              : ((String) member).getBytes(StandardCharsets.UTF_8);
      long address = CodeConstants.copy(arena, bytes);
      if (!contains(address, bytes.length)) {
        int slot = (int) hash(address, bytes.length) & mask;
        while (addresses[slot] != 0) {
          slot = slot + 1 & mask;
        }
        addresses[slot] = address;
        lengths[slot] = bytes.length;
      }
    }
  }

  private static long hash(long address, int length) {
    long hash = KeyHash.ofBytes(address, length);
    return hash ^ hash >>> 32;
  }

  boolean contains(long address, int length) {
    int slot = (int) hash(address, length) & mask;
    while (addresses[slot] != 0) {
      if (Texts.equal(addresses[slot], lengths[slot], address, length)) {
        return true;
      }
      slot = slot + 1 & mask;
    }
    return false;
  }
}
