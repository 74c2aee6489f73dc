package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.TrackedResult;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.vector.ColumnShape;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.rel.type.RelDataType;
import org.jspecify.annotations.Nullable;

/**
 * The result of a JDBC statement as Arrow record batches, wherever it ran: the engine's columns
 * where they are the whole result and none is nested, rows otherwise. For servers; programs have
 * {@link ArrowResult}.
 */
public final class ResultBatches implements AutoCloseable {
  private final Execution execution;
  private final VectorSchemaRoot root;
  private final @Nullable ArrowReader columns;
  private final @Nullable RowVectors rows;

  private ResultBatches(
      Execution execution,
      VectorSchemaRoot root,
      @Nullable ArrowReader columns,
      @Nullable RowVectors rows) {
    this.execution = execution;
    this.root = root;
    this.columns = columns;
    this.rows = rows;
  }

  /**
   * Begins to read a result, of which no row has been read.
   *
   * @param result of a statement of this driver's
   * @param allocator for the vectors; it may refuse
   */
  public static ResultBatches of(ResultSet result, BufferAllocator allocator)
      throws SQLException, IOException {
    ResultSetGuard guard = (ResultSetGuard) result;
    Execution execution = guard.execution();
    RelDataType type = execution.rowType();
    List<Field> fields = fields(type, result.getMetaData());
    TrackedResult device = execution.deviceResult();
    if (device != null && areColumns(fields, device.shapes())) {
      ArrowReader reader = guard.arrow().reader(allocator);
      return new ResultBatches(
          execution,
          new VectorSchemaRoot(fields, reader.getVectorSchemaRoot().getFieldVectors(), 0),
          reader,
          null);
    }
    VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), allocator);
    return new ResultBatches(execution, root, null, new RowVectors(result, type, root));
  }

  /**
   * The columns of a statement that is prepared.
   *
   * @return null if they are known when its parameters have values, or if it has none
   */
  public static @Nullable Schema schema(PreparedStatement statement) throws SQLException {
    ResultSetMetaData columns = statement.getMetaData();
    return columns == null || columns.getColumnCount() == 0
        ? null
        : new Schema(
            fields(
                statement.unwrap(AvaticaPreparedStatement.class).handle.signature
                        instanceof CalciteSignature<?> signature
                    ? signature.rowType
                    : null,
                columns));
  }

  /** Whether a statement that is prepared has rows; others change something. */
  public static boolean isQuery(PreparedStatement statement) throws SQLException {
    var signature = statement.unwrap(AvaticaPreparedStatement.class).handle.signature;
    return signature.statementType == null || !signature.statementType.canUpdate();
  }

  private static List<Field> fields(@Nullable RelDataType type, ResultSetMetaData columns)
      throws SQLException {
    if (type == null || !type.isStruct() || type.getFieldCount() != columns.getColumnCount()) {
      return ArrowFields.of(columns);
    }
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < type.getFieldCount(); i++) {
      fields.add(
          ArrowFields.of(columns.getColumnLabel(i + 1), type.getFieldList().get(i).getType()));
    }
    return fields;
  }

  private static boolean areColumns(List<Field> fields, List<ColumnShape> shapes) {
    if (fields.size() != shapes.size()) {
      return false;
    }
    for (int i = 0; i < fields.size(); i++) {
      if (!fields.get(i).getType().equals(ArrowColumnTypes.of(shapes.get(i).type()))) {
        return false;
      }
    }
    return true;
  }

  /** The run whose result it is. */
  public Execution execution() {
    return execution;
  }

  /** The vectors of the rows that {@link #next} has loaded last, each time new buffers. */
  public VectorSchemaRoot root() {
    return root;
  }

  /** Loads the next rows; false if there are no more. */
  public boolean next() throws SQLException, IOException {
    if (rows != null) {
      return rows.next();
    }
    ArrowReader reader = java.util.Objects.requireNonNull(columns);
    try {
      if (!reader.loadNextBatch()) {
        return false;
      }
      root.setRowCount(reader.getVectorSchemaRoot().getRowCount());
      return true;
    } catch (IOException e) {
      if (e.getCause() instanceof AragoniteException error) {
        throw error;
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    root.close();
    if (columns != null) {
      columns.close();
    }
  }
}
