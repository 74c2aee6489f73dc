package io.aragonite.adapter.format.parquet;

import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.PageCursor;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.apache.parquet.format.Encoding;
import org.jspecify.annotations.Nullable;

/** Where the values of a column chunk's pages go. */
interface PageValues extends AutoCloseable {
  /** Takes the dictionary page's {@code count} values, which are PLAIN. */
  void dictionary(PageCursor page, int count);

  /**
   * Takes a data page's values that are not null.
   *
   * @param row where the page's rows begin within the column
   * @param rows of the page
   * @param count values that are not null
   * @param validity bitmap of the column's rows, 0 if none of the page's is null
   */
  void page(Encoding encoding, PageCursor page, int row, int rows, int count, long validity);

  /**
   * Bytes that the first {@code count} values of a page that has more take as a rule; what is read
   * of them may be read again from the whole page. {@link Long#MAX_VALUE}: not known, or not so.
   */
  long most(Encoding encoding, int count);

  /** Bytes of indices into a dictionary of some size. */
  static long indexBytes(int size, int count) {
    long bits = (long) Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, size));
    return 64 + count * bits / 8;
  }

  /** The column, when all pages have been taken: values, or numbers in {@link #words}. */
  Column column(ColumnShape shape, int rows, @Nullable Buffer validity);

  /** The values that a column of numbers stands for; null if it has its values. */
  default @Nullable PartDictionary words() {
    return null;
  }

  /** Whether times had digits behind the milliseconds, which are cut off. */
  default boolean cut() {
    return false;
  }

  /** Whether some values did not fit the bytes that they were to have. */
  default boolean overflows() {
    return false;
  }

  @Override
  void close();
}
