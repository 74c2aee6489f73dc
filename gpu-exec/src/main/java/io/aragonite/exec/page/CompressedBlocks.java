package io.aragonite.exec.page;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.MalformedInputException;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Mem;

/** Runs a library's decompressor over a page. */
final class CompressedBlocks {
  private CompressedBlocks() {}

  /**
   * Decompresses a page, which must give {@code size} bytes.
   *
   * @param codec for messages
   * @throws MalformedPageException if it does not
   */
  static void decompress(
      Decompressor decompressor, String codec, long from, int compressed, long to, int size) {
    try {
      int done = decompressor.decompress(Mem.segment(from, compressed), Mem.segment(to, size));
      check(done == size, "a page gives %,d bytes instead of %,d", done, size);
    } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw malformed(codec, e);
    }
  }

  static MalformedPageException malformed(String codec, Exception cause) {
    MalformedPageException malformed =
        new MalformedPageException(
            "a page is not valid %s data (%s)".formatted(codec, AragoniteException.reason(cause)));
    malformed.initCause(cause);
    return malformed;
  }
}
