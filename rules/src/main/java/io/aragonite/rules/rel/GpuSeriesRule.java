package io.aragonite.rules.rel;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;

/** Turns a {@link LogicalSeries} into a {@link GpuSeries}. */
public final class GpuSeriesRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalSeries.class, "GpuSeriesRule", GpuSeriesRule::new).toRule(GpuSeriesRule.class);

  private GpuSeriesRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalSeries series = (LogicalSeries) rel;
    return new GpuSeries(series.getCluster(), traits(series), series.getRowType(), series.rows());
  }
}
