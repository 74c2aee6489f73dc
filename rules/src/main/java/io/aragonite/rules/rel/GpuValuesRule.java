package io.aragonite.rules.rel;

import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalValues;

/** Turns {@link LogicalValues} into {@link GpuValues}. */
public final class GpuValuesRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalValues.class, "GpuValuesRule", GpuValuesRule::new).toRule(GpuValuesRule.class);

  private GpuValuesRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalValues values = (LogicalValues) rel;
    GpuValues result =
        new GpuValues(values.getCluster(), traits(values), values.getRowType(), values.getTuples());
    GpuValues.rows(result);
    return result;
  }
}
