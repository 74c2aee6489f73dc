package io.aragonite.rules;

import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.rel.GpuTableScan;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.schema.TranslatableTable;

/**
 * A table that the GPU convention can scan. Row type, keys and foreign keys are Calcite's ({@link
 * org.apache.calcite.schema.Table#getRowType}, {@link org.apache.calcite.schema.Statistic}); this
 * adds the data and what is known of its columns. Safe for several threads.
 */
public interface GpuTable extends TranslatableTable, TableData {
  @Override
  default RelNode toRel(RelOptTable.ToRelContext context, RelOptTable relOptTable) {
    return GpuTableScan.create(context.getCluster(), relOptTable, context.getTableHints());
  }
}
