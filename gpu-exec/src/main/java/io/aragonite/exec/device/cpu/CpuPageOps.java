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
import io.aragonite.exec.page.PageTexts;
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
  private static final String SHARES_TOO_MUCH = "a value shares more bytes than the one before has";

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
      case DELTA_STRINGS -> strings(context, cursor, count, to);
      case DICTIONARY -> {
        int width = form.outWidth();
        long dictionary = out.dictionary().address() + (long) page.dictionaryFirst() * width;
        DictionaryReader.read(cursor, count, dictionary, page.dictionaryCount(), width, to);
      }
    }
  }

  /** The lengths of texts that begin as those before them do. */
  private static void strings(ExecContext context, PageCursor cursor, int count, long to) {
    long prefixes = context.scratch().allocate(4L * count).address();
    DeltaReader prefix = new DeltaReader(cursor.at(), cursor.end());
    prefix.read(prefixes, count, false);
    DeltaReader suffix = new DeltaReader(prefix.at(), prefix.end());
    suffix.read(to, count, false);
    long total = 0;
    int before = 0;
    for (int i = 0; i < count; i++) {
      int shared = Mem.getInt(prefixes + 4L * i);
      int own = Mem.getInt(to + 4L * i);
      check(shared >= 0 && shared <= before, SHARES_TOO_MUCH);
      total += own;
      check(own >= 0 && total <= suffix.left(), "a value is longer than its page");
      before = shared + own;
      Mem.putInt(to + 4L * i, before);
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
      ExecContext context, Buffer in, List<EncodedPage> pages, PageTexts texts) {
    texts.require(pages);
    return outcome(() -> {
      for (int i = 0; i < pages.size(); i++) {
        context.checkCancelled();
        try {
          texts(context, in, pages.get(i), texts);
        } catch (MalformedPageException e) {
          throw e.atPage(i);
        }
      }
      return 0;
    });
  }

  private static void texts(ExecContext context, Buffer in, EncodedPage page, PageTexts texts) {
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
    boolean within = false;
    long before = 0;
    int bytesBefore = 0;
    for (long row = page.firstRow(); row < (long) page.firstRow() + page.rows(); row++) {
      if (levels && !Mem.getBit(texts.validity().address(), row)) {
        continue;
      }
      if (!within) {
        cursor = behindLengths(context, page.encoding(), cursor);
        within = true;
      }
      int start = Mem.getInt(texts.offsets().address() + 4 * row);
      int length = Mem.getInt(texts.offsets().address() + 4 * row + 4) - start;
      long to = texts.out().address() + start;
      if (page.encoding() == PageEncoding.DICTIONARY) {
        word(texts, row, to, length);
        continue;
      }
      int shared = 0;
      if (page.encoding() == PageEncoding.DELTA_STRINGS) {
        shared = Mem.getInt(texts.places().address() + 4 * row);
        check(shared >= 0 && shared <= Math.min(bytesBefore, length), SHARES_TOO_MUCH);
        Mem.copy(before, to, shared);
      }
      cursor.take(page.encoding() == PageEncoding.PLAIN ? 4 : 0);
      Mem.copy(cursor.take((long) length - shared), to + shared, length - shared);
      check(Utf8.isValid(to, length), "a text is not valid UTF-8");
      before = to;
      bytesBefore = length;
    }
  }

  /** Copies the text of a row that is in the dictionary. */
  private static void word(PageTexts texts, long row, long to, int length) {
    int place = Mem.getInt(texts.places().address() + 4 * row);
    Buffer words = texts.words();
    check(place >= 0 && (long) place + length <= words.size(), "a page ends too early");
    Mem.copy(words.address() + place, to, length);
  }

  /** A page's bytes behind what is in front of all texts. */
  private static PageCursor behindLengths(
      ExecContext context, PageEncoding encoding, PageCursor page) {
    return switch (encoding) {
      case DELTA_LENGTH -> behindLengths(context, page);
      case DELTA_STRINGS -> behindLengths(context, behindLengths(context, page));
      default -> page;
    };
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
