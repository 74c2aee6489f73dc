package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCodec;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.PageTexts;
import io.aragonite.exec.page.StoredBytes;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.StoredPage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chunks of a column that a device decodes together: their bytes go there, those that are
 * compressed are decompressed there, then dictionaries are decoded, and the pages last. One batch's
 * bytes are on their way while the pages of the one before are decoded.
 */
final class EncodedBatch implements AutoCloseable {
  /** Bytes between two pages, a header's, that are copied with them rather than left out. */
  private static final int GAP = 1024;

  private static final int LINE = 64;

  private static final long STEP = 8L << 20;

  private final ExecContext context;
  private final EncodedColumn column;
  private final List<EncodedChunk> chunks = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();
  private final List<ColumnMemory.Copy> regions = new ArrayList<>();
  private final List<ColumnMemory.Copy> dictionaries = new ArrayList<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private long storedBytes;
  private long imageBytes;
  private int dictionaryValues;
  private Buffer bytes = Buffer.EMPTY;
  private Buffer dictionary = Buffer.EMPTY;
  private CopyQueue.@Nullable CopyTicket copying;

  /** A page, where it is in what is copied, and where behind that it is decompressed. */
  private record Place(
      StoredPage page,
      int chunk,
      long stored,
      long image,
      int firstRow,
      int dictionaryFirst,
      int dictionaryCount) {}

  /** What comes of some of the pages. */
  private record Outcome(List<Place> pages, PageOps.PageOutcome outcome) {}

  EncodedBatch(ExecContext context, EncodedColumn column) {
    this.context = context;
    this.column = column;
  }

  /** Bytes that go to the device. */
  long storedBytes() {
    return storedBytes;
  }

  /**
   * Adds a chunk, which is closed with the batch or before.
   *
   * @param number of the chunk within the column
   * @param firstRow where its rows begin
   */
  void add(int number, EncodedChunk chunk, int firstRow) {
    chunks.add(chunk);
    int row = firstRow;
    int dictionaryFirst = dictionaryValues;
    int width = column.form().outWidth();
    int dictionaryCount = (int) (chunk.dictionary().size() / width);
    if (dictionaryCount > 0) {
      Buffer to = new Buffer((long) dictionaryFirst * width, chunk.dictionary().size());
      dictionaries.add(new ColumnMemory.Copy(chunk.dictionary().address(), to));
      dictionaryValues += dictionaryCount;
    }
    for (StoredPage page : chunk.pages()) {
      if (page.dictionary()) {
        dictionaryFirst = dictionaryValues;
        dictionaryCount = page.rows();
        dictionaryValues += page.rows();
      }
      places.add(
          new Place(
              page,
              number,
              store(page),
              imageBytes,
              page.dictionary() ? dictionaryFirst : row,
              dictionaryFirst,
              dictionaryCount));
      row += page.dictionary() ? 0 : page.rows();
      imageBytes += page.compressed() ? (long) page.size() + LINE - 1 & -LINE : 0;
    }
  }

  /** Where a page's bytes go: behind those of the page before, if they are so in memory. */
  private long store(StoredPage page) {
    if (!regions.isEmpty()) {
      ColumnMemory.Copy last = regions.getLast();
      long end = last.host() + last.device().size();
      if (page.address() >= end && page.address() - end <= GAP) {
        long begin = last.device().address();
        long within = page.address() - last.host();
        Buffer more = new Buffer(begin, within + page.bytes());
        regions.set(regions.size() - 1, new ColumnMemory.Copy(last.host(), more));
        storedBytes = begin + more.size();
        return begin + within;
      }
    }
    // Without a gap, so that many of them are one copy. Offsets until there is a buffer.
    long begin = storedBytes;
    regions.add(new ColumnMemory.Copy(page.address(), new Buffer(begin, page.bytes())));
    storedBytes = begin + page.bytes();
    return begin;
  }

  /** Where decompressed pages begin behind those that are stored. */
  private long imageStart() {
    return storedBytes + LINE - 1 & -LINE;
  }

  /** Begins to copy all chunks' bytes to the device. */
  void copy() {
    long size = imageBytes == 0 ? storedBytes : imageStart() + imageBytes;
    bytes = context.memory().allocate(rounded(size));
    dictionary = context.memory().allocate((long) dictionaryValues * column.form().outWidth());
    List<ColumnMemory.Copy> copies = new ArrayList<>();
    regions.forEach(region -> copies.add(placed(region, bytes)));
    dictionaries.forEach(values -> copies.add(placed(values, dictionary)));
    copying = context.copies().toDevice(copies);
  }

  /** One of a few sizes, so that the next batch finds what one before has freed. */
  private static long rounded(long size) {
    return size < STEP ? Long.highestOneBit(2 * Math.max(1, size) - 1) : size + STEP - 1 & -STEP;
  }

  private static ColumnMemory.Copy placed(ColumnMemory.Copy copy, Buffer in) {
    return new ColumnMemory.Copy(
        copy.host(), in.slice(copy.device().address(), copy.device().size()));
  }

  /**
   * Has all pages decoded behind the copies.
   *
   * @param out without a dictionary
   */
  void decode(PageOutput out) {
    decompress();
    decode(true, new PageOutput(out.form(), out.width(), Buffer.EMPTY, dictionary, Buffer.EMPTY));
    decode(
        false, new PageOutput(out.form(), out.width(), dictionary, out.values(), out.validity()));
    // They are used again behind what has been asked for.
    release();
  }

  /** How many values all dictionaries have. */
  int dictionaryValues() {
    return dictionaryValues;
  }

  /**
   * Has the lengths of the dictionaries' texts decoded behind the copies.
   *
   * @return the lengths, which are there
   */
  Buffer wordLengths() {
    decompress();
    if (dictionaryValues > 0) {
      decode(true, new PageOutput(PageForm.LENGTHS, 0, Buffer.EMPTY, dictionary, Buffer.EMPTY));
      await();
    }
    return dictionary;
  }

  /** Has the dictionaries' texts copied, behind their lengths. */
  void words(Buffer offsets, Buffer out) {
    texts(true, new PageTexts(offsets, Buffer.EMPTY, out));
  }

  /**
   * Has the lengths of texts decoded, behind those of the dictionaries.
   *
   * @return how many rows are null
   */
  long lengths(Buffer lengths, Buffer validity) {
    decode(false, new PageOutput(PageForm.LENGTHS, 0, dictionary, lengths, validity));
    return await();
  }

  /** Whether some texts are not in their pages as they are. */
  boolean needsPlaces() {
    return places.stream().anyMatch(EncodedBatch::needsPlace);
  }

  private static boolean needsPlace(Place place) {
    return PageTexts.needsPlaces(place.page.encoding());
  }

  /**
   * Has the numbers decoded that such texts begin with: of words where they begin, of others how
   * many bytes of the text before. The latter are differences in front of all else.
   *
   * @param wordOffsets where the dictionaries' texts begin
   * @param out 4 bytes a row
   * @param validity zeros
   */
  void places(Buffer wordOffsets, Buffer out, Buffer validity) {
    List<Place> some = places.stream().filter(EncodedBatch::needsPlace).toList();
    List<EncodedPage> pages =
        some.stream()
            .map(this::encoded)
            .map(page ->
                page.encoding() == PageEncoding.DELTA_STRINGS ? page.in(PageEncoding.DELTA) : page)
            .toList();
    PageOutput numbers = new PageOutput(PageForm.COPY4, 0, wordOffsets, out, validity);
    outcomes.add(new Outcome(some, context.pages().decode(context, bytes, pages, numbers)));
  }

  /** Has the texts copied, behind all that, and keeps the pages no longer. */
  void texts(PageTexts texts) {
    texts(false, texts);
    release();
  }

  private void texts(boolean ofDictionaries, PageTexts texts) {
    List<Place> some = of(ofDictionaries);
    List<EncodedPage> pages = some.stream().map(this::encoded).toList();
    outcomes.add(new Outcome(some, context.pages().texts(context, bytes, pages, texts)));
  }

  /** The dictionaries, or the pages that have rows. */
  private List<Place> of(boolean dictionaries) {
    return places.stream().filter(place -> place.page.dictionary() == dictionaries).toList();
  }

  /** Rows of all pages. */
  int rows() {
    return of(false).stream().mapToInt(place -> place.page.rows()).sum();
  }

  /** Bytes of all pages when they are decompressed. */
  long pageBytes() {
    return places.stream().mapToLong(place -> place.page.size()).sum();
  }

  private void decompress() {
    if (copying != null) {
      copying.order();
    }
    List<Place> compressed = places.stream().filter(place -> place.page.compressed()).toList();
    if (!compressed.isEmpty()) {
      List<StoredBytes> parts = new ArrayList<>();
      for (int i = 0; i < compressed.size(); i++) {
        addParts(i, compressed.get(i), parts);
      }
      outcomes.add(
          new Outcome(compressed, context.pages().decompress(context, bytes, parts, bytes)));
    }
  }

  private void addParts(int number, Place place, List<StoredBytes> parts) {
    StoredPage page = place.page;
    int plain = page.plainBytes();
    long to = imageStart() + place.image;
    if (plain > 0) {
      parts.add(new StoredBytes(number, place.stored, plain, to, plain, PageCodec.NONE));
    }
    if (page.size() > plain) {
      parts.add(
          new StoredBytes(
              number,
              place.stored + plain,
              page.bytes() - plain,
              to + plain,
              page.size() - plain,
              page.codec()));
    }
  }

  /** Decodes the dictionaries, or the pages that have rows. */
  private void decode(boolean ofDictionaries, PageOutput out) {
    List<Place> some = of(ofDictionaries);
    if (!some.isEmpty()) {
      List<EncodedPage> pages = some.stream().map(this::encoded).toList();
      outcomes.add(new Outcome(some, context.pages().decode(context, bytes, pages, out)));
    }
  }

  private EncodedPage encoded(Place place) {
    StoredPage page = place.page;
    return new EncodedPage(
        page.compressed() ? imageStart() + place.image : place.stored,
        page.size(),
        page.levelBytes(),
        page.encoding(),
        page.rows(),
        place.firstRow,
        place.dictionaryFirst,
        place.dictionaryCount);
  }

  /** Waits until the host's memory is used no more, and gives it back. */
  void releaseHost() {
    CopyQueue.CopyTicket ticket = copying;
    copying = null;
    try {
      if (ticket != null) {
        ticket.await();
      }
    } finally {
      chunks.forEach(EncodedChunk::close);
      chunks.clear();
    }
  }

  /**
   * Waits until all pages have been looked at.
   *
   * @return of those that were not waited for before, how many rows are null
   */
  long await() {
    long nulls = 0;
    for (Outcome of : outcomes) {
      try {
        nulls += of.outcome.await();
      } catch (MalformedPageException e) {
        Place place = of.pages.get(e.page());
        throw column.broken(place.chunk, place.page.number(), e);
      }
    }
    closeOutcomes();
    return nulls;
  }

  private void closeOutcomes() {
    outcomes.forEach(of -> of.outcome.close());
    outcomes.clear();
  }

  private void release() {
    context.memory().free(bytes);
    context.memory().free(dictionary);
    bytes = Buffer.EMPTY;
    dictionary = Buffer.EMPTY;
  }

  @Override
  public void close() {
    try {
      releaseHost();
    } finally {
      release();
      closeOutcomes();
    }
  }
}
