package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.NestedBytes;
import io.aragonite.adapter.format.csv.ValueColumn;
import io.aragonite.adapter.format.json.JsonScalars.Written;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedType.Field;
import io.aragonite.adapter.format.nested.NestedType.Listed;
import io.aragonite.adapter.format.nested.NestedType.Mapped;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.adapter.format.nested.NestedType.Struct;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decodes arrays and objects of a column to the bytes that {@link
 * io.aragonite.adapter.format.nested.NestedValue} reads.
 */
final class JsonNestedDecoder {
  /** Names that are compared with a key before it is looked up. */
  private static final int LOOKED = 3;

  private final JsonColumn column;
  private final JsonErrors errors;
  private final boolean lenient;
  private final JsonScalars scalars;
  private final BytesBuilder bytes;
  private final NestedBytes out;
  private final QueryMemory memory;
  private final JsonPart.Notes notes;
  private final List<ValueColumn> parsed = new ArrayList<>();
  private final Part whole;

  /** Writes a value that is not null behind its presence; false: it is none of the type. */
  private interface Part {
    boolean write(long at, long end);
  }

  /**
   * @param bytes where values go
   */
  JsonNestedDecoder(
      JsonColumn column,
      JsonErrors errors,
      boolean lenient,
      JsonScalars scalars,
      BytesBuilder bytes,
      QueryMemory memory,
      JsonPart.Notes notes) {
    this.column = column;
    this.errors = errors;
    this.lenient = lenient;
    this.scalars = scalars;
    this.bytes = bytes;
    this.out = new NestedBytes(bytes);
    this.memory = memory;
    this.notes = notes;
    this.whole = part(column.known(), "");
  }

  /** Whether times had digits that their type does not keep. */
  boolean cut() {
    return parsed.stream().anyMatch(ValueColumn::cut);
  }

  /** Appends the value of a row; false if it is null, and nothing was appended. */
  boolean append(long at, long end) {
    int before = bytes.size();
    write(whole, at, end);
    boolean there = Mem.getByte(bytes.address() + before) != 0;
    if (!there) {
      bytes.advance(before - bytes.size());
    }
    return there;
  }

  private void write(Part part, long at, long end) {
    boolean there = Mem.getByte(at) != 'n';
    int place = bytes.size();
    out.presence(there);
    if (there && !part.write(at, end)) {
      bytes.advance(place - bytes.size());
      out.presence(false);
    }
  }

  /**
   * @param path of the part in the column's value: {@code .a[].b}
   */
  private Part part(NestedType type, String path) {
    return switch (type) {
      case Scalar(DataType scalar) ->
          scalar.kind().isText() ? text(scalar, path) : value(scalar, path);
      case Listed list -> new ListPart(list, part(list.element(), path + "[]"), path);
      case Struct struct -> new StructPart(struct, path);
      case Mapped map -> new MapPart(map, part(map.value(), path + "[]"), path);
    };
  }

  private boolean refused(long at, long end, String path, NestedType type) {
    if (!lenient) {
      throw errors.value(at, end, column, path, type.sqlName());
    }
    return false;
  }

  private Part text(DataType type, String path) {
    return (at, end) -> {
      int place = out.placeOfNumber();
      int from = bytes.size();
      Written written = JsonScalars.append(type, at, end, bytes);
      out.number(place, bytes.size() - from);
      if (written == Written.NO_TEXT && !lenient) {
        throw errors.notText(at, column, path);
      }
      return written == Written.DONE || refused(at, end, path, new Scalar(type));
    };
  }

  private Part value(DataType type, String path) {
    ValueColumn one = new ValueColumn(type, 1, memory);
    parsed.add(one);
    long address = one.fixed().values().address();
    int width = Storage.of(type).width();
    return (at, end) -> {
      if (!scalars.parse(one, 0, at, end, column.declared())) {
        return refused(at, end, path, new Scalar(type));
      }
      out.fixed(address, width);
      return true;
    };
  }

  private final class ListPart implements Part {
    private final Listed type;
    private final Part element;
    private final String path;
    private int count;

    ListPart(Listed type, Part element, String path) {
      this.type = type;
      this.element = element;
      this.path = path;
    }

    @Override
    public boolean write(long at, long end) {
      if (Mem.getByte(at) != '[') {
        return refused(at, end, path, type);
      }
      int place = out.placeOfNumber();
      count = 0;
      JsonScanner.elements(
          at,
          end,
          (from, to) -> {
            JsonNestedDecoder.this.write(element, from, to);
            count++;
          });
      out.number(place, count);
      return true;
    }
  }

  /** Of a key that comes twice the last value counts. */
  private final class StructPart implements Part {
    private final Struct type;
    private final String path;
    private final Part[] parts;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final byte[][] names;
    private final long[] starts;
    private final long[] ends;

    /** The field that most likely comes next: objects mostly have their keys in the same order. */
    private int next;

    StructPart(Struct type, String path) {
      this.type = type;
      this.path = path;
      List<Field> fields = type.fields();
      this.parts = new Part[fields.size()];
      this.names = new byte[parts.length][];
      this.starts = new long[parts.length];
      this.ends = new long[parts.length];
      for (int i = 0; i < parts.length; i++) {
        parts[i] = part(fields.get(i).type(), path + "." + fields.get(i).name());
        String name = fields.get(i).name();
        // One with a backslash is written with two; what no key is written as is never found.
        names[i] = (name.indexOf('\\') < 0 ? name : "\"").getBytes(StandardCharsets.UTF_8);
        numbers.put(fields.get(i).name(), i);
      }
    }

    @Override
    public boolean write(long at, long end) {
      if (Mem.getByte(at) != '{') {
        return refused(at, end, path, type);
      }
      Arrays.fill(starts, 0);
      next = 0;
      JsonScanner.members(at, end, this::found);
      for (int i = 0; i < parts.length; i++) {
        if (starts[i] == 0) {
          out.presence(false);
        } else {
          JsonNestedDecoder.this.write(parts[i], starts[i], ends[i]);
        }
      }
      return true;
    }

    private void found(long keyStart, long keyEnd, long start, long end) {
      int number = number(keyStart, keyEnd);
      if (number >= 0) {
        starts[number] = start;
        ends[number] = end;
        next = number + 1;
      } else if (!column.declared()) {
        notes.unknown(column.name() + path + "." + JsonStrings.text(keyStart, keyEnd));
      }
    }

    /** The field with a name; -1 if there is none. */
    private int number(long keyStart, long keyEnd) {
      for (int i = next; i < Math.min(next + LOOKED, names.length); i++) {
        if (isName(names[i], keyStart, keyEnd)) {
          return i;
        }
      }
      return numbers.getOrDefault(JsonStrings.text(keyStart, keyEnd), -1);
    }

    private static boolean isName(byte[] name, long keyStart, long keyEnd) {
      if (keyEnd - keyStart != name.length) {
        return false;
      }
      for (int i = 0; i < name.length; i++) {
        if (Mem.getByte(keyStart + i) != name[i]) {
          return false;
        }
      }
      return true;
    }
  }

  /** Of a key that comes twice the last value counts. */
  private final class MapPart implements Part {
    private final Mapped type;
    private final Part value;
    private final String path;
    private final Part key;

    MapPart(Mapped type, Part value, String path) {
      this.type = type;
      this.value = value;
      this.path = path;
      this.key = part(type.key(), path);
    }

    /** A key and its value, as they are written. */
    private record Entry(long keyStart, long keyEnd, long start, long end) {}

    @Override
    public boolean write(long at, long end) {
      if (Mem.getByte(at) != '{') {
        return refused(at, end, path, type);
      }
      Map<String, Entry> entries = new LinkedHashMap<>();
      JsonScanner.members(
          at,
          end,
          (keyStart, keyEnd, from, to) ->
              entries.put(
                  JsonStrings.text(keyStart, keyEnd),
                  new Entry(keyStart - 1, keyEnd + 1, from, to)));
      int place = out.placeOfNumber();
      int count = 0;
      for (Entry entry : entries.values()) {
        int before = bytes.size();
        JsonNestedDecoder.this.write(key, entry.keyStart, entry.keyEnd);
        if (Mem.getByte(bytes.address() + before) == 0) {
          bytes.advance(
              before - bytes.size()); // a key that is no text is left out where errors are
          continue;
        }
        JsonNestedDecoder.this.write(value, entry.start, entry.end);
        count++;
      }
      out.number(place, count);
      return true;
    }
  }
}
