package io.aragonite.exec.page;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.airlift.compress.v3.snappy.SnappyJavaDecompressor;
import io.aragonite.exec.memory.Mem;
import java.io.IOException;
import java.util.Optional;
import java.util.ServiceLoader;

/** Undoes Snappy's compression. Not safe for several threads. */
public final class SnappyReader {
  /**
   * Literals' lengths up to this one are in their tags; those beyond say how many bytes one has.
   */
  private static final int LONG_LITERAL = 60;

  private final SnappyJavaDecompressor decompressor = new SnappyJavaDecompressor();

  /** Found when a page is decompressed for the first time. */
  private static final class Library {
    static final Optional<SnappyDecompressor> FOUND =
        ServiceLoader.load(SnappyDecompressor.class, SnappyReader.class.getClassLoader())
            .findFirst()
            .filter(SnappyDecompressor::isAvailable);
  }

  /** Refuses a size that the compressed bytes contradict, before memory is asked for. */
  public static void checkSize(long from, int compressed, int size) {
    check(
        new PageCursor(from, from + compressed).varlong() == size,
        "a page's size differs from what its compressed bytes say");
  }

  /**
   * Decompresses a page, which must give {@code size} bytes.
   *
   * @throws MalformedPageException if it does not
   */
  public void decompress(long from, int compressed, long to, int size) {
    checkSize(from, compressed, size);
    if (Library.FOUND.isPresent()) {
      decompress(Library.FOUND.get(), from, compressed, to, size);
      return;
    }
    CompressedBlocks.decompress(decompressor, "SNAPPY", from, compressed, to, size);
  }

  private static void decompress(
      SnappyDecompressor library, long from, int compressed, long to, int size) {
    try {
      int done = library.decompress(from, compressed, to);
      check(done == size, "a page gives %,d bytes instead of %,d", done, size);
    } catch (IOException e) {
      throw CompressedBlocks.malformed("SNAPPY", e);
    }
  }

  /**
   * Decompresses no more than the first bytes of a page.
   *
   * @param to room for {@code wanted} bytes
   * @return false if the page has fewer, or is not valid as far as it was looked at
   */
  public static boolean prefix(long from, int compressed, long to, int wanted) {
    try {
      PageCursor in = new PageCursor(from, from + compressed);
      in.varlong(); // its size
      int done = 0;
      while (done < wanted) {
        int tag = littleEndian(in, 1);
        if ((tag & 3) == 0) {
          int code = tag >>> 2;
          int length = code < LONG_LITERAL ? code : littleEndian(in, code - LONG_LITERAL + 1);
          int count = length < 0 ? wanted - done : Math.min(length, wanted - done - 1) + 1;
          Mem.copy(in.take(count), to + done, count);
          done += count;
        } else {
          boolean near = (tag & 3) == 1;
          int length = near ? 4 + (tag >>> 2 & 7) : 1 + (tag >>> 2);
          int distance =
              near
                  ? tag >>> 5 << 8 | littleEndian(in, 1)
                  : littleEndian(in, (tag & 3) == 2 ? Short.BYTES : Integer.BYTES);
          check(distance > 0 && distance <= done, "a copy from before the page");
          int count = Math.min(length, wanted - done);
          copyBack(to + done, distance, count);
          done += count;
        }
      }
      return true;
    } catch (MalformedPageException e) {
      return false;
    }
  }

  /** What is copied may begin to repeat itself. */
  private static void copyBack(long to, int distance, int count) {
    if (distance >= count) {
      Mem.copy(to - distance, to, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      Mem.putByte(to + i, Mem.getByte(to + i - distance));
    }
  }

  private static int littleEndian(PageCursor in, int bytes) {
    long at = in.take(bytes);
    int value = 0;
    for (int i = 0; i < bytes; i++) {
      value |= (Mem.getByte(at + i) & 0xFF) << 8 * i;
    }
    return value;
  }
}
