package io.aragonite.rules.translate;

import java.util.List;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.adapter.enumerable.EnumerableRelImplementor;
import org.apache.calcite.adapter.enumerable.JavaRowFormat;
import org.apache.calcite.adapter.enumerable.PhysType;
import org.apache.calcite.adapter.enumerable.PhysTypeImpl;
import org.apache.calcite.linq4j.tree.BlockBuilder;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.SingleRel;

/** Rows as arrays, whatever form Calcite's operators hand them in: objects, lists, bare values. */
final class ArrayRows extends SingleRel implements EnumerableRel {
  ArrayRows(EnumerableRel input) {
    super(input.getCluster(), input.getCluster().traitSetOf(EnumerableConvention.INSTANCE), input);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new ArrayRows((EnumerableRel) sole(inputs));
  }

  @Override
  public Result implement(EnumerableRelImplementor implementor, Prefer pref) {
    Result rows = implementor.visitChild(this, 0, (EnumerableRel) getInput(), Prefer.ARRAY);
    PhysType arrays =
        PhysTypeImpl.of(implementor.getTypeFactory(), getRowType(), JavaRowFormat.ARRAY, false);
    BlockBuilder block = new BlockBuilder();
    block.add(rows.physType.convertTo(block.append("rows", rows.block), JavaRowFormat.ARRAY));
    return implementor.result(arrays, block.toBlock());
  }
}
