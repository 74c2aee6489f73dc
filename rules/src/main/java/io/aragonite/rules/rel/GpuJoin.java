package io.aragonite.rules.rel;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.rules.cost.Costs;
import io.aragonite.rules.cost.DeviceProfile;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.JoinCost;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.translate.GpuRelImplementor;
import io.aragonite.rules.translate.JoinInputs;
import io.aragonite.rules.translate.TypeMapping;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** A join that the engine runs, with its algorithm and the side that is built. */
public final class GpuJoin extends Join implements GpuRel {
  private final JoinAlgorithm algorithm;
  private final boolean buildLeft;
  private final boolean nullAware;

  GpuJoin(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode left,
      RelNode right,
      RexNode condition,
      JoinRelType joinType,
      JoinAlgorithm algorithm,
      boolean buildLeft,
      boolean nullAware) {
    super(cluster, traits, List.of(), left, right, condition, Set.of(), joinType);
    this.algorithm = algorithm;
    this.buildLeft = buildLeft;
    this.nullAware = nullAware;
  }

  public JoinAlgorithm algorithm() {
    return algorithm;
  }

  /** Whether the left side is built and the right one probes. */
  public boolean buildLeft() {
    return buildLeft;
  }

  @Override
  public GpuJoin copy(
      RelTraitSet traitSet,
      RexNode conditionExpr,
      RelNode left,
      RelNode right,
      JoinRelType joinType,
      boolean semiJoinDone) {
    return new GpuJoin(
        getCluster(),
        traitSet,
        left,
        right,
        conditionExpr,
        joinType,
        algorithm,
        buildLeft,
        nullAware);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw)
        .item("algorithm", algorithm)
        .item("build", buildLeft ? "left" : "right")
        .itemIf("nullAware", true, nullAware);
  }

  @Override
  public @Nullable RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    return GpuCost.of(planner, price(Costs.profile(planner), mq, buildLeft));
  }

  /** Every way in which this join could run, with its price, for EXPLAIN. */
  public List<JoinCandidate> candidates(RelMetadataQuery mq) {
    DeviceProfile device = Costs.profile(getCluster().getPlanner());
    boolean hash = algorithm == JoinAlgorithm.NON_PARTITIONED_HASH;
    String noKeys =
        JoinEstimates.keys(this).leftKeys.isEmpty() ? "no equality between the two sides" : null;
    String noLeft = nullAware ? "NOT IN needs its right side built" : noKeys;
    JoinAlgorithm byHash = JoinAlgorithm.NON_PARTITIONED_HASH;
    return List.of(
        candidate(
            "hash, right side built", price(byHash, device, mq, false), hash && !buildLeft, noKeys),
        candidate(
            "hash, left side built", price(byHash, device, mq, true), hash && buildLeft, noLeft),
        candidate(
            "nested loop",
            price(JoinAlgorithm.NESTED_LOOP, device, mq, buildLeft),
            !hash,
            hash ? "an equality between the two sides bounds the work of a hash join" : null));
  }

  private static JoinCandidate candidate(
      String name, double nanos, boolean chosen, @Nullable String refused) {
    return new JoinCandidate(
        name, refused == null ? nanos : Double.POSITIVE_INFINITY, chosen, refused);
  }

  /** The expected time with the given side built. */
  double price(DeviceProfile device, RelMetadataQuery mq, boolean leftIsBuilt) {
    return price(algorithm, device, mq, leftIsBuilt);
  }

  private double price(
      JoinAlgorithm by, DeviceProfile device, RelMetadataQuery mq, boolean leftIsBuilt) {
    double leftRows = Costs.rows(left, mq);
    double rightRows = Costs.rows(right, mq);
    double out = Costs.rows(this, mq);
    if (by == JoinAlgorithm.NESTED_LOOP) {
      return JoinCost.nestedLoop(device, leftRows, rightRows, out);
    }
    RelNode build = leftIsBuilt ? left : right;
    return JoinCost.hash(
        device,
        leftIsBuilt ? leftRows : rightRows,
        Costs.rowBytes(build.getRowType()),
        leftIsBuilt ? rightRows : leftRows,
        out);
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    PhysicalPlan leftPlan = implementor.visit(left);
    PhysicalPlan rightPlan = implementor.visit(right);
    JoinInputs inputs = JoinInputs.of(this, leftPlan, rightPlan);
    RexNode rest = inputs.residual();
    Expr residual = rest.isAlwaysTrue() ? null : implementor.translate(rest);
    PhysicalPlan join =
        new PhysicalPlan.Join(
            inputs.left(),
            inputs.right(),
            planType(),
            inputs.keys(),
            residual,
            inputs.keys().isEmpty() ? JoinAlgorithm.NESTED_LOOP : algorithm,
            buildLeft,
            inputs.joinedTypes(planType(), TypeMapping.ofRow(getRowType())));
    return inputs.withoutCasts(join, planType());
  }

  private JoinType planType() {
    return switch (joinType) {
      case INNER -> JoinType.INNER;
      case LEFT -> JoinType.LEFT;
      case RIGHT -> JoinType.RIGHT;
      case FULL -> JoinType.FULL;
      case SEMI -> JoinType.SEMI;
      case ANTI -> nullAware ? JoinType.NULL_AWARE_ANTI : JoinType.ANTI;
      default -> throw new IllegalStateException(joinType + " join");
    };
  }
}
