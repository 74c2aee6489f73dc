package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.result.ArrowColumnTypes;
import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.math.BigDecimal;
import java.util.List;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** Makes Arrow's vectors of lists, structs and maps of their bytes. */
final class NestedVectors {
  private final String column;

  /**
   * @param column its name, for messages
   */
  NestedVectors(String column) {
    this.column = column;
  }

  /** The field of a column. */
  static Field field(String name, NestedType type) {
    return field(name, type, true);
  }

  private static Field field(String name, NestedType type, boolean nullable) {
    return switch (type) {
      case NestedType.Scalar(DataType scalar) ->
          field(name, ArrowColumnTypes.of(scalar), nullable, List.of());
      case NestedType.Listed list ->
          field(
              name,
              ArrowType.List.INSTANCE,
              nullable,
              List.of(field("item", list.element(), true)));
      case NestedType.Struct struct ->
          field(
              name,
              ArrowType.Struct.INSTANCE,
              nullable,
              struct.fields().stream().map(part -> field(part.name(), part.type(), true)).toList());
      case NestedType.Mapped map -> {
        List<Field> entry =
            List.of(
                field(MapVector.KEY_NAME, map.key(), false),
                field(MapVector.VALUE_NAME, map.value(), true));
        Field entries = field(MapVector.DATA_VECTOR_NAME, ArrowType.Struct.INSTANCE, false, entry);
        yield field(name, new ArrowType.Map(false), nullable, List.of(entries));
      }
    };
  }

  private static Field field(String name, ArrowType type, boolean nullable, List<Field> children) {
    return new Field(name, new FieldType(nullable, type, null), children);
  }

  /** Makes some rows the first ones of a vector. */
  void fill(NestedType type, VarBinaryVector rows, int from, int to, FieldVector vector) {
    long offsets = rows.getOffsetBuffer().memoryAddress();
    long data = rows.getDataBuffer().memoryAddress();
    vector.allocateNew();
    for (int row = from; row < to; row++) {
      if (rows.isNull(row)) {
        vector.setNull(row - from);
      } else {
        var _ = put(type, vector, row - from, data + Mem.getInt(offsets + 4L * row));
      }
    }
    vector.setValueCount(to - from);
  }

  /** Puts a value, and returns where its bytes end. */
  private long put(NestedType type, FieldVector vector, int index, long at) {
    if (Mem.getByte(at) == 0) {
      vector.setNull(index);
      return at + 1;
    }
    return switch (type) {
      case NestedType.Scalar(DataType scalar) -> scalar(scalar, vector, index, at + 1);
      case NestedType.Struct struct -> {
        StructVector structs = (StructVector) vector;
        structs.setIndexDefined(index);
        long end = at + 1;
        for (int i = 0; i < struct.fields().size(); i++) {
          FieldVector part = (FieldVector) structs.getChildByOrdinal(i);
          end = put(struct.fields().get(i).type(), part, index, end);
        }
        yield end;
      }
      case NestedType.Listed list -> {
        ListVector lists = (ListVector) vector;
        int count = Mem.getInt(at + 1);
        long end = at + 1 + Integer.BYTES;
        int place = lists.startNewValue(index);
        for (int i = 0; i < count; i++) {
          end = put(list.element(), lists.getDataVector(), place + i, end);
        }
        lists.endValue(index, count);
        yield end;
      }
      case NestedType.Mapped map -> map(map, (MapVector) vector, index, at + 1);
    };
  }

  private long map(NestedType.Mapped map, MapVector maps, int index, long at) {
    StructVector entries = (StructVector) maps.getDataVector();
    int count = Mem.getInt(at);
    long end = at + Integer.BYTES;
    int place = maps.startNewValue(index);
    for (int i = place; i < place + count; i++) {
      entries.setIndexDefined(i);
      if (Mem.getByte(end) == 0) {
        throw RecordShredder.nullKey(column);
      }
      end = put(map.key(), (FieldVector) entries.getChildByOrdinal(0), i, end);
      end = put(map.value(), (FieldVector) entries.getChildByOrdinal(1), i, end);
    }
    maps.endValue(index, count);
    return end;
  }

  private static long scalar(DataType type, FieldVector vector, int index, long at) {
    switch (vector) {
      case BitVector bits -> bits.setSafe(index, Mem.getByte(at));
      case TinyIntVector ints -> ints.setSafe(index, Mem.getByte(at));
      case SmallIntVector ints -> ints.setSafe(index, Mem.getShort(at));
      case IntVector ints -> ints.setSafe(index, Mem.getInt(at));
      case BigIntVector ints -> ints.setSafe(index, Mem.getLong(at));
      case Float4Vector reals -> reals.setSafe(index, Mem.getFloat(at));
      case Float8Vector reals -> reals.setSafe(index, Mem.getDouble(at));
      case DecimalVector decimals -> decimals.setSafe(index, decimal(type, at));
      case DateDayVector days -> days.setSafe(index, Mem.getInt(at));
      case TimeMicroVector times -> times.setSafe(index, Mem.getLong(at));
      case TimeStampVector times -> times.setSafe(index, Mem.getLong(at));
      case VarCharVector texts -> texts.setSafe(index, bytes(at));
      case VarBinaryVector binary -> binary.setSafe(index, bytes(at));
      default -> throw new IllegalArgumentException(vector.getField().toString());
    }
    Storage storage = Storage.of(type);
    return storage == Storage.BYTES ? at + Integer.BYTES + Mem.getInt(at) : at + storage.width();
  }

  /** A decimal, as it is stored. */
  static BigDecimal decimal(DataType type, long at) {
    return Storage.of(type) == Storage.LONG
        ? BigDecimal.valueOf(Mem.getLong(at), type.scale())
        : new BigDecimal(Int128.get(at), type.scale());
  }

  /** A text or binary value, as it is stored. */
  static byte[] bytes(long at) {
    byte[] bytes = new byte[Mem.getInt(at)];
    Mem.copy(at + Integer.BYTES, bytes, 0, bytes.length);
    return bytes;
  }
}
