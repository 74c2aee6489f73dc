package io.aragonite.spark.execution;

import io.aragonite.exec.table.BatchSource;
import io.aragonite.spark.column.SliceBuilder;
import io.aragonite.spark.column.SliceColumnVector;
import io.aragonite.spark.column.VectorBatches;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.joins.HashedRelation;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Hashed relations that Spark has brought to this executor, as columns: the first task that wants
 * one makes slices of its rows, for all of them. They live as long as Spark keeps the relation.
 */
final class RelationColumns {
  private static final int SLICE_ROWS = 1 << 14;

  private static final Map<HashedRelation, RelationColumns> KNOWN = new WeakHashMap<>();

  /** By types: joins may differ in what they know of nulls. */
  private final Map<List<io.aragonite.exec.type.DataType>, List<UnsafeRow>> slices =
      new HashMap<>();

  private RelationColumns() {}

  /** The batches of a relation; rows are counted where they are converted. */
  static BatchSource.BatchReader of(
      HashedRelation relation, FragmentPlan.FragmentInput input, FragmentMetrics metrics) {
    RelationColumns columns;
    synchronized (KNOWN) {
      columns = KNOWN.computeIfAbsent(relation, r -> new RelationColumns());
    }
    Iterator<ColumnarBatch> batches =
        columns.slices(relation, input, metrics).stream()
            .map(slice -> SliceColumnVector.batch(slice, input.sparkTypes(), input.types()))
            .iterator();
    return new VectorBatches(batches, input.types(), metrics);
  }

  private synchronized List<UnsafeRow> slices(
      HashedRelation relation, FragmentPlan.FragmentInput input, FragmentMetrics metrics) {
    return slices.computeIfAbsent(
        input.types(),
        types -> {
          SliceBuilder builder = new SliceBuilder(types);
          List<UnsafeRow> made = new ArrayList<>();
          long count = 0;
          Iterator<InternalRow> rows = RelationRows.of(relation, types.size());
          while (rows.hasNext()) {
            builder.add(rows.next());
            count++;
            if (builder.rows() == SLICE_ROWS) {
              made.add(builder.finish());
            }
          }
          if (builder.rows() > 0) {
            made.add(builder.finish());
          }
          metrics.rows(count);
          return List.copyOf(made);
        });
  }
}
