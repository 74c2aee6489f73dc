package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.adapter.format.parquet.Scratch.ScratchUse;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.page.DeltaReader;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCursor;
import org.apache.parquet.format.Encoding;

/** Decodes physical values of fixed width. */
final class FixedPages {
  private FixedPages() {}

  /**
   * Address of {@code count} values one behind the other: in the page itself, or in scratch memory.
   */
  static long values(Encoding encoding, PageCursor page, int width, int count, Scratch scratch) {
    long bytes = (long) count * width;
    switch (encoding) {
      case PLAIN -> {
        return page.take(bytes);
      }
      case DELTA_BINARY_PACKED -> {
        check(width == 4 || width == 8, "a page of values of " + width + " bytes has differences");
        long to = scratch.get(ScratchUse.VALUES, bytes);
        new DeltaReader(page.at(), page.end()).read(to, count, width == 8);
        return to;
      }
      case BYTE_STREAM_SPLIT -> {
        long from = page.take(bytes);
        long to = scratch.get(ScratchUse.VALUES, bytes);
        for (int b = 0; b < width; b++) {
          long stream = from + (long) b * count;
          for (int i = 0; i < count; i++) {
            Mem.putByte(to + b + (long) width * i, Mem.getByte(stream + i));
          }
        }
        return to;
      }
      default ->
          throw new MalformedPageException(
              "a page of values of %d bytes has the encoding %s".formatted(width, encoding));
    }
  }

  /** Checks that values, given by offsets that begin at 0, are all of one length. */
  static void checkLengths(long offsets, int count, int width) {
    for (int i = 1; i <= count; i++) {
      check(Mem.getInt(offsets + 4L * i) == i * width, "a value is not of " + width + " bytes");
    }
  }
}
