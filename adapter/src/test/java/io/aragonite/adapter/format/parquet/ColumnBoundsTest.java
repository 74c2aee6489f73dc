package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.exec.table.ZoneMap;
import io.aragonite.exec.type.DataType;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.Float16Type;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MicroSeconds;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Bounds of a file's statistics as bounds of values that are read: which are taken, and which not.
 */
class ColumnBoundsTest {
  private static SchemaElement field(Type type) {
    SchemaElement field = new SchemaElement("c");
    field.setType(type);
    field.setRepetition_type(FieldRepetitionType.OPTIONAL);
    return field;
  }

  private static SchemaElement field(Type type, ConvertedType converted) {
    return field(type).setConverted_type(converted);
  }

  private static ParquetColumn column(SchemaElement field) {
    SchemaElement root = new SchemaElement("root");
    root.setNum_children(1);
    return ParquetSchema.columns(new ArrayList<>(List.of(root, field))).getFirst();
  }

  private static ZoneMap bounds(SchemaElement field, boolean ordered, Statistics statistics) {
    ParquetColumn column = column(field);
    DataType type = Objects.requireNonNull(column.column().type());
    return new ColumnBounds(column, type, ordered).of(statistics, 100);
  }

  private static Statistics statistics(byte @Nullable [] min, byte @Nullable [] max) {
    return new Statistics().setMin_value(min).setMax_value(max).setNull_count(3);
  }

  private static Statistics old(byte[] min, byte[] max) {
    return new Statistics().setMin(min).setMax(max).setNull_count(0);
  }

  private static byte[] ofInt(int value) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
  }

  private static byte[] ofLong(long value) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  private static byte[] ofDouble(double value) {
    return ofLong(Double.doubleToRawLongBits(value));
  }

  private static void assertBounds(@Nullable Object min, @Nullable Object max, ZoneMap zone) {
    assertEquals(min, zone.min());
    assertEquals(max, zone.max());
  }

  @Test
  void integersAreSignedOrUnsignedAsTheirTypeSays() {
    assertBounds(-5L, 7L, bounds(field(Type.INT32), true, statistics(ofInt(-5), ofInt(7))));
    assertBounds(-5L, 7L, bounds(field(Type.INT64), true, statistics(ofLong(-5), ofLong(7))));
    SchemaElement unsigned = field(Type.INT32, ConvertedType.UINT_32);
    assertBounds(7L, 0xFFFF_FFFBL, bounds(unsigned, true, statistics(ofInt(7), ofInt(-5))));
    SchemaElement wide = field(Type.INT64, ConvertedType.UINT_64);
    assertBounds(
        BigDecimal.valueOf(7),
        new BigDecimal("18446744073709551611"),
        bounds(wide, true, statistics(ofLong(7), ofLong(-5))));
    // A value that is cut to its type when it is read
    SchemaElement small = field(Type.INT32, ConvertedType.UINT_8);
    assertBounds(7L, 255L, bounds(small, true, statistics(ofInt(7), ofInt(255))));
    assertBounds(null, null, bounds(small, true, statistics(ofInt(7), ofInt(256))));
    assertBounds(null, null, bounds(small, true, statistics(ofInt(-1), ofInt(7))));
  }

  @Test
  void theOldFieldsCountForSignedNumbersOnly() {
    assertBounds(-5L, 7L, bounds(field(Type.INT32), false, old(ofInt(-5), ofInt(7))));
    assertBounds(-5L, 7L, bounds(field(Type.INT32), true, old(ofInt(-5), ofInt(7))));
    SchemaElement unsigned = field(Type.INT32, ConvertedType.UINT_32);
    assertBounds(null, null, bounds(unsigned, true, old(ofInt(7), ofInt(9))));
    SchemaElement text = field(Type.BYTE_ARRAY, ConvertedType.UTF8);
    assertBounds(null, null, bounds(text, true, old(new byte[] {'a'}, new byte[] {'b'})));
    assertBounds(null, null, bounds(field(Type.DOUBLE), true, old(ofDouble(1), ofDouble(2))));
    // Nobody says what the order of the new fields is.
    assertBounds(null, null, bounds(field(Type.INT32), false, statistics(ofInt(-5), ofInt(7))));
    SchemaElement bytes = field(Type.BYTE_ARRAY, ConvertedType.DECIMAL).setPrecision(9).setScale(2);
    assertBounds(null, null, bounds(bytes, true, old(new byte[] {1}, new byte[] {2})));
  }

  @Test
  void floatsWithNaNHaveNoBounds() {
    ZoneMap zone = bounds(field(Type.DOUBLE), true, statistics(ofDouble(-0.0), ofDouble(2)));
    assertBounds(-0.0, 2.0, zone);
    assertEquals(true, zone.mayBeNaN());
    assertBounds(
        null,
        null,
        bounds(field(Type.DOUBLE), true, statistics(ofDouble(Double.NaN), ofDouble(2))));
    assertBounds(
        null,
        null,
        bounds(field(Type.DOUBLE), true, statistics(ofDouble(1), ofDouble(Double.NaN))));
    // One sign of zero above the other is no contradiction.
    assertBounds(
        0.0, -0.0, bounds(field(Type.DOUBLE), true, statistics(ofDouble(0.0), ofDouble(-0.0))));
  }

  @Test
  void decimalsOfAnyPhysicalTypeAreNumbers() {
    BigDecimal low = new BigDecimal("-1.05");
    BigDecimal high = new BigDecimal("2.00");
    for (SchemaElement field : List.of(field(Type.INT32), field(Type.INT64))) {
      field.setConverted_type(ConvertedType.DECIMAL).setPrecision(9).setScale(2);
      boolean four = field.getType() == Type.INT32;
      assertBounds(
          low,
          high,
          bounds(
              field,
              true,
              statistics(four ? ofInt(-105) : ofLong(-105), four ? ofInt(200) : ofLong(200))));
    }
    SchemaElement bytes =
        field(Type.BYTE_ARRAY, ConvertedType.DECIMAL).setPrecision(30).setScale(2);
    assertBounds(
        low, high, bounds(bytes, true, statistics(new byte[] {-105}, new byte[] {0, (byte) 200})));
    SchemaElement fixed =
        field(Type.FIXED_LEN_BYTE_ARRAY, ConvertedType.DECIMAL).setPrecision(4).setScale(2);
    fixed.setType_length(2);
    assertBounds(
        low,
        high,
        bounds(fixed, true, statistics(new byte[] {-1, -105}, new byte[] {0, (byte) 200})));
    assertBounds(null, null, bounds(fixed, true, statistics(new byte[] {-105}, new byte[] {0, 1})));
  }

  @Test
  void aNumberThatIsCutOffIsNoBound() {
    SchemaElement bytes =
        field(Type.BYTE_ARRAY, ConvertedType.DECIMAL).setPrecision(30).setScale(0);
    Statistics cut = statistics(new byte[] {1}, new byte[] {2});
    assertBounds(null, null, bounds(bytes, true, cut.setIs_max_value_exact(false)));
    SchemaElement text = field(Type.BYTE_ARRAY, ConvertedType.UTF8);
    assertArrayEquals(new byte[] {2}, (byte[]) bounds(text, true, cut).max());
  }

  @Test
  void halfPrecisionFloatsAreNumbers() {
    SchemaElement half = field(Type.FIXED_LEN_BYTE_ARRAY).setType_length(2);
    half.setLogicalType(LogicalType.FLOAT16(new Float16Type()));
    byte[] one = {0, 0x3C};
    byte[] minusTwo = {0, (byte) 0xC0};
    byte[] nan = {1, 0x7E};
    assertBounds(-2.0, 1.0, bounds(half, true, statistics(minusTwo, one)));
    assertBounds(null, null, bounds(half, true, statistics(minusTwo, nan)));
    assertBounds(null, null, bounds(half, false, old(minusTwo, one)));
  }

  @Test
  void timestampsHaveTheUnitOfTheFile() {
    SchemaElement micros = field(Type.INT64);
    micros.setLogicalType(
        LogicalType.TIMESTAMP(new TimestampType(true, TimeUnit.MICROS(new MicroSeconds()))));
    assertBounds(-1001L, 1999L, bounds(micros, true, statistics(ofLong(-1001), ofLong(1999))));
    assertBounds(
        null, null, bounds(field(Type.INT96), true, statistics(new byte[12], new byte[12])));
  }

  @Test
  void textsAreBoundedByBytes() {
    SchemaElement text = field(Type.BYTE_ARRAY, ConvertedType.UTF8);
    ZoneMap zone = bounds(text, true, statistics(new byte[] {'a'}, new byte[] {(byte) 0xC3}));
    assertArrayEquals(new byte[] {'a'}, (byte[]) zone.min());
    assertArrayEquals(new byte[] {(byte) 0xC3}, (byte[]) zone.max());
    assertNull(bounds(field(Type.BYTE_ARRAY), true, statistics(new byte[1], new byte[1])).min());
  }

  @Test
  void boundsThatContradictEachOtherAreNone() {
    assertBounds(null, null, bounds(field(Type.INT32), true, statistics(ofInt(7), ofInt(5))));
    assertBounds(null, null, bounds(field(Type.INT32), true, statistics(ofInt(7), ofLong(9))));
    assertBounds(7L, null, bounds(field(Type.INT32), true, statistics(ofInt(7), null)));
    assertBounds(null, 7L, bounds(field(Type.INT32), true, statistics(null, ofInt(7))));
  }

  @Test
  void nullsAreKnownWhereTheyWereCounted() {
    assertEquals(3, bounds(field(Type.INT32), true, statistics(null, null)).nulls());
    assertEquals(-1, bounds(field(Type.INT32), true, new Statistics()).nulls());
    assertEquals(-1, bounds(field(Type.INT32), false, old(ofInt(1), ofInt(2))).nulls());
    assertEquals(-1, bounds(field(Type.INT32), true, new Statistics().setNull_count(101)).nulls());
    assertEquals(
        100, bounds(field(Type.INT32), false, new Statistics().setNull_count(100)).nulls());
    SchemaElement required = field(Type.INT32);
    required.setRepetition_type(FieldRepetitionType.REQUIRED);
    assertEquals(0, bounds(required, false, new Statistics().setNull_count(7)).nulls());
  }
}
