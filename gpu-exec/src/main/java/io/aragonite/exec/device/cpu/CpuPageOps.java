package io.aragonite.exec.device.cpu;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PageOps;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.page.DeltaReader;
import io.aragonite.exec.page.DictionaryReader;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.HybridReader;
import io.aragonite.exec.page.Lz4Reader;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.RowSpread;
import io.aragonite.exec.page.SnappyReader;
import io.aragonite.exec.page.StoredBytes;
import io.aragonite.exec.page.Utf8;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Pages one after the other, by the readers that files are read with on the host. Pages have rows
 * in common words of the bitmap, so that workers do not share them.
 */
final class CpuPageOps implements PageOps {
  @Override
  public PageOutcome decompress(
      ExecContext context, Buffer in, List<StoredBytes> pages, Buffer out) {
    return outcome(() -> {
      decompressAll(context, in, pages, out);
      return 0;
    });
  }

  /** What has come of pages is known at once, and told later. */
  private static PageOutcome outcome(LongSupplier work) {
    try {
      long nulls = work.getAsLong();
      return () -> nulls;
    } catch (MalformedPageException e) {
      return () -> {
        throw e;
      };
    }
  }

  private static void decompressAll(
      ExecContext context, Buffer in, List<StoredBytes> pages, Buffer out) {
    SnappyReader snappy = new SnappyReader();
    Lz4Reader lz4 = new Lz4Reader();
    for (StoredBytes page : pages) {
      context.checkCancelled();
      long from = in.slice(page.from(), page.bytes()).address();
      long to = out.slice(page.to(), page.size()).address();
      try {
        switch (page.codec()) {
          case NONE -> Mem.copy(from, to, page.size());
          case SNAPPY -> snappy.decompress(from, page.bytes(), to, page.size());
          case LZ4 -> lz4.decompress(from, page.bytes(), to, page.size());
          case OTHER -> throw new IllegalArgumentException(page.toString());
        }
      } catch (MalformedPageException e) {
        throw e.atPage(page.page());
      }
    }
  }

  @Override
  public PageOutcome decode(
      ExecContext context, Buffer in, List<EncodedPage> pages, PageOutput out) {
    out.require(in, pages);
    return outcome(() -> decodeAll(context, in, pages, out));
  }

  private static long decodeAll(
      ExecContext context, Buffer in, List<EncodedPage> pages, PageOutput out) {
    long nulls = 0;
    for (int i = 0; i < pages.size(); i++) {
      context.checkCancelled();
      long mark = context.scratch().mark();
      try {
        nulls += decode(context, in, pages.get(i), out);
      } catch (MalformedPageException e) {
        throw e.atPage(i);
      } finally {
        context.scratch().release(mark);
      }
    }
    return nulls;
  }

  private static int decode(ExecContext context, Buffer in, EncodedPage page, PageOutput out) {
    long begin = in.address() + page.offset();
    PageCursor cursor = new PageCursor(begin, begin + page.bytes());
    int rows = page.rows();
    int present = rows;
    if (page.levelBytes() != EncodedPage.NO_LEVELS) {
      int length =
          page.levelBytes() == EncodedPage.LENGTH_FIRST
              ? Mem.getInt(cursor.take(4))
              : page.levelBytes();
      long from = cursor.take(length);
      present =
          new HybridReader(from, from + length, 1)
              .readBits(out.validity().address(), page.firstRow(), rows);
    }
    int width = out.form().outWidth();
    long to = out.values().address() + (long) page.firstRow() * width;
    if (present > 0) {
      values(context, page, cursor, present, out, to);
    }
    if (present < rows) {
      long validity = out.validity().address();
      RowSpread.spread(to, page.firstRow(), rows, present, validity, width);
      RowSpread.clearNulls(to, page.firstRow(), rows, validity, width);
    }
    return rows - present;
  }

  /** Writes a page's values one behind the other. */
  private static void values(
      ExecContext context,
      EncodedPage page,
      PageCursor cursor,
      int count,
      PageOutput out,
      long to) {
    PageForm form = out.form();
    switch (page.encoding()) {
      case PLAIN -> {
        if (form == PageForm.LENGTHS) {
          lengths(cursor, count, to);
          return;
        }
        long bytes = (long) count * form.inWidth(out.width());
        form.apply(cursor.take(bytes), to, count, out.width());
      }
      case DELTA -> {
        boolean wide = form.inWidth(out.width()) == 8;
        long values = context.scratch().allocate(8L * count).address();
        new DeltaReader(cursor.at(), cursor.end()).read(values, count, wide);
        form.apply(values, to, count, out.width());
      }
      case DELTA_LENGTH -> {
        DeltaReader reader = new DeltaReader(cursor.at(), cursor.end());
        reader.read(to, count, false);
        long total = 0;
        for (int i = 0; i < count; i++) {
          int length = Mem.getInt(to + 4L * i);
          check(length >= 0, "a value is longer than its page");
          total += length;
        }
        check(total <= reader.left(), "a value is longer than its page");
      }
      case DICTIONARY -> {
        int width = form.outWidth();
        long dictionary = out.dictionary().address() + (long) page.dictionaryFirst() * width;
        DictionaryReader.read(cursor, count, dictionary, page.dictionaryCount(), width, to);
      }
    }
  }

  private static void lengths(PageCursor cursor, int count, long to) {
    for (int i = 0; i < count; i++) {
      int length = Mem.getInt(cursor.take(4));
      check(length >= 0 && length <= cursor.left(), "a value is longer than its page");
      cursor.take(length);
      Mem.putInt(to + 4L * i, length);
    }
  }

  @Override
  public PageOutcome texts(
      ExecContext context,
      Buffer in,
      List<EncodedPage> pages,
      Buffer offsets,
      Buffer validity,
      Buffer out) {
    return outcome(() -> {
      for (int i = 0; i < pages.size(); i++) {
        context.checkCancelled();
        try {
          texts(context, in, pages.get(i), offsets.address(), validity.address(), out);
        } catch (MalformedPageException e) {
          throw e.atPage(i);
        }
      }
      return 0;
    });
  }

  private static void texts(
      ExecContext context, Buffer in, EncodedPage page, long offsets, long validity, Buffer out) {
    long begin = in.address() + page.offset();
    PageCursor cursor = new PageCursor(begin, begin + page.bytes());
    boolean levels = page.levelBytes() != EncodedPage.NO_LEVELS;
    if (levels) {
      int length =
          page.levelBytes() == EncodedPage.LENGTH_FIRST
              ? Mem.getInt(cursor.take(4))
              : page.levelBytes();
      cursor.take(length);
    }
    boolean plain = page.encoding() == PageEncoding.PLAIN;
    boolean within = plain;
    for (long row = page.firstRow(); row < (long) page.firstRow() + page.rows(); row++) {
      if (levels && !Mem.getBit(validity, row)) {
        continue;
      }
      if (!within) {
        cursor = behindLengths(context, cursor);
        within = true;
      }
      int start = Mem.getInt(offsets + 4 * row);
      int length = Mem.getInt(offsets + 4 * row + 4) - start;
      cursor.take(plain ? 4 : 0);
      long from = cursor.take(length);
      check(Utf8.isValid(from, length), "a text is not valid UTF-8");
      Mem.copy(from, out.address() + start, length);
    }
  }

  /** The bytes of texts behind their lengths. */
  private static PageCursor behindLengths(ExecContext context, PageCursor page) {
    long mark = context.scratch().mark();
    try {
      DeltaReader reader = new DeltaReader(page.at(), page.end());
      reader.read(context.scratch().allocate(4L * reader.count()).address(), reader.count(), false);
      return reader;
    } finally {
      context.scratch().release(mark);
    }
  }
}
