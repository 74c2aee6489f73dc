package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.StoredBytes;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.StoredPage;
import java.util.ArrayList;
import java.util.List;

/**
 * Chunks of a column that a device decodes together: their bytes go there as they are, those that
 * are compressed are decompressed there, then dictionaries are decoded, and the pages last.
 */
final class EncodedBatch {
  /** Bytes between two pages, a header's, that are copied with them rather than left out. */
  private static final int GAP = 1024;

  private static final int LINE = 64;

  private final EncodedColumn column;
  private final List<Place> places = new ArrayList<>();
  private final List<ColumnMemory.Copy> regions = new ArrayList<>();
  private long storedBytes;
  private long imageBytes;
  private boolean compressed;
  private int dictionaryValues;

  /** A page, and where it is in what is copied and in what is decompressed. */
  private record Place(
      StoredPage page,
      int chunk,
      int number,
      long stored,
      long image,
      int firstRow,
      int dictionaryFirst,
      int dictionaryCount) {}

  EncodedBatch(EncodedColumn column) {
    this.column = column;
  }

  /** Bytes of device memory that it takes for a while, about. */
  long bytes() {
    return storedBytes
        + (compressed ? imageBytes : 0)
        + (long) dictionaryValues * column.form().outWidth();
  }

  /** Bytes that go to the device. */
  long storedBytes() {
    return storedBytes;
  }

  /**
   * Adds a chunk.
   *
   * @param number of the chunk within the column
   * @param firstRow where its rows begin
   */
  void add(int number, EncodedChunk chunk, int firstRow) {
    int row = firstRow;
    int dictionaryFirst = dictionaryValues;
    int dictionaryCount = 0;
    for (int i = 0; i < chunk.pages().size(); i++) {
      StoredPage page = chunk.pages().get(i);
      if (page.dictionary()) {
        dictionaryFirst = dictionaryValues;
        dictionaryCount = page.rows();
        dictionaryValues += page.rows();
      }
      places.add(
          new Place(
              page,
              number,
              i,
              store(page),
              imageBytes,
              page.dictionary() ? dictionaryFirst : row,
              dictionaryFirst,
              dictionaryCount));
      row += page.dictionary() ? 0 : page.rows();
      imageBytes += (long) page.size() + LINE - 1 & -LINE;
      compressed |= page.compressed();
    }
  }

  /** Where a page's bytes go: behind those of the page before, if they are so in the file. */
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
    long begin = storedBytes + LINE - 1 & -LINE;
    // Offsets until there is a buffer.
    regions.add(new ColumnMemory.Copy(page.address(), new Buffer(begin, page.bytes())));
    storedBytes = begin + page.bytes();
    return begin;
  }

  /**
   * Decodes all chunks.
   *
   * @param out without a dictionary
   * @return how many rows are null
   */
  long decode(ExecContext context, ColumnMemory memory, PageOutput out) {
    List<Buffer> temporary = new ArrayList<>();
    try {
      Buffer stored = take(context, temporary, storedBytes);
      memory.toDevice(
          context,
          regions.stream()
              .map(region -> new ColumnMemory.Copy(region.host(), slice(stored, region.device())))
              .toList());
      Buffer image = stored;
      if (compressed) {
        image = take(context, temporary, imageBytes);
        decompress(context, stored, image);
      }
      Buffer dictionary = take(context, temporary, (long) dictionaryValues * out.form().outWidth());
      PageOutput values =
          new PageOutput(out.form(), out.width(), Buffer.EMPTY, dictionary, Buffer.EMPTY);
      decode(context, image, true, values);
      return decode(
          context,
          image,
          false,
          new PageOutput(out.form(), out.width(), dictionary, out.values(), out.validity()));
    } finally {
      temporary.forEach(context.memory()::free);
    }
  }

  private static Buffer take(ExecContext context, List<Buffer> temporary, long bytes) {
    QueryMemory memory = context.memory();
    Buffer buffer = memory.allocate(bytes);
    temporary.add(buffer);
    return buffer;
  }

  private static Buffer slice(Buffer of, Buffer offsets) {
    return of.slice(offsets.address(), offsets.size());
  }

  private void decompress(ExecContext context, Buffer stored, Buffer image) {
    List<StoredBytes> parts = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      Place place = places.get(i);
      StoredPage page = place.page;
      int plain = page.compressed() ? page.plainBytes() : page.size();
      if (plain > 0) {
        parts.add(new StoredBytes(i, place.stored, plain, place.image, plain, false));
      }
      int size = page.size() - plain;
      if (page.compressed() && size > 0) {
        parts.add(
            new StoredBytes(
                i, place.stored + plain, page.bytes() - plain, place.image + plain, size, true));
      }
    }
    try {
      context.pages().decompress(context, stored, parts, image);
    } catch (MalformedPageException e) {
      throw broken(places.get(e.page()), e);
    }
  }

  /** Decodes the dictionaries, or the pages that have rows. */
  private long decode(ExecContext context, Buffer image, boolean dictionaries, PageOutput out) {
    List<Place> some =
        places.stream().filter(place -> place.page.dictionary() == dictionaries).toList();
    List<EncodedPage> pages = some.stream().map(this::encoded).toList();
    try {
      return context.pages().decode(context, image, pages, out);
    } catch (MalformedPageException e) {
      throw broken(some.get(e.page()), e);
    }
  }

  private EncodedPage encoded(Place place) {
    StoredPage page = place.page;
    return new EncodedPage(
        compressed ? place.image : place.stored,
        page.size(),
        page.levelBytes(),
        page.encoding(),
        page.rows(),
        place.firstRow,
        place.dictionaryFirst,
        place.dictionaryCount);
  }

  private RuntimeException broken(Place place, MalformedPageException e) {
    return column.broken(place.chunk, place.number, e);
  }
}
