package io.aragonite.rules.rel;

import java.util.List;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataTypeField;

/** {@link UnnestRel} before it has a device. */
public final class LogicalUnnest extends UnnestRel {
  private LogicalUnnest(
      RelTraitSet traits,
      RelNode input,
      UnnestForm form,
      List<? extends RelDataTypeField> elements) {
    super(traits, input, form, elements);
  }

  /**
   * The node.
   *
   * @param elements the columns behind those of the input that stay
   */
  public static LogicalUnnest create(
      RelNode input, UnnestForm form, List<? extends RelDataTypeField> elements) {
    return new LogicalUnnest(input.getCluster().traitSetOf(Convention.NONE), input, form, elements);
  }

  @Override
  public LogicalUnnest copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new LogicalUnnest(traitSet, sole(inputs), form, elements());
  }
}
