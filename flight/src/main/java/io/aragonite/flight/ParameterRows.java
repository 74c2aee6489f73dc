package io.aragonite.flight;

import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.ParameterMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;

/** Rows of parameters, which clients send as vectors, as values of JDBC. */
final class ParameterRows {
  private static final int MAX_ROWS = 1_000_000;

  /** Of all rows: they are there until the statement has run for the last one. */
  private static final long MAX_BYTES = 256L << 20;

  private static final int VALUE_BYTES = 16;
  private static final int MAX_DIGITS = 38;

  private ParameterRows() {}

  /** The parameters of a statement as columns, named by their numbers. */
  static Schema schema(ParameterMetaData parameters) throws SQLException {
    List<Field> fields = new ArrayList<>();
    for (int i = 1; i <= parameters.getParameterCount(); i++) {
      fields.add(
          Field.nullable(
              "parameter_" + i,
              type(
                  parameters.getParameterType(i),
                  parameters.getPrecision(i),
                  parameters.getScale(i))));
    }
    return new Schema(fields);
  }

  private static ArrowType type(int jdbc, int precision, int scale) {
    return switch (jdbc) {
      case Types.BOOLEAN, Types.BIT -> ArrowType.Bool.INSTANCE;
      case Types.TINYINT -> new ArrowType.Int(8, true);
      case Types.SMALLINT -> new ArrowType.Int(16, true);
      case Types.INTEGER -> new ArrowType.Int(32, true);
      case Types.BIGINT -> new ArrowType.Int(64, true);
      case Types.REAL -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case Types.FLOAT, Types.DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case Types.DECIMAL, Types.NUMERIC ->
          new ArrowType.Decimal(
              precision < 1 || precision > MAX_DIGITS ? MAX_DIGITS : precision,
              Math.clamp(scale, 0, MAX_DIGITS),
              128);
      case Types.DATE -> new ArrowType.Date(DateUnit.DAY);
      // Arrow's JDBC driver writes milliseconds into a vector of any unit; others may send finer
      case Types.TIME -> new ArrowType.Time(TimeUnit.MILLISECOND, 32);
      case Types.TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MILLISECOND, null);
      case Types.TIMESTAMP_WITH_TIMEZONE -> new ArrowType.Timestamp(TimeUnit.MILLISECOND, "UTC");
      case Types.BINARY, Types.VARBINARY -> ArrowType.Binary.INSTANCE;
      default -> ArrowType.Utf8.INSTANCE;
    };
  }

  /** All rows of a client's stream, which it has begun with a schema. */
  static List<@Nullable Object[]> read(FlightStream stream) {
    try {
      return rows(stream);
    } catch (RuntimeException e) {
      throw FlightErrors.ofRequest(e); // what the vectors hold is the client's
    }
  }

  private static List<@Nullable Object[]> rows(FlightStream stream) {
    List<@Nullable Object[]> rows = new ArrayList<>();
    long bytes = 0;
    while (stream.next()) {
      if (!stream.hasRoot()) {
        continue;
      }
      VectorSchemaRoot root = stream.getRoot();
      if ((long) rows.size() + root.getRowCount() > MAX_ROWS) {
        throw FlightErrors.of(
            ErrorCode.INVALID_CALL,
            "A statement runs for %,d rows of parameters at most; send them in several parts."
                .formatted(MAX_ROWS));
      }
      for (int row = 0; row < root.getRowCount(); row++) {
        @Nullable Object[] values = new @Nullable Object[root.getFieldVectors().size()];
        for (int i = 0; i < values.length; i++) {
          Object value = value(root.getVector(i), row);
          values[i] = value;
          bytes += bytes(value);
          if (bytes > MAX_BYTES) {
            throw FlightErrors.of(
                ErrorCode.RESULT_TOO_LARGE,
                "The parameters of a statement may take %d MB; send them in several parts."
                    .formatted(MAX_BYTES >> 20));
          }
        }
        rows.add(values);
      }
    }
    return rows;
  }

  /** What a value takes, about; views of one text are texts of their own here. */
  private static long bytes(@Nullable Object value) {
    return switch (value) {
      case String text -> VALUE_BYTES + text.length();
      case byte[] array -> VALUE_BYTES + array.length;
      case null, default -> VALUE_BYTES;
    };
  }

  private static @Nullable Object value(FieldVector vector, int row) {
    if (vector instanceof NullVector || vector.isNull(row)) {
      return null;
    }
    if (vector.getField().getDictionary() != null) {
      throw unsupported(vector);
    }
    try {
      return present(vector, row);
    } catch (DateTimeException | ArithmeticException e) {
      throw FlightErrors.of(
          ErrorCode.INVALID_ARGUMENT,
          "The value of parameter %s in row %d is out of the range of dates and times; give one"
                  .formatted(vector.getName(), row + 1)
              + " that is in it.");
    }
  }

  private static Object present(FieldVector vector, int row) {
    return switch (vector) {
      case Float2Vector halves -> halves.getValueAsFloat(row);
      case BitVector bits -> bits.get(row) != 0;
      case UInt8Vector unsigned ->
          new BigDecimal(new BigInteger(Long.toUnsignedString(unsigned.get(row))));
      case DateDayVector days -> LocalDate.ofEpochDay(days.get(row));
      case DateMilliVector millis ->
          LocalDate.ofEpochDay(Math.floorDiv(millis.get(row), 86_400_000L));
      case TimeSecVector times -> LocalTime.ofSecondOfDay(times.get(row));
      case TimeMilliVector times -> LocalTime.ofNanoOfDay(times.get(row) * 1_000_000L);
      case TimeMicroVector times ->
          LocalTime.ofNanoOfDay(Math.multiplyExact(times.get(row), 1_000L));
      case TimeNanoVector times -> LocalTime.ofNanoOfDay(times.get(row));
      case TimeStampVector times -> moment(times, row);
      default -> plain(vector, row);
    };
  }

  private static Object moment(TimeStampVector vector, int row) {
    ArrowType.Timestamp type = (ArrowType.Timestamp) vector.getField().getType();
    long perSecond =
        switch (type.getUnit()) {
          case SECOND -> 1;
          case MILLISECOND -> 1_000;
          case MICROSECOND -> 1_000_000;
          case NANOSECOND -> 1_000_000_000;
        };
    long value = vector.get(row);
    Instant instant =
        Instant.ofEpochSecond(
            Math.floorDiv(value, perSecond),
            Math.floorMod(value, perSecond) * (1_000_000_000 / perSecond));
    return type.getTimezone() != null
        ? instant
        : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  private static Object plain(FieldVector vector, int row) {
    Object value = vector.getObject(row);
    return switch (value) {
      case Text text -> new String(text.copyBytes(), StandardCharsets.UTF_8);
      case Character unsigned -> (int) unsigned; // 16 bits without a sign
      case Byte unsigned when vector instanceof org.apache.arrow.vector.UInt1Vector ->
          Byte.toUnsignedInt(unsigned);
      case Integer unsigned when vector instanceof org.apache.arrow.vector.UInt4Vector ->
          Integer.toUnsignedLong(unsigned);
      case Number number -> number;
      case byte[] bytes -> bytes;
      case String text -> text;
      case null, default -> throw unsupported(vector);
    };
  }

  private static RuntimeException unsupported(FieldVector vector) {
    return FlightErrors.of(
        ErrorCode.TYPE_UNSUPPORTED,
        "Parameter %s is of Arrow's type %s%s, which a parameter cannot be; give a number, a text,"
                .formatted(
                    vector.getName(),
                    vector.getField().getType(),
                    vector.getField().getDictionary() == null ? "" : " as codes")
            + " bytes, a date or a time.");
  }
}
