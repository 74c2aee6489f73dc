package io.aragonite.rules.rel;

import io.aragonite.rules.translate.WindowTranslator;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalWindow;

/** Turns a {@link LogicalWindow} into a {@link GpuWindow}. */
public final class GpuWindowRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalWindow.class, "GpuWindowRule", GpuWindowRule::new).toRule(GpuWindowRule.class);

  private GpuWindowRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalWindow window = (LogicalWindow) rel;
    new WindowTranslator(window).check();
    return new GpuWindow(
        window.getCluster(),
        traits(window),
        input(window.getInput()),
        window.constants,
        window.getRowType(),
        window.groups);
  }
}
