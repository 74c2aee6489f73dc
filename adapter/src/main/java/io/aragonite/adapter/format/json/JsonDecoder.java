package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.csv.ValueColumn;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.Utf8;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;

/** Decodes one column of a run of objects, whose values have been found. */
final class JsonDecoder {
  private final JsonColumn column;
  private final DataType type;
  private final JsonErrors errors;
  private final boolean lenient;
  private final long start;
  private final long end;
  private final QueryMemory memory;
  private boolean cut;

  JsonDecoder(
      JsonColumn column,
      JsonErrors errors,
      boolean lenient,
      long start,
      long end,
      QueryMemory memory) {
    this.column = column;
    this.type = column.type();
    this.errors = errors;
    this.lenient = lenient;
    this.start = start;
    this.end = end;
    this.memory = memory;
  }

  /**
   * @param starts by row: where the value begins, or {@link JsonPart#NONE}
   */
  Column decode(int[] starts) {
    ValueColumn values = new ValueColumn(type, starts.length, memory);
    try (BytesBuilder bytes = new BytesBuilder(memory)) {
      Column decoded =
          type.kind().isText() ? texts(values, starts, bytes) : values(values, starts, bytes);
      cut = values.cut();
      return decoded;
    }
  }

  /** Whether times had digits behind the milliseconds, which are cut off. */
  boolean cut() {
    return cut;
  }

  private Column values(ValueColumn values, int[] starts, BytesBuilder unescaped) {
    for (int row = 0; row < starts.length; row++) {
      if (starts[row] == JsonPart.NONE) {
        values.setNull(row);
        continue;
      }
      long at = start + starts[row];
      long valueEnd = JsonScanner.valueEnd(at, end);
      long from = at;
      long to = valueEnd;
      byte first = Mem.getByte(at);
      if (first == '"') {
        from++;
        to--;
        if (JsonScanner.special(from, to) < to) {
          unescaped.clear();
          int length = JsonStrings.unescape(from, to, unescaped.room(to - from));
          from = unescaped.address();
          to = from + Math.max(0, length);
        }
      }
      boolean nested = first == '{' || first == '[';
      boolean parsed = !nested && values.parse(row, from, to, column.declared());
      if (!parsed && !lenient) {
        throw errors.value(at, valueEnd, column);
      }
      if (!parsed) {
        values.setNull(row);
      }
    }
    return values.fixed();
  }

  private Column texts(ValueColumn values, int[] starts, BytesBuilder bytes) {
    Buffer offsets = memory.allocate(4L * (starts.length + 1));
    Mem.putInt(offsets.address(), 0);
    for (int row = 0; row < starts.length; row++) {
      if (starts[row] == JsonPart.NONE || !append(start + starts[row], bytes)) {
        values.setNull(row);
      }
      Mem.putInt(offsets.address() + 4L * row + 4, bytes.size());
    }
    return values.texts(bytes.take(), offsets);
  }

  /** Appends a string as it is meant, and any other value as it is written. */
  private boolean append(long at, BytesBuilder bytes) {
    long valueEnd = JsonScanner.valueEnd(at, end);
    long from = at;
    long to = valueEnd;
    if (Mem.getByte(at) == '"') {
      from++;
      to--;
    }
    long target = bytes.room(to - from);
    int written = (int) (to - from);
    if (from > at && JsonScanner.special(from, to) < to) {
      written = JsonStrings.unescape(from, to, target);
    } else {
      Mem.copy(from, target, written);
    }
    boolean text = written >= 0 && isUtf8(target, written);
    boolean fits =
        text
            && (type.precision() < 0
                || written <= type.precision()
                || Utf8.characters(target, written) <= type.precision());
    if (!fits && !lenient) {
      throw text ? errors.value(at, valueEnd, column) : errors.notText(at, column);
    }
    bytes.advance(fits ? written : 0);
    return fits;
  }

  private static boolean isUtf8(long address, int length) {
    return Utf8.isAscii(address, length) || Utf8.isValid(address, length);
  }
}
