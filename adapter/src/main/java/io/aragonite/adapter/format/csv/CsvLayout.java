package io.aragonite.adapter.format.csv;

import java.util.List;

/**
 * How a delimited file is to be read.
 *
 * @param quote -1 if none is special
 * @param dataOffset bytes in front of the first record of data: a byte order mark, the header
 * @param lenient whether records with other fields, or values of other types, are left out
 */
record CsvLayout(
    char delimiter,
    int quote,
    long dataOffset,
    List<CsvColumn> columns,
    NullTexts nulls,
    boolean lenient) {
  CsvScanner scanner() {
    return new CsvScanner(delimiter, quote);
  }
}
