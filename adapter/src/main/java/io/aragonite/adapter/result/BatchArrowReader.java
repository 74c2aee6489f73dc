package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Reads an engine's result as Arrow record batches, one for each batch of the engine. */
final class BatchArrowReader extends ArrowReader {
  private final BatchResult result;
  private final List<String> names;
  private final boolean encoded;
  private final Execution execution;
  private long bytes;
  private long rowsLeft;
  private boolean dictionariesLoaded;

  BatchArrowReader(
      BufferAllocator allocator,
      BatchResult result,
      List<String> names,
      boolean encoded,
      Execution execution,
      long maxRows) {
    super(allocator);
    this.result = result;
    this.names = names;
    this.encoded = encoded;
    this.execution = execution;
    this.rowsLeft = maxRows;
  }

  @Override
  public boolean loadNextBatch() throws IOException {
    try {
      execution.check();
      prepareLoadNextBatch();
      loadDictionaries();
      ColumnBatch batch = rowsLeft == 0 ? null : result.next();
      if (batch == null) {
        return false;
      }
      VectorSchemaRoot root = getVectorSchemaRoot();
      result.read(batch, () -> copy(batch, root));
      int rows = (int) Math.min(batch.rows(), rowsLeft);
      rowsLeft -= rows;
      root.setRowCount(rows);
      return true;
    } catch (AragoniteException e) {
      AragoniteException ended = execution.ended();
      throw new IOException((ended != null ? ended : e).getMessage(), ended != null ? ended : e);
    }
  }

  private void copy(ColumnBatch batch, VectorSchemaRoot root) {
    for (int i = 0; i < batch.columns().size(); i++) {
      bytes +=
          ColumnToArrow.load(batch.column(i), root.getVector(i), allocator, result.hostObjects());
    }
  }

  private void loadDictionaries() throws IOException {
    if (dictionariesLoaded) {
      return;
    }
    dictionariesLoaded = true;
    for (int i = 0; i < names.size(); i++) {
      io.aragonite.exec.vector.Dictionary values = dictionary(result.shapes().get(i));
      Dictionary target = values == null ? null : getDictionaryVectors().get((long) i);
      if (values == null || target == null) {
        continue;
      }
      FieldVector vector = target.getVector();
      VarCharVector texts = (VarCharVector) vector;
      texts.allocateNew(values.size());
      for (int code = 0; code < values.size(); code++) {
        texts.setSafe(code, values.bytes(code));
      }
      texts.setValueCount(values.size());
    }
  }

  @Override
  public long bytesRead() {
    return bytes;
  }

  @Override
  protected void closeReadSource() {
    result.close();
  }

  @Override
  protected Schema readSchema() {
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      ColumnShape shape = result.shapes().get(i);
      DictionaryEncoding encoding =
          dictionary(shape) == null
              ? null
              : new DictionaryEncoding(i, true, new ArrowType.Int(32, true));
      boolean nullable = shape.mayBeNull() || shape.type().nullable();
      fields.add(
          new Field(
              names.get(i), new FieldType(nullable, type(shape.type()), encoding), List.of()));
    }
    return new Schema(fields);
  }

  private io.aragonite.exec.vector.@Nullable Dictionary dictionary(ColumnShape shape) {
    return encoded && shape.type().kind().isText() ? shape.dictionary() : null;
  }

  private static TimeUnit unit(TimestampUnit unit) {
    return switch (unit) {
      case MILLIS -> TimeUnit.MILLISECOND;
      case MICROS -> TimeUnit.MICROSECOND;
      case NANOS -> TimeUnit.NANOSECOND;
    };
  }

  static ArrowType type(DataType type) {
    return switch (type.kind()) {
      case NULL -> ArrowType.Null.INSTANCE;
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      case INT8 -> new ArrowType.Int(8, true);
      case INT16 -> new ArrowType.Int(16, true);
      case INT32 -> new ArrowType.Int(32, true);
      case INT64 -> new ArrowType.Int(64, true);
      case FLOAT32 -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case FLOAT64 -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DECIMAL -> new ArrowType.Decimal(type.precision(), type.scale(), 128);
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TIME -> new ArrowType.Time(TimeUnit.MILLISECOND, 32);
      case TIMESTAMP -> new ArrowType.Timestamp(unit(type.timestampUnit()), null);
      case INSTANT -> new ArrowType.Timestamp(unit(type.timestampUnit()), "UTC");
      case INTERVAL_MONTH -> new ArrowType.Interval(IntervalUnit.YEAR_MONTH);
      case INTERVAL_DAY -> new ArrowType.Duration(TimeUnit.MILLISECOND);
      case BINARY -> ArrowType.Binary.INSTANCE;
      case CHAR, VARCHAR, OPAQUE -> ArrowType.Utf8.INSTANCE;
    };
  }
}
