package io.aragonite.rules.rel;

import io.aragonite.rules.translate.Untranslatable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalTableScan;
import org.apache.calcite.schema.TransientTable;

/**
 * Turns the scan of what a recursion made last, or of a {@link CteTable}, into {@link
 * GpuWorkingRows}.
 */
public final class GpuWorkingRowsRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalTableScan.class, "GpuWorkingRowsRule", GpuWorkingRowsRule::new)
          .toRule(GpuWorkingRowsRule.class);

  private GpuWorkingRowsRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalTableScan scan = (LogicalTableScan) rel;
    if (scan.getTable().unwrap(TransientTable.class) == null && CteTable.of(scan) == null) {
      throw new Untranslatable("no working table");
    }
    return new GpuWorkingRows(scan.getCluster(), traits(scan), scan.getTable());
  }
}
