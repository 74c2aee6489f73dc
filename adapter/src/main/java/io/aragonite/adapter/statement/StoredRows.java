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
    long _ = copy(query, context, execution, again, false);
  }

  /**
   * {@link #copy} of a table's rows, of which some are changed.
   *
   * @param query behind the table's columns it has whether a row is changed
   * @param again gets the changed rows; null: nowhere
   * @return how many are changed
   */
  long update(
      ExecutionSignature<?> query,
      DataContext context,
      Execution execution,
      @Nullable SegmentWriter again)
      throws IOException {
    return copy(query, context, execution, again, true);
  }

  private long copy(
      ExecutionSignature<?> query,
      DataContext context,
      Execution execution,
      @Nullable SegmentWriter again,
      boolean flagged)
      throws IOException {
    List<NestedType> types = new ArrayList<>();
    columns.forEach(column -> types.add(column.stored()));
    int width = QueryBatches.rowType(query).getFieldCount();
    while (types.size() < width) {
      types.add(TRUTH);
    }
    long changed = 0;
    try (QueryBatches batches =
        QueryBatches.start(query, types, context, execution, allocator, false)) {
      boolean more;
      do {
        more = batches.next();
        execution.check();
        VectorSchemaRoot rows = checked(batches.root(), flagged ? 1 : 0);
        if (flagged) {
          BitSet flags = flags((BitVector) batches.root().getVector(columns.size()));
          changed += flags.cardinality();
          write(rows, null);
          if (again != null) {
            write(rows, flags, again);
          }
        } else {
          write(rows, again);
        }
      } while (more);
    }
    return changed;
  }

  private static BitSet flags(BitVector vector) {
    BitSet flags = new BitSet();
    for (int row = 0; row < vector.getValueCount(); row++) {
      flags.set(row, vector.get(row) != 0);
    }
    return flags;
  }

  /**
   * The columns of the table, whose conditions hold.
   *
   * @param flags columns between them and the conditions
   */
  private VectorSchemaRoot checked(VectorSchemaRoot batch, int flags) {
    TableColumn.check(columns, batch);
    List<FieldVector> vectors = batch.getFieldVectors();
    if (vectors.size() == columns.size()) {
      return batch;
    }
    int first = columns.size() + flags;
    for (int i = first; i < vectors.size(); i++) {
      require(rules.checks().get(i - first), (BitVector) vectors.get(i), batch);
    }
    List<FieldVector> values = vectors.subList(0, columns.size());
    return new VectorSchemaRoot(
        values.stream().map(FieldVector::getField).toList(), values, batch.getRowCount());
  }

  private void write(VectorSchemaRoot rows, @Nullable SegmentWriter again) throws IOException {
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
      write(rows, kept, writer);
      if (again != null) {
        write(rows, kept, again);
      }
    }
  }

  private void put(VectorSchemaRoot rows, @Nullable SegmentWriter again) throws IOException {
    writer.write(rows);
    if (again != null) {
      again.write(rows);
    }
  }

  /** Writes some of the rows. */
  private void write(VectorSchemaRoot rows, BitSet kept, SegmentWriter to) throws IOException {
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
      to.write(some);
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
      if (columns.get(i).stored() instanceof NestedType.Scalar) {
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
