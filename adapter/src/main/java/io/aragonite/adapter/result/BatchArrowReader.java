package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.runtime.BatchResult;
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
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Reads an engine's result as Arrow record batches, one for each batch of the engine. */
final class BatchArrowReader extends ArrowReader {
  private final BatchResult result;
  private final StoredColumns columns;
  private final boolean encoded;
  private final Execution execution;
  private long bytes;
  private long rowsLeft;
  private boolean dictionariesLoaded;

  BatchArrowReader(
      BufferAllocator allocator,
      BatchResult result,
      StoredColumns columns,
      boolean encoded,
      Execution execution,
      long maxRows) {
    super(allocator);
    this.result = result;
    this.columns = columns;
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
      execution.failed(e);
      AragoniteException ended = execution.ended();
      throw new IOException((ended != null ? ended : e).getMessage(), ended != null ? ended : e);
    }
  }

  private void copy(ColumnBatch batch, VectorSchemaRoot root) {
    for (int i = 0; i < batch.columns().size(); i++) {
      bytes +=
          ColumnToArrow.load(
              batch.column(i),
              root.getVector(i),
              allocator,
              columns.encoder(i),
              result.hostObjects());
    }
  }

  private void loadDictionaries() throws IOException {
    if (dictionariesLoaded) {
      return;
    }
    dictionariesLoaded = true;
    for (int i = 0; i < columns.size(); i++) {
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
    for (int i = 0; i < columns.size(); i++) {
      ColumnShape shape = result.shapes().get(i);
      DictionaryEncoding encoding =
          dictionary(shape) == null
              ? null
              : new DictionaryEncoding(i, true, new ArrowType.Int(32, true));
      boolean nullable = shape.mayBeNull() || shape.type().nullable();
      ArrowType type =
          columns.isNested(i) ? ArrowType.Binary.INSTANCE : ArrowColumnTypes.of(shape.type());
      fields.add(new Field(columns.name(i), new FieldType(nullable, type, encoding), List.of()));
    }
    return new Schema(fields);
  }

  private io.aragonite.exec.vector.@Nullable Dictionary dictionary(ColumnShape shape) {
    return encoded && shape.type().kind().isText() ? shape.dictionary() : null;
  }
}
