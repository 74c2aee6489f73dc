package io.aragonite.adapter.format.csv;

import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.type.DataType;

/**
 * Tells records that can be read, whose fields are as many as the columns and values of their
 * types, from others. Not safe for several threads.
 */
final class CsvRecordCheck {
  private final CsvLayout layout;
  private final CsvField field;
  private final ValueParser parser = new ValueParser();
  private final long end;
  private final long[] starts;
  private long behind;

  /**
   * @param end behind the last record
   */
  CsvRecordCheck(CsvLayout layout, long end) {
    this.layout = layout;
    this.starts = new long[layout.columns().size()];
    this.field = new CsvField(layout.scanner(), layout.quote());
    this.end = end;
  }

  /** Whether the record that begins at {@code at} can be read. */
  boolean isValid(long at) {
    int columns = starts.length;
    boolean valid = true;
    int count = 0;
    for (long next = at; ; next = field.stop + 1) {
      if (count < columns) {
        starts[count] = next;
      }
      if (!field.find(next, end)) {
        field.stop = CsvScanner.brokenEnd(next, end);
        valid = false;
      }
      valid = valid && count < columns && isValue(layout.columns().get(count));
      count++;
      if (CsvScanner.isRecordEnd(field.stop, end)) {
        behind = field.stop + 1;
        return valid && count == columns;
      }
    }
  }

  /** Where a field of the last record begins, which can be read. */
  long start(int column) {
    return starts[column];
  }

  /** Where the record begins that follows the last one. */
  long behind() {
    return behind;
  }

  private boolean isValue(CsvColumn column) {
    DataType type = column.type();
    NullTexts nulls = layout.nulls();
    if (type.kind().isText()) {
      return nulls.isNullText(field) ? type.nullable() : isText(type);
    }
    return nulls.isNull(field)
        ? type.nullable()
        : parser.parse(type, field.from, field.to, column.declared())
            || nulls.isWord(field) && type.nullable();
  }

  private boolean isText(DataType type) {
    int length = (int) (field.to - field.from);
    boolean ascii = Utf8.isAscii(field.from, length);
    return (ascii || Utf8.isValid(field.from, length))
        && (type.precision() < 0
            || length <= type.precision()
            || field.text().codePointCount(0, field.text().length()) <= type.precision());
  }
}
