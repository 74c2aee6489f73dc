package io.aragonite.exec.device.contract;

import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.PageBytes;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.page.PageForm;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Random pages of a column, and what comes out of them. Other rows are before and behind them. */
final class PageCase {
  static final int GUARD = 40;

  private static final String[] CHARACTERS = {
    "a",
    "\u007f",
    "\u0080",
    "\u00e9",
    "\u07ff",
    "\u0800",
    "\u20ac",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\ud800\udc00",
    "\udbff\udfff"
  };

  final PageForm form;
  final int width;
  final List<EncodedPage> pages = new ArrayList<>();
  final long[] dictionary;

  /** Of the pages' rows, 0 where they are null. */
  private long[] values = new long[0];

  private boolean[] valid = new boolean[0];
  private final PageBytes image;
  private final ByteArrayOutputStream texts = new ByteArrayOutputStream();

  /** Of LENGTHS: the dictionary's texts, one behind the other, and where each begins. */
  private final byte[] words;

  private final int[] wordStarts;

  /** By row, and by value of the last page; null if its texts are in it as they are. */
  private int[] places = new int[0];

  private int @Nullable [] own;
  private final Random random;
  private final int bits;

  /**
   * @param bits of an index
   */
  PageCase(Random random, PageForm form, int width, int bits) {
    this.random = random;
    this.form = form;
    this.width = width;
    this.bits = bits;
    this.image = new PageBytes(random);
    int count = bits < 10 ? 1 << bits : 1000;
    dictionary = IntStream.range(0, 7 + count).mapToLong(i -> value()).toArray();
    wordStarts = new int[dictionary.length];
    words = form == PageForm.LENGTHS ? allWords() : new byte[0];
    // Pages begin anywhere.
    image.put(new byte[random.nextInt(9)]);
  }

  byte[] bytes() {
    return image.bytes();
  }

  /** The dictionary's texts, one behind the other. */
  byte[] words() {
    return words;
  }

  private byte[] allWords() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < dictionary.length; i++) {
      wordStarts[i] = all.size();
      all.writeBytes(text((int) dictionary[i]));
    }
    return all.toByteArray();
  }

  /**
   * Where a row's text begins in the words, or how many bytes of the text before it begins with.
   */
  int place(int row) {
    return places[row];
  }

  int rows() {
    return values.length;
  }

  long value(int row) {
    return values[row];
  }

  boolean valid(int row) {
    return valid[row];
  }

  long nulls() {
    return IntStream.range(0, rows()).filter(row -> !valid[row]).count();
  }

  private long value() {
    if (form == PageForm.LENGTHS) {
      return random.nextInt(random.nextInt(20) == 0 ? 400 : 12);
    }
    int most = form == PageForm.BIG_ENDIAN ? Math.min(8, width) : form.inWidth(0);
    if (most == 0) {
      return 0;
    }
    long any =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt(3);
          case 1 -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
          default -> random.nextLong();
        };
    return any >> 64 - 8 * most;
  }

  /** Levels of rows, of which about {@code percent} are null, in runs. */
  private long[] levels(int rows, int percent) {
    long[] levels = new long[rows];
    for (int at = 0; at < rows; ) {
      int run = 1 + random.nextInt(random.nextBoolean() ? 3 : 60);
      long level = random.nextInt(100) < percent ? 0 : 1;
      int end = Math.min(rows, at + run);
      Arrays.fill(levels, at, end, level);
      at = end;
    }
    return levels;
  }

  /**
   * Adds a page.
   *
   * @param levelBytes whether it has levels, and where their length is
   * @param percent of null rows
   */
  void add(PageEncoding encoding, int rows, int levelBytes, int percent) {
    int firstRow = GUARD + values.length;
    int before = values.length;
    long offset = image.size();
    long[] levels = levels(rows, percent);
    if (levelBytes == EncodedPage.NO_LEVELS) {
      Arrays.fill(levels, 1);
    }
    int said = levelBytes;
    if (levelBytes != EncodedPage.NO_LEVELS) {
      PageBytes some = new PageBytes(random);
      some.hybrid(levels, 1);
      if (levelBytes == EncodedPage.LENGTH_FIRST) {
        image.littleEndian(some.size(), 4);
      } else {
        said = some.size();
      }
      image.put(some.bytes());
    }
    int present = (int) Arrays.stream(levels).sum();
    int first = 7;
    int count = dictionary.length - first;
    own = null;
    long[] all = values(encoding, present, first, count);
    values = Arrays.copyOf(values, before + rows);
    valid = Arrays.copyOf(valid, before + rows);
    places = Arrays.copyOf(places, before + rows);
    int next = 0;
    for (int row = 0; row < rows; row++) {
      places[before + row] = levels[row] == 1 && own != null ? own[next] : 0;
      valid[before + row] = levels[row] == 1;
      values[before + row] = levels[row] == 1 ? all[next++] : 0;
    }
    int bytes = (int) (image.size() - offset);
    pages.add(new EncodedPage(offset, bytes, said, encoding, rows, firstRow, first, count));
    image.put(new byte[random.nextInt(5)]);
  }

  /** A text of so many bytes, of characters of up to 4. */
  private byte[] text(int length) {
    byte[] bytes = new byte[length];
    for (int at = 0; at < length; ) {
      String character = CHARACTERS[random.nextInt(random.nextBoolean() ? 1 : CHARACTERS.length)];
      byte[] one = character.getBytes(StandardCharsets.UTF_8);
      if (one.length <= length - at) {
        System.arraycopy(one, 0, bytes, at, one.length);
        at += one.length;
      }
    }
    return bytes;
  }

  private byte[] addText(int length) {
    byte[] text = text(length);
    texts.write(text, 0, text.length);
    return text;
  }

  /** The bytes of all texts, one behind the other. */
  byte[] texts() {
    return texts.toByteArray();
  }

  /**
   * Writes texts that begin as those before them do: the bytes that they share may end within a
   * character, and are not always all that they could share.
   */
  private void strings(long[] lengths, int[] shared) {
    byte[] before = {};
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    long[] more = new long[lengths.length];
    for (int i = 0; i < lengths.length; i++) {
      int cut = random.nextInt(before.length + 1);
      while (cut > 0 && cut < before.length && (before[cut] & 0xC0) == 0x80) {
        cut--;
      }
      byte[] end = text((int) value());
      byte[] text = Arrays.copyOf(before, cut + end.length);
      System.arraycopy(end, 0, text, cut, end.length);
      int common = Arrays.mismatch(before, text);
      common = common < 0 ? text.length : common;
      shared[i] = random.nextInt(4) == 0 ? random.nextInt(common + 1) : common;
      rest.write(text, shared[i], text.length - shared[i]);
      texts.writeBytes(text);
      more[i] = (long) text.length - shared[i];
      lengths[i] = text.length;
      before = text;
    }
    if (lengths.length > 0 || random.nextBoolean()) {
      image.differences(Arrays.stream(shared).asLongStream().toArray(), true);
      image.differences(more, true);
    }
    image.put(rest.toByteArray());
    own = shared;
  }

  /** Writes the values of a page, and returns them. */
  private long[] values(PageEncoding encoding, int present, int first, int count) {
    long[] all = new long[present];
    switch (encoding) {
      case PLAIN -> {
        Arrays.setAll(all, i -> value());
        for (long value : all) {
          if (form == PageForm.LENGTHS) {
            image.littleEndian(value, 4);
            image.put(addText((int) value));
          } else if (form == PageForm.BIG_ENDIAN) {
            image.bigEndian(value, width);
          } else {
            image.littleEndian(value, form.inWidth(width));
          }
        }
      }
      case DELTA_LENGTH -> {
        Arrays.setAll(all, i -> value());
        // A page without values may be without bytes.
        if (present > 0 || random.nextBoolean()) {
          image.differences(all, true);
        }
        for (long value : all) {
          image.put(addText((int) value));
        }
      }
      case DELTA_STRINGS -> strings(all, new int[present]);
      case DELTA -> {
        long step = random.nextInt(100);
        Arrays.setAll(all, i -> random.nextInt(8) == 0 ? value() : i * step);
        image.differences(all, form != PageForm.COPY8);
      }
      default -> {
        long[] indices = new long[present];
        for (int i = 0; i < present; i++) {
          boolean again = i > 0 && random.nextInt(10) > 0 && (i & 64) == 0;
          indices[i] = again ? indices[i - 1] : random.nextInt(count);
        }
        // A page without values may be without bytes.
        if (present > 0 || random.nextBoolean()) {
          image.put(bits);
          image.hybrid(indices, bits);
        }
        Arrays.setAll(all, i -> dictionary[first + (int) indices[i]]);
        if (form == PageForm.LENGTHS) {
          own = Arrays.stream(indices).mapToInt(i -> wordStarts[first + (int) i]).toArray();
          for (int i = 0; i < present; i++) {
            texts.write(words, own[i], (int) all[i]);
          }
        }
      }
    }
    return all;
  }
}
