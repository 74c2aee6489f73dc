package io.aragonite.adapter.result;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionContext;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.runtime.GpuQuery;
import io.aragonite.rules.translate.StashedContext;
import io.aragonite.rules.translate.TypeMapping;
import java.io.IOException;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.rel.type.RelDataType;

/**
 * All rows of a query as Arrow record batches, wherever it runs: for statements that keep rows
 * rather than hand them out.
 */
public final class QueryBatches implements AutoCloseable {
  private final ArrowReader reader;
  private final VectorSchemaRoot root;

  private QueryBatches(ArrowReader reader) throws IOException {
    this.reader = reader;
    this.root = reader.getVectorSchemaRoot();
  }

  /**
   * Starts a query.
   *
   * @param signature of a statement that is prepared
   * @param stored what its columns are wanted as: lists, structs and maps are the bytes that {@link
   *     io.aragonite.adapter.format.nested.NestedValue} reads
   * @param execution the run that it belongs to
   * @param encoded whether texts may come as codes of {@link #dictionaries}
   */
  public static QueryBatches start(
      ExecutionSignature<?> signature,
      List<NestedType> stored,
      DataContext context,
      Execution execution,
      BufferAllocator allocator,
      boolean encoded)
      throws IOException {
    RelDataType row = rowType(signature);
    StoredColumns columns = new StoredColumns(row.getFieldNames(), stored);
    PreparedPlan plan = signature.plan();
    if (plan != null && plan.query() != null) {
      GpuQuery query = plan.query().stored(columns::takes);
      execution.reads(plan);
      var result = query.start(new ExecutionContext(context, execution));
      return new QueryBatches(
          new BatchArrowReader(allocator, result, columns, encoded, execution, Long.MAX_VALUE));
    }
    DataContext own = new StashedContext(context, signature.internalParameters);
    Enumerator<?> rows = signature.enumerable(own, execution).enumerator();
    return new QueryBatches(
        new RowArrowReader(allocator, rows, columns, TypeMapping.ofRow(row), execution));
  }

  /** What the columns of a prepared query are stored as. */
  public static List<NestedType> stored(ExecutionSignature<?> signature) {
    return rowType(signature).getFieldList().stream()
        .map(field -> NestedType.of(field.getType()))
        .toList();
  }

  /** The row type of a prepared query. */
  public static RelDataType rowType(ExecutionSignature<?> signature) {
    if (signature.rowType == null || !signature.rowType.isStruct()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT, "A query is wanted, and the statement is none.");
    }
    return signature.rowType;
  }

  /** Types of a prepared query's columns. */
  public static List<DataType> types(ExecutionSignature<?> signature) {
    return TypeMapping.ofRow(rowType(signature));
  }

  /** Texts of columns that come as codes; there when rows are. */
  public DictionaryProvider dictionaries() {
    return reader;
  }

  /** The vectors of the rows that {@link #next} has loaded last. */
  public VectorSchemaRoot root() {
    return root;
  }

  /** Loads the next rows; false if there are no more. */
  public boolean next() throws IOException {
    try {
      return reader.loadNextBatch();
    } catch (IOException e) {
      if (e.getCause() instanceof AragoniteException error) {
        throw error;
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
