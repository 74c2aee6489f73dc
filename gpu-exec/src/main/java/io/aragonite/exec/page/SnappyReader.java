package io.aragonite.exec.page;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.snappy.SnappyJavaDecompressor;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Mem;

/** Undoes Snappy's compression. Not safe for several threads. */
public final class SnappyReader {
  private final SnappyJavaDecompressor decompressor = new SnappyJavaDecompressor();

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
    try {
      int done = decompressor.decompress(Mem.segment(from, compressed), Mem.segment(to, size));
      check(done == size, "a page gives %,d bytes instead of %,d", done, size);
    } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
      MalformedPageException malformed =
          new MalformedPageException(
              "a page is not valid SNAPPY data (" + AragoniteException.reason(e) + ")");
      malformed.initCause(e);
      throw malformed;
    }
  }
}
