package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.adapter.table.SegmentWriter;
import io.aragonite.adapter.table.SessionTables;
import io.aragonite.adapter.table.TableKeys;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.adapter.table.TableRules.CheckRule;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.calcite.DataContext;
import org.jspecify.annotations.Nullable;

/**
 * Rows on their way from queries into a table, each of which is looked at whether it may be there.
 */
final class StoredRows implements AutoCloseable {
  /** Columns that an error shows of a row. */
  private static final int SHOWN = 8;

  private static final NestedType TRUTH =
      new NestedType.Scalar(DataType.of(TypeKind.BOOLEAN, false));

  private final String table;
  private final List<TableColumn> columns;
  private final TableRules rules;
  private final boolean ignore;
  private final BufferAllocator allocator;
  private final SegmentWriter writer;
  private final @Nullable TableKeys keys;
  private final boolean[] padded;
  private boolean given;

  /**
   * @param allocator of the rows, which {@link #close} closes
   * @param base the keys of the rows that the table keeps; null: none
   * @param ignore whether rows are left out whose keys are there already
   */
  StoredRows(
      SessionTables store,
      BufferAllocator allocator,
      String table,
      List<TableColumn> columns,
      TableRules rules,
      @Nullable TableKeys base,
      boolean ignore) {
    this.allocator = allocator;
    this.table = table;
    this.columns = columns;
    this.rules = rules;
    this.ignore = ignore;
    this.writer = store.writer(allocator);
    this.keys = store.keys(table, rules, base);
    this.padded = new boolean[columns.size()];
    for (int i = 0; i < padded.length; i++) {
      padded[i] = columns.get(i).type().kind() == TypeKind.CHAR;
    }
  }

  long count() {
    return writer.rows();
  }

  SegmentWriter writer() {
    return writer;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  /** The keys of the rows, which {@link #close} ends; null if the table has none. */
  @Nullable TableKeys keys() {
    return keys;
  }

  /** The table has taken the keys over. */
  void give() {
    given = true;
  }

  /**
   * Runs a query, and writes its rows.
   *
   * @param query its columns are those of the table, and then what CHECK conditions say of them
   * @throws AragoniteException NULL_NOT_ALLOWED, TEXT_TOO_LONG, CHECK_VIOLATED, DUPLICATE_KEY
   */
  void copy(ExecutionSignature<?> query, DataContext context, Execution execution)
      throws IOException {
    copy(query, context, execution, null);
  }

  /**
   * {@link #copy}, and writes rows that are kept once more.
   *
   * @param again its allocator has the same root; null: nowhere else
   */
  void copy(
      ExecutionSignature<?> query,
      DataContext context,
      Execution execution,
      @Nullable SegmentWriter again)
      throws IOException {
    List<NestedType> types = new ArrayList<>();
    columns.forEach(column -> types.add(column.stored()));
    int width = QueryBatches.rowType(query).getFieldCount();
    while (types.size() < width) {
      types.add(TRUTH);
    }
    try (QueryBatches batches =
        QueryBatches.start(query, types, context, execution, allocator, false)) {
      boolean more;
      do {
        more = batches.next();
        execution.check();
        write(batches.root(), again);
      } while (more);
    }
  }

  private void write(VectorSchemaRoot batch, @Nullable SegmentWriter again) throws IOException {
    TableColumn.fit(columns, batch);
    VectorSchemaRoot rows = batch;
    List<FieldVector> vectors = batch.getFieldVectors();
    if (vectors.size() > columns.size()) {
      for (int i = columns.size(); i < vectors.size(); i++) {
        require(rules.checks().get(i - columns.size()), (BitVector) vectors.get(i), batch);
      }
      List<FieldVector> values = vectors.subList(0, columns.size());
      rows =
          new VectorSchemaRoot(
              values.stream().map(FieldVector::getField).toList(), values, batch.getRowCount());
    }
    if (keys == null) {
      put(rows, again);
      return;
    }
    BitSet kept = null;
    if (ignore) {
      kept = new BitSet();
      kept.set(0, rows.getRowCount());
    }
    keys.add(rows, padded, kept);
    if (kept == null || kept.cardinality() == rows.getRowCount()) {
      put(rows, again);
    } else {
      write(rows, kept, again);
    }
  }

  private void put(VectorSchemaRoot rows, @Nullable SegmentWriter again) throws IOException {
    writer.write(rows);
    if (again != null) {
      again.write(rows);
    }
  }

  /** Writes some of the rows. */
  private void write(VectorSchemaRoot rows, BitSet kept, @Nullable SegmentWriter again)
      throws IOException {
    try (VectorSchemaRoot some = VectorSchemaRoot.create(rows.getSchema(), allocator)) {
      some.getFieldVectors().forEach(FieldVector::allocateNew);
      int count = 0;
      for (int row = kept.nextSetBit(0); row >= 0; row = kept.nextSetBit(row + 1)) {
        for (int i = 0; i < columns.size(); i++) {
          some.getVector(i).copyFromSafe(row, count, rows.getVector(i));
        }
        count++;
      }
      some.setRowCount(count);
      put(some, again);
    }
  }

  private void require(CheckRule rule, BitVector holds, VectorSchemaRoot rows) {
    for (int row = 0; row < rows.getRowCount(); row++) {
      if (!holds.isNull(row) && holds.get(row) == 0) {
        throw violated(rule, rows, row);
      }
    }
  }

  private AragoniteException violated(CheckRule rule, VectorSchemaRoot rows, int row) {
    List<String> names = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (int i = 0; i < columns.size() && names.size() < SHOWN; i++) {
      if (columns.get(i).stored() instanceof NestedType.Scalar
          && !columns.get(i).name().equals(HeldRows.NUMBER)) {
        names.add(columns.get(i).name());
        values.add(TableKeys.shown(rows.getVector(i), row));
      }
    }
    return new AragoniteException(
        ErrorCode.CHECK_VIOLATED,
        "A row of table \"%s\" with (%s) = (%s) is not what its CHECK \"%s\" wants: %s."
            .formatted(
                table,
                String.join(", ", names),
                String.join(", ", values),
                rule.name(),
                rule.condition()));
  }

  @Override
  public void close() throws IOException {
    if (keys != null && !given) {
      keys.close();
    }
    try {
      writer.close();
    } finally {
      allocator.close();
    }
  }
}
