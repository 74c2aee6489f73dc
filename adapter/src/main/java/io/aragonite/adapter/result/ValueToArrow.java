package io.aragonite.adapter.result;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.FineMoment;
import io.aragonite.rules.translate.TypeMapping;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.Struct;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.DurationVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.IntervalYearVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.jspecify.annotations.Nullable;

/** Writes values in Calcite's internal form into Arrow vectors. */
final class ValueToArrow {
  private ValueToArrow() {}

  /** A time or timestamp of a list, a map or a row in its type's unit. */
  static @Nullable Object inUnit(@Nullable Object value, DataType type) {
    return value instanceof Number moment
            && (type.kind() == TypeKind.TIME || type.kind().isTimestamp())
        ? (Object) FineMoment.in(moment, type)
        : value;
  }

  /** Sets a plain value, times in the vector's unit. */
  static void set(FieldVector vector, int row, @Nullable Object value) {
    if (value == null) {
      vector.setNull(row);
      return;
    }
    switch (vector) {
      case NullVector _ -> {}
      case BitVector bits -> bits.setSafe(row, (Boolean) value ? 1 : 0);
      case TinyIntVector ints -> ints.setSafe(row, ((Number) value).byteValue());
      case SmallIntVector ints -> ints.setSafe(row, ((Number) value).shortValue());
      case IntVector ints -> ints.setSafe(row, ((Number) value).intValue());
      case BigIntVector ints -> ints.setSafe(row, ((Number) value).longValue());
      case Float4Vector floats -> floats.setSafe(row, ((Number) value).floatValue());
      case Float8Vector floats -> floats.setSafe(row, ((Number) value).doubleValue());
      case DecimalVector decimals ->
          decimals.setSafe(row, ((BigDecimal) value).setScale(decimals.getScale()));
      case DateDayVector days -> days.setSafe(row, ((Number) value).intValue());
      case TimeMicroVector times -> times.setSafe(row, ((Number) value).longValue());
      case TimeStampVector times -> times.setSafe(row, ((Number) value).longValue());
      case IntervalYearVector months -> months.setSafe(row, ((Number) value).intValue());
      case DurationVector millis -> millis.setSafe(row, ((Number) value).longValue());
      case VarBinaryVector bytes -> bytes.setSafe(row, ((ByteString) value).getBytes());
      case VarCharVector texts ->
          texts.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
      default -> throw new IllegalArgumentException(vector.getField().toString());
    }
  }

  /**
   * Sets a value, which may be nested: lists, rows as lists or arrays, and maps, in Avatica's
   * objects or not.
   *
   * @param type the value's, as {@link ArrowFields} made the vector's of it
   */
  static void set(FieldVector vector, int row, @Nullable Object value, RelDataType type)
      throws SQLException {
    if (value == null) {
      vector.setNull(row);
      return;
    }
    switch (vector) {
      case ListVector list when value instanceof MapValue map ->
          entries(list, row, map.internal(), type);
      case ListVector list when value instanceof Map<?, ?> map -> entries(list, row, map, type);
      case ListVector list -> elements(list, row, parts(value), ArrowFields.element(type));
      case StructVector struct -> fields(struct, row, parts(value), type);
      default -> set(vector, row, inUnit(value, TypeMapping.of(type)));
    }
  }

  /** The elements or fields of a value, in Calcite's internal form. */
  private static List<?> parts(Object value) throws SQLException {
    return switch (value) {
      case Object[] values -> Arrays.asList(values);
      case List<?> list -> list;
      case ArrayValue array -> array.internal();
      case StructValue struct -> Arrays.asList(struct.internal());
      case Struct struct -> Arrays.asList(struct.getAttributes()); // Avatica's has them as they are
      default -> new ArrayList<>((java.util.Collection<?>) value);
    };
  }

  // All that is set here makes room for itself.

  private static void elements(ListVector list, int row, List<?> values, RelDataType type)
      throws SQLException {
    int from = list.startNewValue(row);
    FieldVector elements = list.getDataVector();
    for (int i = 0; i < values.size(); i++) {
      set(elements, from + i, values.get(i), type);
    }
    list.endValue(row, values.size());
    elements.setValueCount(from + values.size());
  }

  private static void entries(ListVector list, int row, Map<?, ?> map, RelDataType type)
      throws SQLException {
    int at = list.startNewValue(row);
    StructVector entries = (StructVector) list.getDataVector();
    FieldVector keys = entries.getChildrenFromFields().get(0);
    FieldVector values = entries.getChildrenFromFields().get(1);
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      entries.setIndexDefined(at);
      set(keys, at, entry.getKey(), ArrowFields.key(type));
      set(values, at, entry.getValue(), ArrowFields.value(type));
      at++;
    }
    list.endValue(row, map.size());
    entries.setValueCount(at);
  }

  private static void fields(StructVector struct, int row, List<?> values, RelDataType type)
      throws SQLException {
    struct.setIndexDefined(row);
    List<FieldVector> vectors = struct.getChildrenFromFields();
    List<RelDataTypeField> fields = type.getFieldList();
    for (int i = 0; i < fields.size(); i++) {
      set(vectors.get(i), row, values.get(i), fields.get(i).getType());
    }
  }
}
