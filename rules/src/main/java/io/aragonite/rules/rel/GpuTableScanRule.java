package io.aragonite.rules.rel;

import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.translate.Untranslatable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalTableScan;

/** Turns a {@link LogicalTableScan} of a {@link ShuffledTables} into a {@link GpuTableScan}. */
public final class GpuTableScanRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalTableScan.class, "GpuTableScanRule", GpuTableScanRule::new)
          .toRule(GpuTableScanRule.class);

  private GpuTableScanRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalTableScan scan = (LogicalTableScan) rel;
    if (scan.getTable().unwrap(TableData.class) == null) {
      throw new Untranslatable(
          "table %s is not one of ours".formatted(scan.getTable().getQualifiedName()));
    }
    return GpuTableScan.create(scan.getCluster(), scan.getTable(), scan.getHints());
  }
}
