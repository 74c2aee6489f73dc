package io.aragonite.rules;

import io.aragonite.exec.table.Table;
import io.aragonite.rules.metadata.KeySketch;
import io.aragonite.rules.metadata.RowSample;
import io.aragonite.rules.metadata.TableStatistics;
import io.aragonite.rules.rel.GpuTableScan;
import java.util.List;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.schema.TranslatableTable;
import org.jspecify.annotations.Nullable;

/**
 * A table that the GPU convention can scan. Row type, keys and foreign keys are Calcite's ({@link
 * org.apache.calcite.schema.Table#getRowType}, {@link org.apache.calcite.schema.Statistic}); this
 * adds the data and what is known of its columns. Safe for several threads.
 *
 * <p>The types of {@link #data()} must be those that {@link
 * io.aragonite.rules.translate.TypeMapping} gives for the row type.
 */
public interface GpuTable extends TranslatableTable {
  /** The data as the engine scans it. */
  Table data();

  /** What is known of the data; cheap to call. */
  TableStatistics statistics();

  /**
   * Which values columns have together that joins are made by; may be slow the first time.
   *
   * @return null if that is not known
   */
  default @Nullable KeySketch keySketch(List<Integer> columns) {
    return null;
  }

  /** Some of its rows, to try predicates on; null if there are none. */
  default @Nullable RowSample sample() {
    return null;
  }

  /** Where queries over this table run if the planner's context does not say otherwise. */
  EngineProvider engines();

  @Override
  default RelNode toRel(RelOptTable.ToRelContext context, RelOptTable relOptTable) {
    return GpuTableScan.create(context.getCluster(), relOptTable, context.getTableHints());
  }
}
