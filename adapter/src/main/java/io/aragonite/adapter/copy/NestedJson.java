package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.HexFormat;
import org.apache.arrow.vector.VarBinaryVector;

/**
 * Writes lists, structs and maps as JSON: arrays, and objects of their fields or keys. A key that
 * is no text is the text of its JSON.
 */
final class NestedJson {
  private final String column;
  private final CsvText text;

  private NestedJson(String column, CsvText text) {
    this.column = column;
    this.text = text;
  }

  /** Writes a value, and returns where its bytes end. */
  private interface Part {
    long write(long at);
  }

  /** Writes values of a column. */
  static CsvOutput.CellWriter cells(VarBinaryVector vector, NestedType type, CsvText text) {
    Part value = new NestedJson(vector.getName(), text).part(type);
    long offsets = vector.getOffsetBuffer().memoryAddress();
    long data = vector.getDataBuffer().memoryAddress();
    return row -> {
      var _ = value.write(data + Mem.getInt(offsets + 4L * row));
    };
  }

  private Part part(NestedType type) {
    Part present =
        switch (type) {
          case NestedType.Scalar(DataType scalar) -> at -> scalar(scalar, at);
          case NestedType.Listed list -> list(part(list.element()));
          case NestedType.Struct struct -> struct(struct);
          case NestedType.Mapped map -> map(part(map.key()), part(map.value()));
        };
    return at -> {
      if (Mem.getByte(at) != 0) {
        return present.write(at + 1);
      }
      text.ascii("null");
      return at + 1;
    };
  }

  private Part list(Part element) {
    return at -> {
      int count = Mem.getInt(at);
      long end = at + Integer.BYTES;
      text.add((byte) '[');
      for (int i = 0; i < count; i++) {
        separate(i);
        end = element.write(end);
      }
      text.add((byte) ']');
      return end;
    };
  }

  private void separate(int index) {
    if (index > 0) {
      text.add((byte) ',');
    }
  }

  private Part struct(NestedType.Struct struct) {
    Part[] parts = struct.fields().stream().map(field -> part(field.type())).toArray(Part[]::new);
    byte[][] keys =
        struct.fields().stream().map(field -> JsonOutput.key(field.name())).toArray(byte[][]::new);
    return at -> {
      long end = at;
      text.add((byte) '{');
      for (int i = 0; i < parts.length; i++) {
        separate(i);
        text.add(keys[i]);
        end = parts[i].write(end);
      }
      text.add((byte) '}');
      return end;
    };
  }

  private Part map(Part key, Part value) {
    return at -> {
      int count = Mem.getInt(at);
      long end = at + Integer.BYTES;
      text.add((byte) '{');
      for (int i = 0; i < count; i++) {
        separate(i);
        if (Mem.getByte(end) == 0) {
          throw RecordShredder.nullKey(column);
        }
        int from = text.size();
        end = key.write(end);
        byte[] written = text.takeBack(from);
        if (written[0] == '"') {
          text.add(written);
        } else {
          JsonOutput.quoted(text, written);
        }
        text.add((byte) ':');
        end = value.write(end);
      }
      text.add((byte) '}');
      return end;
    };
  }

  private long scalar(DataType type, long at) {
    switch (type.kind()) {
      case BOOLEAN -> text.ascii(Mem.getByte(at) != 0 ? "true" : "false");
      case INT8 -> text.number(Mem.getByte(at));
      case INT16 -> text.number(Mem.getShort(at));
      case INT32 -> text.number(Mem.getInt(at));
      case INT64 -> text.number(Mem.getLong(at));
      case FLOAT32 -> floating(Float.isFinite(Mem.getFloat(at)), Float.toString(Mem.getFloat(at)));
      case FLOAT64 ->
          floating(Double.isFinite(Mem.getDouble(at)), Double.toString(Mem.getDouble(at)));
      case DECIMAL -> text.ascii(NestedVectors.decimal(type, at).toPlainString());
      case CHAR, VARCHAR -> JsonOutput.quoted(text, NestedVectors.bytes(at));
      default -> {
        text.add((byte) '"');
        string(type, at);
        text.add((byte) '"');
      }
    }
    Storage storage = Storage.of(type);
    return storage == Storage.BYTES ? at + Integer.BYTES + Mem.getInt(at) : at + storage.width();
  }

  private void floating(boolean finite, String number) {
    text.ascii(finite ? number : "\"" + number + "\"");
  }

  private void string(DataType type, long at) {
    switch (type.kind()) {
      case DATE -> text.date(Mem.getInt(at));
      case TIME -> text.time(Mem.getLong(at), type.timestampUnit());
      case TIMESTAMP -> text.timestamp(Mem.getLong(at), type.timestampUnit());
      case BINARY -> text.ascii(HexFormat.of().formatHex(NestedVectors.bytes(at)));
      default -> throw new IllegalArgumentException(type.toString());
    }
  }
}
