package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.PageOps;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageBytes;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.PageTexts;
import io.aragonite.exec.page.ReferencePages;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** decode, texts. */
class PageContractTest extends Contract {
  private static final int[] LEVELS = {EncodedPage.NO_LEVELS, EncodedPage.LENGTH_FIRST, 0};

  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", LIGHT ? 20 : 150);

  /** Of texts that are in their pages as they are. */
  private static final List<PageEncoding> TEXTS =
      List.of(PageEncoding.PLAIN, PageEncoding.DELTA_LENGTH);

  private static final List<PageEncoding> ALL_TEXTS =
      Arrays.stream(PageEncoding.values()).filter(PageForm.LENGTHS::fits).toList();

  private static final byte POISON = 0x5A;

  PageContractTest(Device device) {
    super(device);
  }

  /** What a device makes of pages: values and validity with the rows around them, or an error. */
  private record Decoding(
      byte[] values, byte[] validity, long nulls, @Nullable MalformedPageException error) {}

  static byte[] poisoned(int bytes) {
    byte[] any = new byte[bytes];
    Arrays.fill(any, POISON);
    return any;
  }

  private Decoding decode(PageCase made, List<EncodedPage> pages, byte[] image) {
    int rowBytes = made.form.outWidth();
    int rows = made.rows() + 2 * PageCase.GUARD;
    Buffer in = context.bytes(image);
    Buffer dictionary =
        made.form.outWidth() == 8
            ? context.longs(made.dictionary)
            : context.ints(Arrays.stream(made.dictionary).mapToInt(v -> (int) v).toArray());
    Buffer values = context.bytes(poisoned(rows * rowBytes));
    Buffer validity = context.bytes(new byte[(rows + 63) / 64 * 8]);
    PageOutput out = new PageOutput(made.form, made.width, dictionary, values, validity);
    long nulls = -1;
    MalformedPageException error = null;
    try (PageOps.PageOutcome outcome = context.pages().decode(context, in, pages, out)) {
      nulls = outcome.await();
    } catch (MalformedPageException e) {
      error = e;
    }
    Decoding result =
        new Decoding(
            context.bytes(values, rows * rowBytes),
            context.bytes(validity, (int) validity.size()),
            nulls,
            error);
    checkGuards(made, result, rowBytes);
    List.of(in, dictionary, values, validity).forEach(context.memory()::free);
    return result;
  }

  /** Rows before and behind those of the pages are as they were. */
  private static void checkGuards(PageCase made, Decoding result, int rowBytes) {
    int begin = PageCase.GUARD;
    int end = begin + made.rows();
    for (int row = 0; row < end + PageCase.GUARD; row++) {
      if (row < begin || row >= end) {
        for (int i = 0; i < rowBytes; i++) {
          assertEquals(POISON, result.values[row * rowBytes + i], "row " + (row - begin));
        }
        assertEquals(0, result.validity[row >> 3] >> (row & 7) & 1, "row " + (row - begin));
      }
    }
  }

  private void check(PageCase made) {
    Decoding result = decode(made, made.pages, made.bytes());
    if (result.error != null) {
      throw result.error;
    }
    assertEquals(made.nulls(), result.nulls);
    int rowBytes = result.values.length / (made.rows() + 2 * PageCase.GUARD);
    for (EncodedPage page : made.pages) {
      for (int i = 0; i < page.rows(); i++) {
        int at = page.firstRow() + i;
        int row = at - PageCase.GUARD;
        long value = 0;
        for (int b = 0; b < rowBytes; b++) {
          value |= (result.values[at * rowBytes + b] & 0xFFL) << 8 * b;
        }
        long expected = made.value(row);
        assertEquals(rowBytes == 4 ? expected & 0xFFFF_FFFFL : expected, value, "row " + row);
        if (page.levelBytes() != EncodedPage.NO_LEVELS) {
          assertEquals(made.valid(row) ? 1 : 0, result.validity[at >> 3] >> (at & 7) & 1);
        }
      }
    }
  }

  private int percent() {
    return new int[] {0, 3, 50, 97, 100}[random.nextInt(5)];
  }

  @Test
  void eachEncodingOfEachForm() {
    for (PageForm form : PageForm.values()) {
      for (PageEncoding encoding : PageEncoding.values()) {
        if (!form.fits(encoding)) {
          continue;
        }
        for (int size : SIZES) {
          int width = random.nextInt(17);
          PageCase made = new PageCase(random, form, width, 1 + random.nextInt(12));
          made.add(encoding, size, LEVELS[random.nextInt(3)], percent());
          check(made);
        }
      }
    }
  }

  @Test
  void severalPages() {
    for (int round = 0; round < 20; round++) {
      PageForm form = PageForm.values()[random.nextInt(PageForm.values().length)];
      PageCase made = new PageCase(random, form, random.nextInt(9), random.nextInt(12));
      int pages = random.nextInt(20);
      for (int i = 0; i < pages; i++) {
        List<PageEncoding> all = Arrays.stream(PageEncoding.values()).filter(form::fits).toList();
        PageEncoding encoding = all.get(random.nextInt(all.size()));
        int rows = random.nextInt(4) == 0 ? 0 : random.nextInt(700);
        made.add(encoding, rows, LEVELS[random.nextInt(3)], percent());
      }
      check(made);
    }
  }

  /** What a device makes of texts, with poison behind them, or an error. */
  private record Texts(byte[] bytes, @Nullable MalformedPageException error) {}

  /** The lengths of a case's rows become offsets, and its pages are read again for the texts. */
  private Texts texts(PageCase made, byte[] image, long[] lengths, int slack) {
    int[] offsets = new int[made.rows() + 2 * PageCase.GUARD + 1];
    int[] places = new int[offsets.length - 1];
    byte[] validity = new byte[(offsets.length + 63) / 64 * 8];
    for (int row = 0; row < offsets.length - 1; row++) {
      int own = row - PageCase.GUARD;
      boolean inside = own >= 0 && own < made.rows();
      offsets[row + 1] = offsets[row] + (inside ? (int) lengths[own] : 0);
      places[row] = inside ? made.place(own) : 0;
      validity[row >> 3] |= (byte) (inside && made.valid(own) ? 1 << (row & 7) : 0);
    }
    Buffer in = context.bytes(image);
    Buffer ends = context.ints(offsets);
    Buffer bits = context.bytes(validity);
    Buffer beside = context.ints(places);
    Buffer words = context.bytes(made.words());
    int total = offsets[offsets.length - 1];
    Buffer out = context.bytes(poisoned(total + slack));
    MalformedPageException error = null;
    try (PageOps.PageOutcome outcome =
        context
            .pages()
            .texts(context, in, made.pages, new PageTexts(ends, bits, beside, words, out))) {
      assertEquals(0, outcome.await());
    } catch (MalformedPageException e) {
      error = e;
    }
    byte[] bytes = context.bytes(out, total + slack);
    for (int i = 0; i < slack; i++) {
      assertEquals(POISON, bytes[total + i]);
    }
    List.of(in, ends, bits, beside, words, out).forEach(context.memory()::free);
    return new Texts(Arrays.copyOf(bytes, total), error);
  }

  private PageCase textCase(int pages, int mostRows, List<PageEncoding> encodings) {
    PageCase made = new PageCase(random, PageForm.LENGTHS, 0, random.nextInt(9));
    for (int i = 0; i < pages; i++) {
      int rows = random.nextInt(4) == 0 ? 0 : random.nextInt(mostRows);
      PageEncoding encoding = encodings.get(random.nextInt(encodings.size()));
      made.add(encoding, rows, LEVELS[random.nextInt(3)], percent());
    }
    return made;
  }

  private static long[] lengths(PageCase made) {
    long[] lengths = new long[made.rows()];
    Arrays.setAll(lengths, made::value);
    return lengths;
  }

  @Test
  void texts() {
    for (int round = 0; round < 20; round++) {
      PageCase made = textCase(1 + random.nextInt(8), 700, ALL_TEXTS);
      Texts found = texts(made, made.bytes(), lengths(made), 9);
      if (found.error != null) {
        throw found.error;
      }
      assertArrayEquals(made.texts(), found.bytes, "round " + round);
    }
  }

  /** A text is refused if Java's decoder refuses it, and only then. */
  @Test
  void textsThatAreNotUtf8() {
    int errors = 0;
    for (int round = 0; round < ROUNDS; round++) {
      PageCase made = textCase(3, 60, TEXTS);
      byte[] image = made.bytes();
      int wrong = -1;
      byte[] expected = made.texts();
      int at = 0;
      int row = 0;
      for (int p = 0; p < made.pages.size(); p++) {
        EncodedPage page = made.pages.get(p);
        int bytes = 0;
        int present = 0;
        for (int end = row + page.rows(); row < end; row++) {
          bytes += (int) made.value(row);
          present += made.valid(row) ? 1 : 0;
        }
        int before = page.encoding() == PageEncoding.PLAIN ? 4 : 0;
        int from = (int) page.offset() + page.bytes() - bytes - before * present;
        for (int i = row - page.rows(); i < row; i++) {
          if (!made.valid(i)) {
            continue;
          }
          from += before;
          int length = (int) made.value(i);
          if (length > 0 && random.nextInt(20) == 0) {
            int place = random.nextInt(length);
            byte any = (byte) (random.nextBoolean() ? random.nextInt() : 0x80 | random.nextInt());
            image[from + place] = any;
            expected[at + place] = any;
          }
          if (!utf8(expected, at, length) && wrong < 0) {
            wrong = p;
          }
          from += length;
          at += length;
        }
      }
      Texts found = texts(made, image, lengths(made), 5);
      assertEquals(wrong, page(found.error), "round " + round);
      if (wrong < 0) {
        assertArrayEquals(expected, found.bytes);
      } else {
        errors++;
        assertTrue(String.valueOf(found.error).contains("not valid UTF-8"));
      }
    }
    assertTrue(errors > ROUNDS / 10, errors + " of " + ROUNDS);
  }

  private static boolean utf8(byte[] bytes, int from, int length) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, length));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** Characters that texts share in part, and texts longer than a block has threads. */
  @Test
  void textsThatBeginAsThoseBefore() {
    for (int round = 0; round < 10; round++) {
      PageCase made = new PageCase(random, PageForm.LENGTHS, 0, 0);
      made.add(PageEncoding.DELTA_STRINGS, 1, EncodedPage.NO_LEVELS, 0);
      made.add(PageEncoding.DELTA_STRINGS, 256, LEVELS[random.nextInt(3)], percent());
      made.add(PageEncoding.DELTA_STRINGS, 1500, LEVELS[random.nextInt(3)], percent());
      check(made);
      Texts found = texts(made, made.bytes(), lengths(made), 9);
      if (found.error != null) {
        throw found.error;
      }
      assertArrayEquals(made.texts(), found.bytes, "round " + round);
      // The last byte of the page is the end of some text.
      EncodedPage last = made.pages.getLast();
      byte[] image = made.bytes();
      image[(int) last.offset() + last.bytes() - 1] = (byte) 0xFF;
      boolean some = IntStream.range(257, made.rows()).anyMatch(row -> made.value(row) > 0);
      assertEquals(some ? 2 : -1, page(texts(made, image, lengths(made), 9).error));
    }
  }

  /** A text shares more bytes than the one before has, or fewer than none. */
  @Test
  void prefixesThatLie() {
    long[][] shared = {{1, 0}, {0, 4}, {0, -1}, {0, 3}, {0, 2}};
    long[][] more = {{3, 1}, {3, 1}, {3, 1}, {3, 1}, {3, -1}};
    for (int i = 0; i < shared.length; i++) {
      PageBytes page = new PageBytes(random);
      page.differences(shared[i], true);
      page.differences(more[i], true);
      page.put(new byte[] {'a', 'b', 'c', 'd'});
      byte[] image = page.bytes();
      PageCase made = new PageCase(random, PageForm.LENGTHS, 0, 0);
      made.add(PageEncoding.DELTA_STRINGS, 2, EncodedPage.NO_LEVELS, 0);
      EncodedPage first = made.pages.getFirst();
      EncodedPage lying =
          new EncodedPage(
              0, image.length, EncodedPage.NO_LEVELS, first.encoding(), 2, first.firstRow(), 0, 0);
      MalformedPageException error = decode(made, List.of(lying), image).error;
      String message = String.valueOf(error);
      assertEquals(i == 3, error == null, message);
      if (i < 3) {
        assertTrue(message.contains("shares more bytes"), message);
      } else if (i == 4) {
        assertTrue(message.contains("longer than its page"), message);
      }
    }
  }

  /** The page is another one than the one whose lengths were found. */
  @Test
  void textsBeyondTheirPage() {
    for (PageEncoding encoding :
        List.of(PageEncoding.PLAIN, PageEncoding.DELTA_LENGTH, PageEncoding.DELTA_STRINGS)) {
      PageCase made = new PageCase(random, PageForm.LENGTHS, 0, 0);
      made.add(encoding, 100, EncodedPage.LENGTH_FIRST, 0);
      made.add(encoding, 100, EncodedPage.NO_LEVELS, 0);
      long[] lengths = lengths(made);
      lengths[199] += 1000;
      Texts found = texts(made, made.bytes(), lengths, 5);
      assertEquals(1, page(found.error));
    }
  }

  @Test
  void indicesOfEachWidth() {
    for (int bits = 0; bits <= 32; bits++) {
      for (PageForm form : List.of(PageForm.COPY4, PageForm.COPY8)) {
        PageCase made = new PageCase(random, form, 0, bits);
        int rows = 1 + random.nextInt(1500);
        made.add(PageEncoding.DICTIONARY, rows, LEVELS[random.nextInt(3)], percent());
        check(made);
      }
    }
  }

  @Test
  void pagesThatLie() {
    PageCase made = new PageCase(random, PageForm.COPY4, 0, 3);
    made.add(PageEncoding.PLAIN, 100, EncodedPage.NO_LEVELS, 0);
    made.add(PageEncoding.DICTIONARY, 100, EncodedPage.NO_LEVELS, 0);
    EncodedPage first = made.pages.getFirst();
    EncodedPage second = made.pages.get(1);
    refuse(made, 0, "ends too early", with(first, first.bytes() - 1, 0), second);
    refuse(made, 1, "beyond its dictionary", first, with(second, second.bytes(), 1));
    refuse(made, 1, "ends too early", first, with(second, 1, 8));
    refuse(made, 1, "ends too early", first, with(second, 0, 8));
    PageCase wide = new PageCase(random, PageForm.BIG_ENDIAN, 9, 3);
    wide.add(PageEncoding.PLAIN, 10, EncodedPage.NO_LEVELS, 0);
    byte[] image = wide.bytes();
    int last = (int) (wide.pages.getFirst().offset() + 9 * 7);
    image[last] = 1;
    Decoding result = decode(wide, wide.pages, image);
    assertTrue(String.valueOf(result.error).contains("more digits than its column"));
  }

  private static EncodedPage with(EncodedPage page, int bytes, int dictionaryCount) {
    return new EncodedPage(
        page.offset(),
        bytes,
        page.levelBytes(),
        page.encoding(),
        page.rows(),
        page.firstRow(),
        page.dictionaryFirst(),
        dictionaryCount);
  }

  private void refuse(PageCase made, int page, String what, EncodedPage... pages) {
    MalformedPageException error = decode(made, List.of(pages), made.bytes()).error;
    assertTrue(String.valueOf(error).contains(what), String.valueOf(error));
    assertEquals(page, error.page());
  }

  /**
   * Bytes are turned over, pages cut off: what comes out is what the format says, or an error.
   * There are as many rounds as it takes for some of both.
   */
  @Test
  void damagedPages() {
    int errors = 0;
    int sound = 0;
    int some = ROUNDS / 10;
    for (int round = 0;
        round < ROUNDS || Math.min(errors, sound) <= some && round < 100 * ROUNDS;
        round++) {
      PageForm form = PageForm.values()[random.nextInt(PageForm.values().length)];
      PageEncoding encoding = PageEncoding.values()[random.nextInt(PageEncoding.values().length)];
      if (!form.fits(encoding)) {
        continue;
      }
      PageCase made = new PageCase(random, form, random.nextInt(12), random.nextInt(33));
      for (int i = 0; i < 3; i++) {
        made.add(encoding, random.nextInt(300), LEVELS[random.nextInt(3)], percent());
      }
      byte[] image = made.bytes();
      List<EncodedPage> pages = new ArrayList<>(made.pages);
      damage(image, pages);
      Decoding found = decode(made, pages, image);
      List<ReferencePages.@Nullable ReferenceRows> expected =
          pages.stream().map(page -> reference(made, page, image)).toList();
      assertEquals(expected.indexOf(null), page(found.error), "round " + round);
      if (found.error != null) {
        errors++;
        continue;
      }
      sound++;
      for (int i = 0; i < pages.size(); i++) {
        checkRows(made, pages.get(i), Objects.requireNonNull(expected.get(i)), found);
      }
      long nulls = expected.stream().mapToLong(rows -> rows == null ? 0 : rows.nulls).sum();
      assertEquals(nulls, found.nulls, "round " + round);
    }
    assertTrue(errors > some && sound > some, errors + " errors, " + sound + " sound");
  }

  private static ReferencePages.@Nullable ReferenceRows reference(
      PageCase made, EncodedPage page, byte[] image) {
    return ReferencePages.decode(image, page, made.form, made.width, made.dictionary);
  }

  /** All rows of a page, those that are null too. */
  private static void checkRows(
      PageCase made, EncodedPage page, ReferencePages.ReferenceRows expected, Decoding found) {
    int rowBytes = found.values.length / (made.rows() + 2 * PageCase.GUARD);
    for (int i = 0; i < page.rows(); i++) {
      int at = page.firstRow() + i;
      long value = 0;
      for (int b = 0; b < rowBytes; b++) {
        value |= (found.values[at * rowBytes + b] & 0xFFL) << 8 * b;
      }
      long mask = rowBytes == 4 ? 0xFFFF_FFFFL : -1;
      assertEquals(expected.values[i] & mask, value, "row " + i + " of " + page);
      if (page.levelBytes() != EncodedPage.NO_LEVELS) {
        int bit = found.validity[at >> 3] >> (at & 7) & 1;
        assertEquals(expected.valid[i] ? 1 : 0, bit, "row " + i + " of " + page);
      }
    }
  }

  static int page(@Nullable MalformedPageException error) {
    return error == null ? -1 : error.page();
  }

  private void damage(byte[] image, List<EncodedPage> pages) {
    for (int i = random.nextInt(3); i >= 0 && image.length > 0; i--) {
      // Rather where headers are.
      EncodedPage page = pages.get(random.nextInt(pages.size()));
      int near = (int) page.offset() + random.nextInt(Math.max(1, Math.min(12, page.bytes())));
      int at = random.nextBoolean() && near < image.length ? near : random.nextInt(image.length);
      image[at] =
          (byte) (random.nextBoolean() ? image[at] ^ 1 << random.nextInt(8) : random.nextInt());
    }
    if (random.nextInt(3) == 0) {
      int i = random.nextInt(pages.size());
      EncodedPage page = pages.get(i);
      pages.set(i, with(page, random.nextInt(page.bytes() + 1), page.dictionaryCount()));
    }
  }
}
