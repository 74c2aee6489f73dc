package io.aragonite.exec.page;

/**
 * A page of a column that is not nested, or of its dictionary, within a buffer: perhaps definition
 * levels (one bit a row, run lengths and packed bits), then values. No number here is taken from
 * the page's own bytes.
 *
 * @param offset where its bytes begin, not compressed
 * @param bytes how many
 * @param levelBytes how many of them are levels; {@link #NO_LEVELS} or {@link #LENGTH_FIRST}
 * @param rows of the page
 * @param firstRow where they begin in what comes out
 * @param dictionaryFirst where the values begin that its indices are of, among all dictionaries'
 * @param dictionaryCount how many there are
 */
public record EncodedPage(
    long offset,
    int bytes,
    int levelBytes,
    PageEncoding encoding,
    int rows,
    int firstRow,
    int dictionaryFirst,
    int dictionaryCount) {
  /** There are no levels: no row is null. */
  public static final int NO_LEVELS = -1;

  /** The first four bytes, little-endian, say how many bytes of levels are behind them. */
  public static final int LENGTH_FIRST = -2;

  /** The same bytes in another encoding. */
  public EncodedPage in(PageEncoding other) {
    return new EncodedPage(
        offset, bytes, levelBytes, other, rows, firstRow, dictionaryFirst, dictionaryCount);
  }
}
