package io.aragonite.exec.page;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.exec.memory.Mem;

/** Reads pages whose values are indices into a dictionary of values of one width. */
public final class DictionaryReader {
  /** Indices that are decoded at a time. */
  public static final int BLOCK = 1024;

  private DictionaryReader() {}

  /** The indices of a page: their width in bits is its first byte. */
  public static HybridReader indices(PageCursor page) {
    int width = Mem.getByte(page.take(1)) & 0xFF;
    return new HybridReader(page.at(), page.end(), width);
  }

  /**
   * @param count values of the page
   * @param dictionary address of the dictionary's values
   * @param size how many there are
   * @param width of a value: 1, 2, 4, 8 or 16 bytes
   * @param to where the values go
   */
  public static void read(
      PageCursor page, int count, long dictionary, int size, int width, long to) {
    HybridReader reader = indices(page);
    int[] indices = new int[Math.min(BLOCK, count)];
    for (int done = 0; done < count; done += BLOCK) {
      int n = Math.min(BLOCK, count - done);
      reader.read(indices, n, count - done);
      checkIndices(indices, n, size);
      gather(dictionary, indices, width, to + (long) done * width, n);
    }
  }

  /**
   * @throws MalformedPageException if one of the first {@code count} is no index below {@code size}
   */
  public static void checkIndices(int[] indices, int count, int size) {
    int wrong = 0;
    for (int i = 0; i < count; i++) {
      // Negative if the index is below 0 or not below the size.
      wrong |= indices[i] | (size - 1 - indices[i]);
    }
    check(wrong >= 0, "a page refers to values beyond its dictionary");
  }

  /** A method for each width: each is compiled once, and for nothing else. */
  private static void gather(long table, int[] from, int width, long to, int count) {
    switch (width) {
      case 1 -> gather1(table, from, to, count);
      case 2 -> gather2(table, from, to, count);
      case 4 -> gather4(table, from, to, count);
      case 8 -> gather8(table, from, to, count);
      default -> gather16(table, from, to, count);
    }
  }

  private static void gather1(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putByte(to + i, Mem.getByte(table + from[i]));
    }
  }

  private static void gather2(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putShort(to + 2L * i, Mem.getShort(table + 2L * from[i]));
    }
  }

  private static void gather4(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putInt(to + 4L * i, Mem.getInt(table + 4L * from[i]));
    }
  }

  private static void gather8(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putLong(to + 8L * i, Mem.getLong(table + 8L * from[i]));
    }
  }

  private static void gather16(long table, int[] from, long to, int count) {
    for (int i = 0; i < count; i++) {
      Mem.putLong(to + 16L * i, Mem.getLong(table + 16L * from[i]));
      Mem.putLong(to + 16L * i + 8, Mem.getLong(table + 16L * from[i] + 8));
    }
  }
}
