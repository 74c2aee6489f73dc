package io.aragonite.rules.rel;

import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.runtime.GpuQuery;
import java.lang.reflect.Method;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.adapter.enumerable.EnumerableRelImplementor;
import org.apache.calcite.adapter.enumerable.JavaRowFormat;
import org.apache.calcite.adapter.enumerable.PhysType;
import org.apache.calcite.adapter.enumerable.PhysTypeImpl;
import org.apache.calcite.linq4j.tree.Blocks;
import org.apache.calcite.linq4j.tree.Expressions;
import org.apache.calcite.linq4j.tree.Types;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterImpl;
import org.apache.calcite.rel.metadata.RelMetadataQuery;

/** Hands the rows of our convention to Calcite's Enumerable convention. */
public final class GpuToEnumerableConverter extends ConverterImpl implements EnumerableRel {
  private static final Method ROWS = Types.lookupMethod(GpuQuery.class, "rows", DataContext.class);

  /** Whether the rows are read in a place where those of a CTE are not known. */
  private final boolean part;

  GpuToEnumerableConverter(RelOptCluster cluster, RelTraitSet traits, RelNode input) {
    super(cluster, ConventionTraitDef.INSTANCE, traits, input);
    this.part = CteTable.isReadUnmade(input);
  }

  @Override
  public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
    return new GpuToEnumerableConverter(getCluster(), traitSet, sole(inputs));
  }

  @Override
  public RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    if (part) {
      return planner.getCostFactory().makeHugeCost(); // translation refuses it
    }
    DeviceProfile device = OperatorCosts.profile(planner);
    double values = OperatorCosts.rows(getInput(), mq) * getRowType().getFieldCount();
    return GpuCost.of(planner, device.startNanos() + values * device.rowOutNanos());
  }

  @Override
  public Result implement(EnumerableRelImplementor implementor, Prefer pref) {
    PhysType physType =
        PhysTypeImpl.of(implementor.getTypeFactory(), getRowType(), JavaRowFormat.ARRAY);
    GpuQuery query = GpuRelImplementor.query(getInput());
    return implementor.result(
        physType,
        Blocks.toBlock(
            Expressions.call(implementor.stash(query, GpuQuery.class), ROWS, DataContext.ROOT)));
  }
}
