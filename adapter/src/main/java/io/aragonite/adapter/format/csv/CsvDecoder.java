package io.aragonite.adapter.format.csv;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;

/** Decodes one column of a run of records, whose fields have been counted. */
final class CsvDecoder {
  private final CsvColumn column;
  private final DataType type;
  private final CsvErrors errors;
  private final CsvScanner scanner;
  private final CsvField field;
  private final NullTexts nulls;
  private final long start;
  private final long end;
  private final int[] starts;

  /** Fields between the one that the index knows and this column's. */
  private final int skip;

  private final QueryMemory memory;
  private boolean cut;

  CsvDecoder(
      CsvLayout layout,
      int index,
      CsvScanner scanner,
      CsvErrors errors,
      long start,
      long end,
      int[] starts,
      QueryMemory memory) {
    this.column = layout.columns().get(index);
    this.type = column.type();
    this.errors = errors;
    this.scanner = scanner;
    this.field = new CsvField(scanner, layout.quote());
    this.nulls = layout.nulls();
    this.start = start;
    this.end = end;
    this.starts = starts;
    this.skip = index % CsvPart.STRIDE;
    this.memory = memory;
  }

  Column decode(int rows) {
    ValueColumn values = new ValueColumn(type, rows, memory);
    Column decoded = type.kind().isText() ? text(values, rows) : values(values, rows);
    cut = values.cut();
    return decoded;
  }

  /** Whether times had digits that the type does not keep, which are cut off. */
  boolean cut() {
    return cut;
  }

  private void locate(int row) {
    long at = start + starts[row];
    for (int i = 0; i < skip; i++) {
      at = scanner.fieldEnd(at, end) + 1;
    }
    field.find(at, end);
  }

  private Column values(ValueColumn values, int rows) {
    for (int row = 0; row < rows; row++) {
      locate(row);
      if (nulls.isNull(field)) {
        setNull(values, row);
      } else if (values.parse(row, field.from, field.to, column.declared())) {
        continue;
      } else if (nulls.isWord(field)) {
        setNull(values, row);
      } else {
        throw errors.value(field.from, field.to, column);
      }
    }
    return values.fixed();
  }

  private void setNull(ValueColumn values, int row) {
    if (!type.nullable()) {
      throw errors.unexpectedNull(field.from, column);
    }
    values.setNull(row);
  }

  private Column text(ValueColumn values, int rows) {
    Buffer offsets = memory.allocate(4L * (rows + 1));
    Mem.putInt(offsets.address(), 0);
    try (BytesBuilder bytes = new BytesBuilder(memory)) {
      for (int row = 0; row < rows; row++) {
        locate(row);
        if (nulls.isNullText(field)) {
          setNull(values, row);
        } else {
          append(bytes);
        }
        Mem.putInt(offsets.address() + 4L * row + 4, bytes.size());
      }
      checkUtf8(bytes, offsets.address(), rows);
      return values.texts(bytes.take(), offsets);
    }
  }

  private void append(BytesBuilder bytes) {
    long length = field.to - field.from;
    long to = bytes.room(length);
    int written;
    if (field.quoted || length > 32 || end - field.to < 8) {
      written = field.copy(to);
    } else {
      BytesBuilder.copy(field.from, to, (int) length);
      written = (int) length;
    }
    while (type.kind() == TypeKind.CHAR && written > 0 && Mem.getByte(to + written - 1) == ' ') {
      written--;
    }
    if (type.precision() >= 0
        && written > type.precision()
        && Utf8.characters(to, written) > type.precision()) {
      throw errors.value(field.from, field.to, column);
    }
    bytes.advance(written);
  }

  private void checkUtf8(BytesBuilder bytes, long offsets, int rows) {
    if (Utf8.isAscii(bytes.address(), bytes.size())) {
      return;
    }
    for (int row = 0; row < rows; row++) {
      int from = Mem.getInt(offsets + 4L * row);
      if (!Utf8.isValid(bytes.address() + from, Mem.getInt(offsets + 4L * row + 4) - from)) {
        locate(row);
        throw errors.notUtf8(field.from, column);
      }
    }
  }
}
