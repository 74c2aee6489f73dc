package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.type.DataType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.calcite.linq4j.Enumerator;

/** Reads the rows of a plan that runs in Calcite's code as Arrow record batches. */
final class RowArrowReader extends ArrowReader {
  private static final int BATCH_ROWS = 1 << 14;

  private final Enumerator<?> rows;
  private final List<String> names;
  private final List<DataType> types;
  private final Execution execution;

  RowArrowReader(
      BufferAllocator allocator,
      Enumerator<?> rows,
      List<String> names,
      List<DataType> types,
      Execution execution) {
    super(allocator);
    this.rows = rows;
    this.names = names;
    this.types = types;
    this.execution = execution;
  }

  @Override
  public boolean loadNextBatch() throws IOException {
    try {
      execution.check();
      prepareLoadNextBatch();
      VectorSchemaRoot root = getVectorSchemaRoot();
      root.getFieldVectors().forEach(FieldVector::clear); // others may hold the last rows
      int count = 0;
      while (count < BATCH_ROWS && rows.moveNext()) {
        Object row = rows.current();
        for (int i = 0; i < types.size(); i++) {
          Object value = row instanceof Object[] values ? values[i] : row;
          ValueToArrow.set(root.getVector(i), count, ValueToArrow.inUnit(value, types.get(i)));
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
    for (int i = 0; i < names.size(); i++) {
      DataType type = types.get(i);
      fields.add(
          new Field(
              names.get(i), new FieldType(true, BatchArrowReader.type(type), null), List.of()));
    }
    return new Schema(fields);
  }
}
