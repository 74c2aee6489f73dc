package io.aragonite.rules.rel;

import io.aragonite.exec.cost.JoinPrice;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.cost.OperatorCosts;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.translate.Collations;
import io.aragonite.rules.translate.JoinInputs;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptCost;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/** A join that the engine runs, with its algorithm and the side that is built. */
public final class GpuJoin extends Join implements GpuRel {
  private final JoinAlgorithm algorithm;
  private final boolean buildLeft;
  private final boolean nullAware;

  /** Whether the statement names the algorithm. */
  private final boolean named;

  GpuJoin(
      RelOptCluster cluster,
      RelTraitSet traits,
      RelNode left,
      RelNode right,
      RexNode condition,
      JoinRelType joinType,
      JoinAlgorithm algorithm,
      boolean buildLeft,
      boolean nullAware,
      boolean named) {
    super(cluster, traits, List.of(), left, right, condition, Set.of(), joinType);
    this.algorithm = algorithm;
    this.buildLeft = buildLeft;
    this.nullAware = nullAware;
    this.named = named;
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
        nullAware,
        named);
  }

  @Override
  public RelWriter explainTerms(RelWriter pw) {
    return super.explainTerms(pw)
        .item("algorithm", algorithm)
        .item("build", buildLeft ? "left" : "right")
        .itemIf("nullAware", true, nullAware)
        .itemIf("hint", true, named)
        .itemIf("order", traitSet.getCollation(), isOrdered());
  }

  @Override
  public @Nullable RelOptCost computeSelfCost(RelOptPlanner planner, RelMetadataQuery mq) {
    return GpuCost.of(planner, price(mq));
  }

  private boolean isOrdered() {
    RelCollation collation = traitSet.getCollation();
    return collation != null && !collation.getFieldCollations().isEmpty();
  }

  /** The expected time. */
  private double price(RelMetadataQuery mq) {
    if (algorithm == JoinAlgorithm.NESTED_LOOP) {
      return nestedLoop(mq);
    }
    double nulls = nullAware ? JoinPricing.nullMasks(this, mq) : 0;
    return JoinPricing.prices(this, mq, buildLeft).stream()
        .map(JoinPricing.PricedJoin::price)
        .filter(price -> price.algorithm() == algorithm)
        .mapToDouble(price -> price.nanos() + nulls)
        .findFirst()
        .orElse(Double.POSITIVE_INFINITY);
  }

  private double nestedLoop(RelMetadataQuery mq) {
    return JoinPricing.nestedLoop(
        getCluster().getPlanner(),
        OperatorCosts.rows(left, mq),
        OperatorCosts.rows(right, mq),
        OperatorCosts.rows(this, mq));
  }

  /** Every way in which this join could run, with its price, for EXPLAIN. */
  public List<JoinCandidate> candidates(RelMetadataQuery mq) {
    List<JoinCandidate> result = new ArrayList<>();
    boolean keyed = !JoinEstimates.keys(this).leftKeys.isEmpty();
    for (boolean ofLeft : new boolean[] {false, true}) {
      String refused =
          !keyed
              ? "no equality between the two sides"
              : ofLeft && nullAware ? "NOT IN needs its right side built" : null;
      for (JoinPricing.PricedJoin priced : JoinPricing.prices(this, mq, ofLeft)) {
        result.add(candidate(priced, ofLeft, refused));
      }
    }
    boolean nested = algorithm == JoinAlgorithm.NESTED_LOOP;
    result.add(
        new JoinCandidate(
            "nested loop",
            nestedLoop(mq),
            List.of(),
            0,
            nested,
            nested ? null : "an equality between the two sides bounds the work of a hash join"));
    return result;
  }

  private JoinCandidate candidate(
      JoinPricing.PricedJoin priced, boolean ofLeft, @Nullable String refused) {
    JoinPrice price = priced.price();
    boolean chosen = price.algorithm() == algorithm && ofLeft == buildLeft;
    String why = refused;
    if (why == null && named && price.algorithm() != algorithm) {
      why = "a hint asks for another algorithm";
    }
    if (why == null && !chosen && !priced.fits()) {
      why =
          String.format(
              Locale.ROOT,
              "its %,.0f MiB may not fit the device's memory",
              price.bytes() / (1 << 20));
    }
    return new JoinCandidate(
        price.algorithm().label() + (ofLeft ? ", left side built" : ", right side built"),
        why == null ? price.nanos() : Double.POSITIVE_INFINITY,
        price.phases(),
        price.bytes(),
        chosen,
        why);
  }

  @Override
  public PhysicalPlan implement(GpuRelImplementor implementor) {
    PhysicalPlan leftPlan = implementor.visit(left);
    PhysicalPlan rightPlan = implementor.visit(right);
    JoinInputs inputs = JoinInputs.of(this, leftPlan, rightPlan);
    RexNode rest = inputs.residual();
    Expr residual = rest.isAlwaysTrue() ? null : implementor.translate(rest);
    PhysicalPlan.Join join =
        new PhysicalPlan.Join(
            inputs.left(),
            inputs.right(),
            planType(),
            inputs.keys(),
            residual,
            inputs.keys().isEmpty() ? JoinAlgorithm.NESTED_LOOP : algorithm,
            buildLeft,
            inputs.joinedTypes(planType(), TypeMapping.ofRow(getRowType())),
            inputs.keys().isEmpty() ? null : estimate(),
            order(inputs.left().types().size() - leftPlan.types().size()));
    return inputs.withoutCasts(lateDecoding(join, implementor), planType());
  }

  private PhysicalPlan lateDecoding(PhysicalPlan.Join join, GpuRelImplementor implementor) {
    RelMetadataQuery mq = getCluster().getMetadataQuery();
    PhysicalPlan late =
        JoinedBytes.of(
            join,
            JoinEstimates.rowsOfSide(this, true, mq) <= OperatorCosts.rows(left, mq),
            JoinEstimates.rowsOfSide(this, false, mq) <= OperatorCosts.rows(right, mq));
    if (late instanceof PhysicalPlan.Project project
        && project.input() instanceof PhysicalPlan.Join below) {
      implementor.plans().put(left, below.left());
      implementor.plans().put(right, below.right());
    }
    return late;
  }

  /**
   * The order of the traits over the engine's columns.
   *
   * @param casts columns that come behind the left side's
   */
  private List<SortKey> order(int casts) {
    RelCollation collation = traitSet.getCollation();
    int width = left.getRowType().getFieldCount();
    return collation == null
        ? List.of()
        : Collations.keys(collation).stream()
            .map(key ->
                key.column() < width
                    ? key
                    : new SortKey(key.column() + casts, key.descending(), key.nullsFirst()))
            .toList();
  }

  /**
   * Whether the output is in ascending order of a column, since it is the key by which both sides
   * are sorted: of pairs either side's, of chosen rows theirs.
   */
  public boolean sortedBy(int column) {
    JoinInfo info = JoinEstimates.keys(this);
    if (!algorithm.sorts() || info.leftKeys.size() != 1 || nullAware) {
      return false;
    }
    int leftKey = info.leftKeys.get(0);
    int rightKey = left.getRowType().getFieldCount() + info.rightKeys.get(0);
    return switch (joinType) {
      case INNER -> column == leftKey || column == rightKey;
      case SEMI, ANTI -> !buildLeft && column == leftKey;
      default -> false;
    };
  }

  private JoinEstimate estimate() {
    JoinEstimate estimate = JoinPricing.estimate(this, getCluster().getMetadataQuery(), buildLeft);
    return named ? estimate.settle() : estimate;
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
