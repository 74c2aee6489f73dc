package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.adapter.format.NestedBytes;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.parquet.NestedNode.LeafNode;
import io.aragonite.adapter.format.parquet.Pages.Page;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.HybridReader;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Objects;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a column within a nested one: the levels of its entries, and the values of those that
 * have one, without gaps.
 */
final class LeafReader extends PageReader {
  private static final int BLOCK = 1024;

  private final LeafNode leaf;
  private final Pages pages;
  private final PageValues values;
  private final DataType type;
  private final int entries;

  /** By entry: a byte each. */
  private final Buffer definitions;

  private final Buffer repetitions;
  private final int[] block = new int[BLOCK];
  private int done;
  private int present;
  private int page;

  // What is read entry by entry.
  private @Nullable Column column;
  private @Nullable PartDictionary words;
  private int at;
  private int value;

  LeafReader(LeafNode leaf, ColumnMetaData chunk, Pages pages, QueryMemory memory) {
    super(chunk, memory);
    ParquetColumn lies = leaf.column();
    this.leaf = leaf;
    this.pages = pages;
    this.type = Objects.requireNonNull(lies.column().type());
    var physical = Objects.requireNonNull(lies.physical());
    Conversion conversion = Objects.requireNonNull(lies.conversion());
    check(chunk.getType() == physical, "its values are " + chunk.getType() + ", not " + physical);
    long count = chunk.getNum_values();
    check(count >= 0 && count <= Integer.MAX_VALUE - 64, "it has %,d values", count);
    entries = (int) count;
    check(
        pages.span(0, entries).to() == entries,
        "its pages have not the %,d values of their column",
        entries);
    definitions = memory.allocate(entries + 8L);
    repetitions = memory.allocate(entries + 8L);
    int width = Storage.of(type).width();
    values =
        conversion.isVariable()
            ? new BytesValues(
                physical, lies.width(), conversion, entries, scratch, memory, Buffer.EMPTY)
            : new FixedValues(
                physical,
                conversion,
                new FixedValues.Widths(lies.width(), width, width),
                memory.allocate((long) entries * width),
                scratch,
                memory);
  }

  /** Decodes all pages. */
  void read() {
    long position = pages.start();
    while (done < entries) {
      Page next = pages.at(position, page);
      position = next.next();
      decode(next, page++);
    }
    ColumnShape shape = new ColumnShape(type, Storage.of(type), false, null, null);
    column = values.column(shape, present, null);
    words = values.words();
    check(
        entries == 0 || Mem.getByte(repetitions.address()) == 0,
        "its first value goes on with a row that is not there");
  }

  /** Whether times had digits behind the milliseconds, which are cut off. */
  boolean cut() {
    return values.cut();
  }

  @Override
  void dictionary(PageCursor cursor, int count) {
    values.dictionary(cursor, count);
  }

  @Override
  int entries(int count) {
    check(
        count >= 0 && count <= entries - done, "it has more than the column's %,d values", entries);
    return count;
  }

  @Override
  int wanted(Encoding encoding, int count) {
    return count;
  }

  @Override
  long most(Encoding encoding, int count) {
    return Long.MAX_VALUE;
  }

  @Override
  int levels(DataPageHeader data, PageCursor cursor, int count) {
    boolean early =
        leaf.repetition() > 0 && data.getRepetition_level_encoding() != Encoding.RLE
            || leaf.definition() > 0 && data.getDefinition_level_encoding() != Encoding.RLE;
    check(!early, "levels have an encoding of early writers");
    take(levels(cursor, leaf.repetition()), leaf.repetition(), repetitions, count);
    return take(levels(cursor, leaf.definition()), leaf.definition(), definitions, count);
  }

  /** A run of levels; empty if there are none because all are 0. */
  private static PageCursor levels(PageCursor cursor, int most) {
    if (most == 0) {
      return new PageCursor(cursor.at(), cursor.at());
    }
    int length = Mem.getInt(cursor.take(4));
    long from = cursor.take(length);
    return new PageCursor(from, from + length);
  }

  @Override
  int levels(long from, int repetition, int definition, int count) {
    long middle = from + repetition;
    take(new PageCursor(from, middle), leaf.repetition(), repetitions, count);
    return take(new PageCursor(middle, middle + definition), leaf.definition(), definitions, count);
  }

  /**
   * Takes levels, and checks that none is beyond the most.
   *
   * @return how many are the most
   */
  private int take(PageCursor from, int most, Buffer to, int count) {
    long target = to.address() + done;
    if (most == 0) {
      Mem.fill(target, count, (byte) 0);
      return count;
    }
    int width = 32 - Integer.numberOfLeadingZeros(most);
    HybridReader reader = new HybridReader(from.at(), from.end(), width);
    int highest = 0;
    for (int i = 0; i < count; i += BLOCK) {
      int n = Math.min(BLOCK, count - i);
      reader.read(block, n, count - i);
      for (int j = 0; j < n; j++) {
        check(block[j] >= 0 && block[j] <= most, "a level of %d, beyond %d", block[j], most);
        highest += block[j] == most ? 1 : 0;
        Mem.putByte(target + i + j, (byte) block[j]);
      }
    }
    return highest;
  }

  @Override
  void values(Encoding encoding, PageCursor cursor, int count, int some) {
    values.page(encoding, cursor, present, some, some, 0);
    present += some;
    done += count;
  }

  /** Whether all entries have been read. */
  boolean ends() {
    return at >= entries;
  }

  /** The definition level of the next entry. */
  int definition() {
    check(at < entries, "it has fewer rows than its row group");
    return Mem.getByte(definitions.address() + at) & 0xFF;
  }

  /** The repetition level of the next entry; 0 behind the last, as of a row that begins. */
  int repetition() {
    return at < entries ? Mem.getByte(repetitions.address() + at) & 0xFF : 0;
  }

  /** Steps over an entry. */
  void skip() {
    if (definition() == leaf.definition()) {
      value++;
    }
    at++;
  }

  /** Writes the next entry's value, or null. */
  void write(NestedBytes to) {
    boolean there = definition() == leaf.definition();
    at++;
    to.presence(there);
    if (there) {
      to.value(Objects.requireNonNull(column), words, value++);
    }
  }

  @Override
  public void close() {
    super.close();
    values.close();
  }
}
