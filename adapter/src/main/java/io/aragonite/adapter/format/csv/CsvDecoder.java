package io.aragonite.adapter.format.csv;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.Utf8;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

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
  private final ValueParser parser = new ValueParser();
  private long validity;
  private @Nullable Buffer validityBuffer;

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
    return type.kind().isText() ? text(rows) : values(rows);
  }

  /** Whether times had digits that the type does not keep, which are cut off. */
  boolean cut() {
    return parser.cut;
  }

  private void locate(int row) {
    long at = start + starts[row];
    for (int i = 0; i < skip; i++) {
      at = scanner.fieldEnd(at, end) + 1;
    }
    field.find(at, end);
  }

  private Column values(int rows) {
    Storage storage = Storage.of(type);
    Buffer values = memory.allocate((long) rows * storage.width());
    TypeKind kind = type.kind();
    for (int row = 0; row < rows; row++) {
      locate(row);
      if (nulls.isNull(field)) {
        setNull(row, rows);
      } else if (parse(kind)) {
        store(storage, values.address(), row);
      } else if (nulls.isWord(field)) {
        setNull(row, rows);
      } else {
        throw errors.value(field.from, field.to, column);
      }
    }
    return new Column(shape(storage), rows, values, Buffer.EMPTY, validityBuffer, null);
  }

  private ColumnShape shape(Storage storage) {
    return new ColumnShape(type, storage, validityBuffer != null, null, null);
  }

  /** The bitmap is made when the first null is met. */
  private void setNull(int row, int rows) {
    if (!type.nullable()) {
      throw errors.unexpectedNull(field.from, column);
    }
    if (validityBuffer == null) {
      Buffer buffer = memory.allocate((rows + 63L) / 64 * 8);
      Mem.fill(buffer.address(), buffer.size(), (byte) -1);
      validity = buffer.address();
      validityBuffer = buffer;
    }
    long at = validity + (row >> 3);
    Mem.putByte(at, (byte) (Mem.getByte(at) & ~(1 << (row & 7))));
  }

  private boolean parse(TypeKind kind) {
    long from = field.from;
    long to = field.to;
    return switch (kind) {
      case BOOLEAN -> parser.bool(from, to, column.declared());
      case INT8 -> parser.integer(from, to, false) && parser.value == (byte) parser.value;
      case INT16 -> parser.integer(from, to, false) && parser.value == (short) parser.value;
      case INT32 -> parser.integer(from, to, false) && parser.value == (int) parser.value;
      case INT64 -> parser.integer(from, to, !column.declared());
      case FLOAT32 -> parser.single(from, to);
      case FLOAT64 -> parser.floating(from, to);
      case DECIMAL -> parser.decimal(from, to, type.precision(), type.scale());
      case DATE -> parser.date(from, to);
      case TIME -> parser.time(from, to);
      case TIMESTAMP -> parser.timestamp(from, to, type.timestampUnit());
      default -> throw new IllegalStateException(kind.name());
    };
  }

  private void store(Storage storage, long values, int row) {
    switch (storage) {
      case BYTE -> Mem.putByte(values + row, (byte) parser.value);
      case SHORT -> Mem.putShort(values + 2L * row, (short) parser.value);
      case INT -> Mem.putInt(values + 4L * row, (int) parser.value);
      case LONG -> Mem.putLong(values + 8L * row, parser.value);
      case LONG128 -> {
        Mem.putLong(values + 16L * row, parser.value);
        Mem.putLong(values + 16L * row + 8, parser.high);
      }
      case FLOAT -> Mem.putFloat(values + 4L * row, (float) parser.number);
      case DOUBLE -> Mem.putDouble(values + 8L * row, parser.number);
      default -> throw new IllegalStateException(storage.name());
    }
  }

  private Column text(int rows) {
    Buffer offsets = memory.allocate(4L * (rows + 1));
    Mem.putInt(offsets.address(), 0);
    try (BytesBuilder bytes = new BytesBuilder(memory)) {
      for (int row = 0; row < rows; row++) {
        locate(row);
        if (nulls.isNullText(field)) {
          setNull(row, rows);
        } else {
          append(bytes);
        }
        Mem.putInt(offsets.address() + 4L * row + 4, bytes.size());
      }
      checkUtf8(bytes, offsets.address(), rows);
      return new Column(shape(Storage.BYTES), rows, bytes.take(), offsets, validityBuffer, null);
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
    if (type.precision() >= 0
        && written > type.precision()
        && characters(to, written) > type.precision()) {
      throw errors.value(field.from, field.to, column);
    }
    bytes.advance(written);
  }

  private static int characters(long at, int length) {
    int count = 0;
    for (int i = 0; i < length; i++) {
      count += (Mem.getByte(at + i) & 0xC0) != 0x80 ? 1 : 0;
    }
    return count;
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
