package io.aragonite.adapter.result;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a JDBC result into Arrow vectors: where no columns of the engine's are there.
 */
final class RowVectors {
  private static final int BATCH_ROWS = 1 << 14;

  /** Bytes of texts and binaries of a batch, about. */
  private static final long BATCH_BYTES = 8L << 20;

  private final ResultSet rows;
  private final @Nullable List<RelDataTypeField> types;
  private final VectorSchemaRoot root;
  private long bytes;

  /**
   * @param type null if no column is nested
   */
  RowVectors(ResultSet rows, @Nullable RelDataType type, VectorSchemaRoot root) {
    this.rows = rows;
    this.types = type == null ? null : type.getFieldList();
    this.root = root;
  }

  /** Reads the next rows; false if there are no more. */
  boolean next() throws SQLException {
    List<FieldVector> vectors = root.getFieldVectors();
    vectors.forEach(FieldVector::clear); // others may hold the last rows
    vectors.forEach(FieldVector::allocateNew);
    int count = 0;
    bytes = 0;
    while (count < BATCH_ROWS && bytes < BATCH_BYTES && rows.next()) {
      for (int i = 0; i < vectors.size(); i++) {
        set(vectors.get(i), count, i);
      }
      count++;
    }
    root.setRowCount(count);
    return count > 0;
  }

  private void set(FieldVector vector, int row, int index) throws SQLException {
    int column = index + 1;
    switch (vector) {
      case NullVector _ -> {}
      case ListVector _, StructVector _ -> {
        if (types != null) {
          ValueToArrow.set(vector, row, rows.getObject(column), types.get(index).getType());
        }
      }
      case VarCharVector texts -> {
        String text = rows.getString(column);
        bytes(texts, row, text == null ? null : text.getBytes(StandardCharsets.UTF_8));
      }
      case VarBinaryVector binaries -> bytes(binaries, row, rows.getBytes(column));
      default -> ValueToArrow.set(vector, row, plain(vector, column));
    }
  }

  private void bytes(BaseVariableWidthVector vector, int row, byte @Nullable [] value) {
    if (value == null) {
      vector.setNull(row);
    } else {
      vector.setSafe(row, value);
      bytes += value.length;
    }
  }

  private @Nullable Object plain(FieldVector vector, int column) throws SQLException {
    Object value =
        switch (vector) {
          case BitVector _ -> rows.getBoolean(column);
          case Float4Vector _ -> rows.getFloat(column);
          case Float8Vector _ -> rows.getDouble(column);
          case DecimalVector _ -> rows.getBigDecimal(column);
          case DateDayVector _ -> days(rows.getObject(column, LocalDate.class));
          case TimeMicroVector _ -> micros(rows.getObject(column, LocalTime.class));
          case TimeStampVector times -> moment(times, column);
          default -> rows.getLong(column);
        };
    return rows.wasNull() ? null : value;
  }

  private static @Nullable Long days(@Nullable LocalDate date) {
    return date == null ? null : date.toEpochDay();
  }

  private static @Nullable Long micros(@Nullable LocalTime time) {
    return time == null ? null : time.toNanoOfDay() / 1_000;
  }

  private @Nullable Long moment(TimeStampVector vector, int column) throws SQLException {
    ArrowType.Timestamp type = (ArrowType.Timestamp) vector.getField().getType();
    Instant instant;
    if (type.getTimezone() != null) {
      instant = rows.getObject(column, Instant.class);
    } else {
      LocalDateTime time = rows.getObject(column, LocalDateTime.class);
      instant = time == null ? null : time.toInstant(ZoneOffset.UTC);
    }
    return instant == null ? null : units(instant, type.getUnit());
  }

  private static long units(Instant instant, TimeUnit unit) {
    long perSecond =
        switch (unit) {
          case SECOND -> 1;
          case MILLISECOND -> 1_000;
          case MICROSECOND -> 1_000_000;
          case NANOSECOND -> 1_000_000_000;
        };
    // Nanoseconds of the earliest moments fit, their whole seconds do not.
    long second = instant.getEpochSecond();
    long fraction = instant.getNano() / (1_000_000_000 / perSecond);
    return second < 0 && fraction > 0
        ? Math.addExact(Math.multiplyExact(second + 1, perSecond), fraction - perSecond)
        : Math.addExact(Math.multiplyExact(second, perSecond), fraction);
  }
}
