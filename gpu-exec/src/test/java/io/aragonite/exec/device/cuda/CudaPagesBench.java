package io.aragonite.exec.device.cuda;

import static io.aragonite.exec.device.cuda.BenchData.mix;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.snappy.SnappyJavaCompressor;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PageOps;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.PageBytes;
import io.aragonite.exec.page.PageCodec;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.PageTexts;
import io.aragonite.exec.page.StoredBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Pages of as many rows as a row group of DuckDB has, each with bytes of its own; the bytes that
 * must be moved are the pages' and the values'.
 */
final class CudaPagesBench {
  private static final int PAGE_ROWS = 122_880;
  private static final int DICTIONARY = 4096;

  private final ExecContext context;
  private final BenchData data;
  private final int pages;
  private final PageBytes dictionary = new PageBytes(new Random(1));

  /** Measures something if it is wanted. */
  interface Measuring {
    void measure(String name, double bytes, Runnable body);
  }

  CudaPagesBench(ExecContext context, BenchData data, int rows) {
    this.context = context;
    this.data = data;
    this.pages = Math.max(1, rows / PAGE_ROWS);
  }

  void run(Measuring measuring) {
    PageBytes plain = new PageBytes(new Random(1));
    long[] indices = LongStream.range(0, PAGE_ROWS).map(i -> mix(i) & DICTIONARY - 1).toArray();
    PageBytes coded = new PageBytes(new Random(1));
    coded.put(12);
    coded.hybrid(indices, 12);
    long[] prices = Arrays.stream(indices).map(i -> 90_000 + i * 2_357).toArray();
    Arrays.stream(prices).forEach(price -> plain.littleEndian(price, 8));
    PageBytes differences = new PageBytes(new Random(1));
    differences.differences(prices, false);
    LongStream.range(0, DICTIONARY).forEach(i -> dictionary.littleEndian(90_000 + i * 2_357, 8));
    decode(measuring, "pages, plain 8", PageEncoding.PLAIN, plain.bytes(), prices, 0);
    decode(measuring, "pages, dictionary 8", PageEncoding.DICTIONARY, coded.bytes(), prices, 0);
    decode(measuring, "pages, differences 8", PageEncoding.DELTA, differences.bytes(), prices, 0);
    decode(measuring, "pages, plain 8 nulls", PageEncoding.PLAIN, plain.bytes(), prices, 10);
    List<byte[]> comments = comments();
    byte[] plainTexts = plainTexts(comments);
    texts(measuring, "pages, plain texts", PageEncoding.PLAIN, plainTexts, comments);
    texts(
        measuring,
        "pages, texts behind lengths",
        PageEncoding.DELTA_LENGTH,
        textsBehindLengths(comments),
        comments);
    List<byte[]> sorted = comments.stream().sorted(Arrays::compareUnsigned).toList();
    texts(
        measuring,
        "pages, texts behind prefixes",
        PageEncoding.DELTA_STRINGS,
        textsBehindPrefixes(sorted),
        sorted);
    words(measuring, "pages, words of a dictionary", coded.bytes(), indices, comments);
    byte[] distinct = new byte[8 * PAGE_ROWS];
    ByteBuffer numbers = ByteBuffer.wrap(distinct).order(ByteOrder.LITTLE_ENDIAN);
    LongStream.range(0, PAGE_ROWS).forEach(i -> numbers.putLong(mix(i) & 0xFFFFFF));
    for (PageCodec codec : List.of(PageCodec.SNAPPY, PageCodec.LZ4)) {
      String name = "pages, " + codec.name().toLowerCase(Locale.ROOT);
      decompress(measuring, name + " of plain 8", codec, plain.bytes());
      decompress(measuring, name + " of distinct 8", codec, distinct);
      decompress(measuring, name + " of dictionary 8", codec, coded.bytes());
      decompress(measuring, name + " of texts", codec, plainTexts);
    }
  }

  /** Texts of words, of 20 to 80 bytes, as comments are. */
  private static List<byte[]> comments() {
    String[] words =
        "furiously special requests sleep among the deposits. carefully ironic pinto beans haggle"
            .split(" ");
    List<byte[]> texts = new ArrayList<>();
    for (long i = 0; i < PAGE_ROWS; i++) {
      StringBuilder text = new StringBuilder();
      int length = 20 + (int) (mix(i) & 63) % 61;
      for (long k = 1; text.length() < length; k++) {
        text.append(words[(int) ((mix(i + (k << 32)) >>> 8) % words.length)]).append(' ');
      }
      texts.add(text.substring(0, length).getBytes(StandardCharsets.UTF_8));
    }
    return texts;
  }

  private static byte[] plainTexts(List<byte[]> texts) {
    PageBytes page = new PageBytes(new Random(1));
    for (byte[] text : texts) {
      page.littleEndian(text.length, 4);
      page.put(text);
    }
    return page.bytes();
  }

  private static byte[] textsBehindLengths(List<byte[]> texts) {
    PageBytes page = new PageBytes(new Random(1));
    page.differences(texts.stream().mapToLong(text -> text.length).toArray(), true);
    texts.forEach(page::put);
    return page.bytes();
  }

  private static byte[] textsBehindPrefixes(List<byte[]> texts) {
    long[] shared = new long[texts.size()];
    long[] more = new long[texts.size()];
    PageBytes rest = new PageBytes(new Random(1));
    for (int i = 0; i < shared.length; i++) {
      byte[] text = texts.get(i);
      int common = i == 0 ? 0 : Arrays.mismatch(texts.get(i - 1), text);
      shared[i] = common < 0 ? text.length : common;
      more[i] = text.length - shared[i];
      rest.put(Arrays.copyOfRange(text, (int) shared[i], text.length));
    }
    PageBytes page = new PageBytes(new Random(1));
    page.differences(shared, true);
    page.differences(more, true);
    page.put(rest.bytes());
    return page.bytes();
  }

  /** Texts that are in a dictionary, by the places where they begin. */
  private void words(
      Measuring measuring, String name, byte[] page, long[] indices, List<byte[]> texts) {
    long bytes = Arrays.stream(indices).map(i -> texts.get((int) i).length).sum();
    int some = (int) Math.min(pages, Integer.MAX_VALUE / bytes);
    int rows = some * PAGE_ROWS;
    long distance = padded(page.length);
    Buffer in = repeated(page, distance);
    List<EncodedPage> all = pages(PageEncoding.DICTIONARY, page.length, some, DICTIONARY);
    PageBytes lengths = new PageBytes(new Random(1));
    PageBytes starts = new PageBytes(new Random(1));
    PageBytes words = new PageBytes(new Random(1));
    for (byte[] text : texts.subList(0, DICTIONARY)) {
      lengths.littleEndian(text.length, 4);
      starts.littleEndian(words.size(), 4);
      words.put(text);
    }
    Buffer lengthOf = data.room(4L * rows);
    Buffer sums = data.room(8L * (rows + 1));
    Buffer offsets = data.room(4L * (rows + 1));
    Buffer places = data.room(4L * rows);
    Buffer wordLengths = uploaded(lengths.bytes());
    decodeWords(in, all, wordLengths, lengthOf);
    decodeWords(in, all, uploaded(starts.bytes()), places);
    long total = context.scan().exclusiveSum(context, lengthOf, rows, sums);
    context.scan().convert(context, sums, 8, rows + 1, 4, offsets);
    Buffer out = data.room(total);
    PageTexts to = new PageTexts(offsets, Buffer.EMPTY, places, uploaded(words.bytes()), out);
    measuring.measure(
        name + ", lengths",
        some * (page.length + 4.0 * PAGE_ROWS),
        () -> decodeWords(in, all, wordLengths, lengthOf));
    measuring.measure(
        name, rows * 8.0 + 2.0 * total, () -> await(context.pages().texts(context, in, all, to)));
    data.expect(name, lengthOf, rows, 4, i -> texts.get((int) indices[i % PAGE_ROWS]).length);
    data.free();
  }

  private void decodeWords(Buffer in, List<EncodedPage> pages, Buffer dictionary, Buffer out) {
    PageOutput output = new PageOutput(PageForm.COPY4, 0, dictionary, out, Buffer.EMPTY);
    await(context.pages().decode(context, in, pages, output));
  }

  private Buffer uploaded(byte[] bytes) {
    Buffer buffer = data.room(bytes.length);
    put(bytes, List.of(buffer));
    return buffer;
  }

  private void put(byte[] bytes, List<Buffer> buffers) {
    Buffer host = context.hostMemory().allocate(bytes.length);
    Mem.copy(bytes, 0, host.address(), bytes.length);
    for (Buffer to : buffers) {
      context.device().transfers().toDevice(context, host.address(), to, bytes.length);
    }
    context.hostMemory().free(host);
  }

  /** Lengths, their sums and the texts, of as many pages as have offsets of 32 bits. */
  private void texts(
      Measuring measuring, String name, PageEncoding encoding, byte[] page, List<byte[]> texts) {
    long own = texts.stream().mapToLong(text -> text.length).sum();
    int some = (int) Math.min(pages, Integer.MAX_VALUE / Math.max(own, page.length));
    int rows = some * PAGE_ROWS;
    long distance = padded(page.length);
    Buffer in = repeated(page, distance);
    List<EncodedPage> all = pages(encoding, page.length, some, 0);
    long bytes = some * own;
    Buffer lengths = data.room(4L * rows);
    Buffer sums = data.room(8L * (rows + 1));
    Buffer offsets = data.room(4L * (rows + 1));
    Buffer out = data.room(bytes);
    PageOutput output = new PageOutput(PageForm.LENGTHS, 0, Buffer.EMPTY, lengths, Buffer.EMPTY);
    measuring.measure(
        name + ", lengths",
        some * (page.length + 4.0 * PAGE_ROWS),
        () -> await(context.pages().decode(context, in, all, output)));
    context.scan().exclusiveSum(context, lengths, rows, sums);
    context.scan().convert(context, sums, 8, rows + 1, 4, offsets);
    PageTexts to = new PageTexts(offsets, Buffer.EMPTY, prefixes(in, all), Buffer.EMPTY, out);
    measuring.measure(
        name,
        some * (double) page.length + bytes,
        () -> await(context.pages().texts(context, in, all, to)));
    data.expect(name, lengths, rows, 4, i -> texts.get(i % PAGE_ROWS).length);
    data.free();
  }

  /** Pages of the same bytes, as {@link #repeated} puts them. */
  private static List<EncodedPage> pages(PageEncoding encoding, int bytes, int count, int words) {
    return IntStream.range(0, count)
        .mapToObj(i ->
            new EncodedPage(
                i * padded(bytes),
                bytes,
                EncodedPage.NO_LEVELS,
                encoding,
                PAGE_ROWS,
                i * PAGE_ROWS,
                0,
                words))
        .toList();
  }

  /** How many bytes texts share with those before, if their pages say so. */
  private Buffer prefixes(Buffer in, List<EncodedPage> pages) {
    if (pages.getFirst().encoding() != PageEncoding.DELTA_STRINGS) {
      return Buffer.EMPTY;
    }
    Buffer prefixes = data.room(4L * pages.size() * PAGE_ROWS);
    decodeWords(
        in,
        pages.stream().map(page -> page.in(PageEncoding.DELTA)).toList(),
        Buffer.EMPTY,
        prefixes);
    return prefixes;
  }

  /** The same bytes again and again, each at a multiple of 64. */
  private Buffer repeated(byte[] bytes, long distance) {
    Buffer buffer = data.room(pages * distance);
    put(
        bytes,
        IntStream.range(0, pages).mapToObj(i -> buffer.slice(i * distance, bytes.length)).toList());
    return buffer;
  }

  private static void await(PageOps.PageOutcome outcome) {
    try (outcome) {
      outcome.await();
    }
  }

  private static long padded(long bytes) {
    return bytes + 63 & -64;
  }

  /**
   * @param nulls of a hundred rows
   */
  private void decode(
      Measuring measuring,
      String name,
      PageEncoding encoding,
      byte[] values,
      long[] expected,
      int nulls) {
    PageBytes page = new PageBytes(new Random(1));
    int rows = PAGE_ROWS;
    if (nulls > 0) {
      PageBytes levels = new PageBytes(new Random(1));
      long[] ones =
          LongStream.range(0, rows).map(i -> (mix(i) >>> 8) % 100 < nulls ? 0 : 1).toArray();
      levels.hybrid(ones, 1);
      page.littleEndian(levels.bytes().length, 4);
      page.put(levels.bytes());
    }
    page.put(values);
    byte[] bytes = page.bytes();
    long distance = padded(bytes.length);
    Buffer in = repeated(bytes, distance);
    int levelBytes = nulls > 0 ? EncodedPage.LENGTH_FIRST : EncodedPage.NO_LEVELS;
    List<EncodedPage> all = new ArrayList<>();
    for (int i = 0; i < pages; i++) {
      all.add(
          new EncodedPage(
              i * distance, bytes.length, levelBytes, encoding, rows, i * rows, 0, DICTIONARY));
    }
    Buffer table = uploaded(dictionary.bytes());
    Buffer out = data.room(8L * pages * rows);
    Buffer validity = data.room(nulls > 0 ? 8L * (pages * rows / 64) : 0);
    PageOutput output = new PageOutput(PageForm.COPY8, 8, table, out, validity);
    CudaStream.of(context).fill(validity.address(), (byte) 0, validity.size());
    measuring.measure(
        name,
        pages * (bytes.length + 8.0 * rows),
        () -> await(context.pages().decode(context, in, all, output)));
    if (nulls == 0) {
      await(context.pages().decode(context, in, all, output));
      data.expect(name, out, pages * rows, 8, i -> expected[i % rows]);
    }
    data.free();
  }

  private void decompress(Measuring measuring, String name, PageCodec codec, byte[] plain) {
    Compressor compressor =
        codec == PageCodec.LZ4 ? new Lz4JavaCompressor() : new SnappyJavaCompressor();
    byte[] room = new byte[compressor.maxCompressedLength(plain.length)];
    int size = compressor.compress(plain, 0, plain.length, room, 0, room.length);
    long distance = padded(size);
    long outDistance = padded(plain.length);
    Buffer in = repeated(Arrays.copyOf(room, size), distance);
    Buffer out = data.room(pages * outDistance);
    List<StoredBytes> all = new ArrayList<>();
    for (int i = 0; i < pages; i++) {
      all.add(new StoredBytes(i, i * distance, size, i * outDistance, plain.length, codec));
    }
    measuring.measure(
        name,
        pages * ((double) size + plain.length),
        () -> await(context.pages().decompress(context, in, all, out)));
    await(context.pages().decompress(context, in, all, out));
    data.check(
        name,
        out.slice((pages - 1) * outDistance, plain.length),
        plain.length,
        1,
        (row, value) -> (byte) value == plain[row] ? null : "not " + plain[row]);
    data.free();
  }
}
