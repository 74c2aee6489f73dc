package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.csv.ValueColumn;
import io.aragonite.adapter.format.json.JsonScalars.Written;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
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
  private final JsonPart.Notes notes;
  private boolean cut;

  JsonDecoder(
      JsonColumn column,
      JsonErrors errors,
      boolean lenient,
      long start,
      long end,
      QueryMemory memory,
      JsonPart.Notes notes) {
    this.column = column;
    this.type = column.type();
    this.errors = errors;
    this.lenient = lenient;
    this.start = start;
    this.end = end;
    this.memory = memory;
    this.notes = notes;
  }

  /**
   * @param starts by row: where the value begins, or {@link JsonPart#NONE}
   */
  Column decode(int[] starts) {
    ValueColumn values = new ValueColumn(type, starts.length, memory);
    try (JsonScalars scalars = new JsonScalars(memory);
        BytesBuilder bytes = new BytesBuilder(memory)) {
      if (column.column().nested() != null) {
        return nested(values, starts, scalars, bytes);
      }
      Column decoded =
          type.kind().isText() ? texts(values, starts, bytes) : values(values, starts, scalars);
      cut = values.cut();
      return decoded;
    }
  }

  /** Whether times had digits behind the milliseconds, which are cut off. */
  boolean cut() {
    return cut;
  }

  private Column values(ValueColumn values, int[] starts, JsonScalars scalars) {
    for (int row = 0; row < starts.length; row++) {
      if (starts[row] == JsonPart.NONE) {
        values.setNull(row);
        continue;
      }
      long at = start + starts[row];
      long valueEnd = JsonScanner.valueEnd(at, end);
      boolean parsed = scalars.parse(values, row, at, valueEnd, column.declared());
      if (!parsed && !lenient) {
        throw errors.value(at, valueEnd, column, "", column.column().fileType());
      }
      if (!parsed) {
        values.setNull(row);
      }
    }
    return values.fixed();
  }

  private Column texts(ValueColumn values, int[] starts, BytesBuilder bytes) {
    return bytes(
        values,
        starts,
        bytes,
        (at, valueEnd) -> {
          Written written = JsonScalars.append(type, at, valueEnd, bytes);
          if (written != Written.DONE && !lenient) {
            throw written == Written.TOO_LONG
                ? errors.value(at, valueEnd, column, "", column.column().fileType())
                : errors.notText(at, column, "");
          }
          return written == Written.DONE;
        });
  }

  private Column nested(ValueColumn values, int[] starts, JsonScalars scalars, BytesBuilder bytes) {
    JsonNestedDecoder decoder =
        new JsonNestedDecoder(column, errors, lenient, scalars, bytes, memory, notes);
    Column decoded = bytes(values, starts, bytes, decoder::append);
    cut = decoder.cut();
    return decoded;
  }

  /** Appends the bytes of a value; false: it is null. */
  private interface Appender {
    boolean append(long at, long valueEnd);
  }

  private Column bytes(ValueColumn values, int[] starts, BytesBuilder bytes, Appender appender) {
    Buffer offsets = memory.allocate(4L * (starts.length + 1));
    Mem.putInt(offsets.address(), 0);
    for (int row = 0; row < starts.length; row++) {
      long at = start + starts[row];
      if (starts[row] == JsonPart.NONE || !appender.append(at, JsonScanner.valueEnd(at, end))) {
        values.setNull(row);
      }
      Mem.putInt(offsets.address() + 4L * row + 4, bytes.size());
    }
    return values.texts(bytes.take(), offsets);
  }
}
