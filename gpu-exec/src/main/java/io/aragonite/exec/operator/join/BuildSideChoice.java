package io.aragonite.exec.operator.join;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.profile.Skew;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the planned build side of an inner join again: before it runs, where the other side's
 * rows are there, and when it has run, before its table is made.
 */
final class BuildSideChoice {
  /** Rows of a build side below which an exchange of sides saves nothing. */
  private static final long LEAST_SWAPPED = 1 << 12;

  /** Times that it is as large as the other side at most is, since prices are not exact. */
  private static final int LEAST_RATIO = 2;

  /** The range of keys of which nothing is known. */
  private static final double ANY = Double.POSITIVE_INFINITY;

  private BuildSideChoice() {}

  /**
   * A side of a join that a table may be over.
   *
   * @param range how many different keys it can have
   */
  private record TableSide(JoinShape.JoinSideShape shape, double range) {}

  /**
   * The join by one table over the probe side, if that is so much cheaper than one over the build
   * side, now that the rows of this side are counted and a bound of the other's is known; null if
   * it is not. Of inner joins only, whose rows need no marks, and on one device, since several must
   * do the same.
   *
   * @param spec as planned
   * @param build of which no table is made yet
   * @param probe not run yet
   */
  static @Nullable JoinSpec swapped(
      PlanCompiler compiler, Join node, JoinSpec spec, JoinRows build, PipelineHead probe) {
    JoinEstimate expected = spec.plan().expected();
    long most = probe.mostRows();
    // A table that is kept over a table's columns is made once for many queries.
    if (expected == null
        || !mayExchange(compiler, spec.plan())
        || probe.ordered()
        || !build.owned()
        || most < 0
        || !isFarSmaller(most, build.rows())) {
      return null;
    }
    Join swapped =
        exchanged(
            compiler,
            node,
            spec.plan(),
            expected,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            new TableSide(
                JoinChoice.side(spec.build(), build.rows()),
                JoinChoice.range(spec.buildKeyShapes())),
            new TableSide(
                JoinChoice.side(spec.probe(), most), JoinChoice.range(spec.probeKeyShapes())),
            String.format(
                Locale.ROOT,
                "%,d rows came where %,.0f were expected, of the other side come at most %,d",
                build.rows(),
                expected.buildRows(),
                most));
    return swapped == null ? null : new JoinSpec(swapped, spec.left(), spec.right());
  }

  private static boolean isFarSmaller(double few, double many) {
    return many >= LEAST_SWAPPED && few * LEAST_RATIO <= many;
  }

  /** Whether the sides of a join may be exchanged while the query runs. */
  private static boolean mayExchange(PlanCompiler compiler, Join plan) {
    JoinEstimate expected = plan.expected();
    return plan.joinType() == JoinType.INNER
        && plan.algorithm() != JoinAlgorithm.NESTED_LOOP
        && plan.algorithm() != JoinAlgorithm.HOST_SORT_MERGE
        && expected != null
        && !expected.settled()
        && compiler.join() == null
        && compiler.resources().rank() == null
        && plan.order().isEmpty();
  }

  /**
   * The join with the side built whose rows are there, since other relations have filtered them
   * before the joins, where they have turned out so few that this is cheaper. The other side's rows
   * need not be collected then.
   */
  static Join buildsWhatIsThere(PlanCompiler compiler, Join node, Join join) {
    JoinEstimate expected = join.expected();
    if (expected == null || !mayExchange(compiler, join)) {
      return join;
    }
    PhysicalPlan probe = join.buildLeft() ? join.right() : join.left();
    PhysicalPlan build = join.buildLeft() ? join.left() : join.right();
    // A table that is kept over a table's columns is made once for many queries.
    if (build instanceof PhysicalPlan.Scan scan && scan.table().keepsHashTables()) {
      return join;
    }
    long there = rowsThere(compiler, probe);
    long known = rowsThere(compiler, build);
    double builds = known < 0 ? expected.buildRows() : known;
    if (there < 0 || !isFarSmaller(there, builds)) {
      return join;
    }
    Join exchanged =
        exchanged(
            compiler,
            node,
            join,
            expected,
            join.algorithm(),
            new TableSide(JoinChoice.side(shapes(build), builds), ANY),
            new TableSide(JoinChoice.side(shapes(probe), there), ANY),
            String.format(
                Locale.ROOT,
                "%,d rows of the other side are there, %,.0f are expected of this one",
                there,
                builds));
    return exchanged == null ? join : exchanged;
  }

  /**
   * The join by one table over its other side, if that is cheaper beyond doubt; null if it is not.
   *
   * @param present how it is joined else
   * @param why for EXPLAIN ANALYZE
   */
  private static @Nullable Join exchanged(
      PlanCompiler compiler,
      Join node,
      Join join,
      JoinEstimate expected,
      JoinAlgorithm present,
      TableSide large,
      TableSide small,
      String why) {
    JoinModel model = new JoinModel(compiler.resources().context().device().profile());
    JoinAlgorithm table = JoinAlgorithm.NON_PARTITIONED_HASH;
    double other = priced(model, table, small, large, expected);
    if (other * model.doubt() > priced(model, present, large, small, expected)) {
      return null;
    }
    compiler.resources().metrics(node).addNote("build sides swapped at run time: " + why);
    double probes = large.shape().rows();
    JoinEstimate swapped =
        new JoinEstimate(
            small.shape().rows(),
            probes,
            Math.min(small.shape().rows(), small.range()),
            Math.min(1, expected.outRows() / Math.max(1, probes)),
            expected.outRows(),
            0,
            expected.guessed(),
            false);
    return join.with(table, !join.buildLeft(), swapped);
  }

  /** Rows of a plan that were made before it is compiled; -1 if they were not. */
  private static long rowsThere(PlanCompiler compiler, PhysicalPlan plan) {
    PhysicalPlan at = plan;
    while (compiler.broughtRows(at) < 0 && at instanceof PhysicalPlan.Project project) {
      at = project.input();
    }
    return compiler.broughtRows(at);
  }

  private static List<ColumnShape> shapes(PhysicalPlan plan) {
    return plan.types().stream().map(ColumnShape::of).toList();
  }

  /** Nanoseconds of a join by a side of which all rows may have different keys. */
  private static double priced(
      JoinModel model,
      JoinAlgorithm algorithm,
      TableSide build,
      TableSide probe,
      JoinEstimate expected) {
    double distinct = Math.min(build.shape().rows(), build.range());
    Skew skew = Skew.none(distinct);
    JoinShape shape =
        new JoinShape(
            build.shape(),
            probe.shape(),
            Long.BYTES,
            distinct,
            build.range(),
            1,
            expected.outRows(),
            skew,
            true);
    return JoinChoice.price(model.forQueries(shape), algorithm).nanos();
  }
}
