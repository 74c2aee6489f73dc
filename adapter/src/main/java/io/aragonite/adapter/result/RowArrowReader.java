package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.format.nested.NestedEncoder;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.linq4j.Enumerator;
import org.jspecify.annotations.Nullable;

/** Reads the rows of a plan that runs in Calcite's code as Arrow record batches. */
final class RowArrowReader extends ArrowReader {
  private static final int BATCH_ROWS = 1 << 14;

  /** Bytes of lists, structs and maps with which a batch ends, whatever its rows. */
  private static final long MOST_ENCODED = 64 << 20;

  private final Enumerator<?> rows;
  private final StoredColumns columns;
  private final List<DataType> types;
  private final Execution execution;

  /**
   * Whether rows are structs, which are arrays too: a query of one column has its values as rows.
   */
  private final boolean structs;

  private long encoded;

  RowArrowReader(
      BufferAllocator allocator,
      Enumerator<?> rows,
      StoredColumns columns,
      List<DataType> types,
      Execution execution) {
    super(allocator);
    this.rows = rows;
    this.columns = columns;
    this.types = types;
    this.execution = execution;
    this.structs = columns.size() == 1 && columns.isStruct(0);
  }

  @Override
  public boolean loadNextBatch() throws IOException {
    try {
      execution.check();
      prepareLoadNextBatch();
      VectorSchemaRoot root = getVectorSchemaRoot();
      root.getFieldVectors().forEach(FieldVector::clear); // others may hold the last rows
      int count = 0;
      encoded = 0;
      while (count < BATCH_ROWS && encoded < MOST_ENCODED && rows.moveNext()) {
        Object row = rows.current();
        for (int i = 0; i < types.size(); i++) {
          Object value = row instanceof Object[] values && !structs ? values[i] : row;
          NestedEncoder encoder = columns.encoder(i);
          if (encoder != null && value != null) {
            set((VarBinaryVector) root.getVector(i), count, encoder.encode(value));
          } else {
            set(root.getVector(i), count, inUnit(value, types.get(i)));
          }
        }
        count++;
      }
      root.setRowCount(count);
      return count > 0;
    } catch (AragoniteException e) {
      AragoniteException ended = execution.ended();
      throw new IOException((ended != null ? ended : e).getMessage(), ended != null ? ended : e);
    }
  }

  /** Calcite's code has timestamps in milliseconds. */
  private static @Nullable Object inUnit(@Nullable Object value, DataType type) {
    return value instanceof Long millis
            && (type.kind() == TypeKind.TIMESTAMP || type.kind() == TypeKind.INSTANT)
        ? (Object) TimestampUnit.MILLIS.to(type.timestampUnit(), millis)
        : value;
  }

  private void set(VarBinaryVector vector, int row, ByteBuffer bytes) {
    vector.setSafe(row, bytes.array(), 0, bytes.position());
    encoded += bytes.position();
  }

  private static void set(FieldVector vector, int row, @Nullable Object value) {
    if (value == null) {
      vector.setNull(row);
      return;
    }
    switch (vector) {
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
      case TimeMilliVector times -> times.setSafe(row, ((Number) value).intValue());
      case TimeStampVector times -> times.setSafe(row, ((Number) value).longValue());
      case VarBinaryVector bytes -> bytes.setSafe(row, ((ByteString) value).getBytes());
      case VarCharVector texts ->
          texts.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
      default -> throw new IllegalArgumentException(vector.getField().toString());
    }
  }

  @Override
  public long bytesRead() {
    return 0;
  }

  @Override
  protected void closeReadSource() {
    rows.close();
  }

  @Override
  protected Schema readSchema() {
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      ArrowType type =
          columns.isNested(i) ? ArrowType.Binary.INSTANCE : ArrowColumnTypes.of(types.get(i));
      fields.add(new Field(columns.name(i), new FieldType(true, type, null), List.of()));
    }
    return new Schema(fields);
  }
}
