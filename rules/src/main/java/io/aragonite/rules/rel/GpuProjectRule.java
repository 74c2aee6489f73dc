package io.aragonite.rules.rel;

import io.aragonite.rules.translate.Untranslatable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalProject;

/** Turns a {@link LogicalProject} without window functions into a {@link GpuProject}. */
public final class GpuProjectRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalProject.class, "GpuProjectRule", GpuProjectRule::new)
          .toRule(GpuProjectRule.class);

  private GpuProjectRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalProject project = (LogicalProject) rel;
    if (project.containsOver()) {
      throw new Untranslatable(
          "a window function inside an expression; compute it in a subquery first");
    }
    check(project, project.getProjects());
    return new GpuProject(
        project.getCluster(),
        traits(project),
        input(project.getInput()),
        project.getProjects(),
        project.getRowType());
  }
}
