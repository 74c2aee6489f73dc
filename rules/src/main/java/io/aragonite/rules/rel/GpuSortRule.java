package io.aragonite.rules.rel;

import io.aragonite.rules.translate.TypeMapping;
import io.aragonite.rules.translate.Untranslatable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** Turns a {@link LogicalSort}, with or without OFFSET and FETCH, into a {@link GpuSort}. */
public final class GpuSortRule extends GpuConverterRule {
  /** The rule. */
  public static final ConverterRule INSTANCE =
      config(LogicalSort.class, "GpuSortRule", GpuSortRule::new).toRule(GpuSortRule.class);

  private GpuSortRule(Config config) {
    super(config);
  }

  @Override
  RelNode make(RelNode rel) {
    LogicalSort sort = (LogicalSort) rel;
    for (RelFieldCollation field : sort.getCollation().getFieldCollations()) {
      TypeMapping.requireComparable(
          sort.getRowType().getFieldList().get(field.getFieldIndex()).getType(), "a sort key");
    }
    requireConstant(sort.offset);
    requireConstant(sort.fetch);
    RelTraitSet traits = traits(sort).replace(sort.getCollation());
    return new GpuSort(
        sort.getCluster(),
        traits,
        input(sort.getInput()),
        sort.getCollation(),
        sort.offset,
        sort.fetch);
  }

  private static void requireConstant(@Nullable RexNode limit) {
    if (limit != null && !(limit instanceof RexLiteral) && !(limit instanceof RexDynamicParam)) {
      throw new Untranslatable(
          "LIMIT or OFFSET is the expression %s; write a literal or a parameter".formatted(limit));
    }
  }
}
