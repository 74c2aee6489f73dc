package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.parquet.Scratch.ScratchUse;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.page.DeltaReader;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCursor;
import org.apache.parquet.format.Encoding;

/** Decodes the values of varying length of a page, in any encoding but a dictionary's. */
final class ByteArrays {
  private ByteArrays() {}

  /**
   * Appends {@code count} values.
   *
   * @param ends where the end of each value within {@code bytes} is put, 32 bits each
   */
  static void append(
      Encoding encoding,
      PageCursor page,
      int count,
      BytesBuilder bytes,
      long ends,
      Scratch scratch) {
    switch (encoding) {
      case PLAIN -> append(page, count, bytes, ends);
      case DELTA_LENGTH_BYTE_ARRAY -> deltaLength(page, count, bytes, ends, scratch);
      case DELTA_BYTE_ARRAY -> deltaBytes(page, count, bytes, ends, scratch);
      default ->
          throw new MalformedPageException("a page of byte arrays has the encoding " + encoding);
    }
  }

  /** The same of values that are PLAIN. */
  static void append(PageCursor page, int count, BytesBuilder bytes, long ends) {
    check(page.left() >= 4L * count, "a page ends too early");
    long room = bytes.room(page.left() - 4L * count);
    long at = page.at();
    long end = page.end();
    int start = bytes.size();
    int done = 0;
    for (int i = 0; i < count; i++) {
      check(end - at >= 4, "a page ends too early");
      int length = Mem.getInt(at);
      at += 4;
      // what is left without the lengths of the other values: the room has no more
      long most = end - at - 4L * (count - i - 1);
      check(length >= 0 && length <= most, "a value is longer than its page");
      BytesBuilder.copy(at, room + done, length);
      at += length;
      done += length;
      Mem.putInt(ends + 4L * i, start + done);
    }
    page.take(at - page.at());
    bytes.advance(done);
  }

  /** Reads {@code count} lengths, none negative, and moves the page behind them. */
  private static long lengths(PageCursor page, int count, Scratch scratch, ScratchUse use) {
    DeltaReader reader = new DeltaReader(page.at(), page.end());
    long lengths = scratch.get(use, 4L * count);
    reader.read(lengths, count, false);
    int signs = 0;
    for (int i = 0; i < count; i++) {
      signs |= Mem.getInt(lengths + 4L * i);
    }
    check(signs >= 0, "a value has a negative length");
    page.take(reader.at() - page.at());
    return lengths;
  }

  private static long sum(long lengths, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += Mem.getInt(lengths + 4L * i);
    }
    return sum;
  }

  private static void deltaLength(
      PageCursor page, int count, BytesBuilder bytes, long ends, Scratch scratch) {
    long lengths = lengths(page, count, scratch, ScratchUse.LENGTHS);
    long total = sum(lengths, count);
    long from = page.take(total);
    Mem.copy(from, bytes.room(total), total);
    int end = bytes.size();
    for (int i = 0; i < count; i++) {
      end += Mem.getInt(lengths + 4L * i);
      Mem.putInt(ends + 4L * i, end);
    }
    bytes.advance((int) total);
  }

  /** Each value begins as the one before does, for as many bytes as its prefix length says. */
  private static void deltaBytes(
      PageCursor page, int count, BytesBuilder bytes, long ends, Scratch scratch) {
    long prefixes = lengths(page, count, scratch, ScratchUse.PREFIXES);
    long suffixes = lengths(page, count, scratch, ScratchUse.LENGTHS);
    long room = bytes.room(sum(prefixes, count) + sum(suffixes, count));
    long to = room;
    int last = 0;
    for (int i = 0; i < count; i++) {
      int prefix = Mem.getInt(prefixes + 4L * i);
      int suffix = Mem.getInt(suffixes + 4L * i);
      check(prefix <= last, "a value shares more bytes than the one before has");
      long from = page.take(suffix);
      Mem.copy(to - last, to, prefix);
      BytesBuilder.copy(from, to + prefix, suffix);
      last = prefix + suffix;
      to += last;
      Mem.putInt(ends + 4L * i, bytes.size() + (int) (to - room));
    }
    bytes.advance((int) (to - room));
  }
}
