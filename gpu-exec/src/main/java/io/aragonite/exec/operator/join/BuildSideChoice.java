package io.aragonite.exec.operator.join;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.device.Device;
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
   * Whether a table over the probe side is so much cheaper than one over the build side, now that
   * the rows of this side are counted and a bound of the other's is known, that the sides are
   * exchanged. Of inner joins only, whose rows need no marks, and on one device, since several must
   * do the same.
   *
   * @param spec as planned
   * @param build of which no table is made yet
   * @param probe not run yet
   */
  static boolean swaps(
      PlanCompiler compiler, Join node, JoinSpec spec, JoinRows build, PipelineHead probe) {
    JoinEstimate expected = spec.plan().expected();
    long most = probe.mostRows();
    // A table that is kept over a table's columns is made once for many queries.
    if (expected == null
        || !mayExchange(compiler, spec.plan())
        || probe.ordered()
        || !build.owned()
        || most < 0
        || build.rows() < LEAST_SWAPPED
        || most * (double) LEAST_RATIO > build.rows()) {
      return false;
    }
    Device device = compiler.resources().context().device();
    JoinModel model = new JoinModel(device.profile());
    JoinShape.JoinSideShape built = JoinChoice.side(spec.build(), build.rows());
    JoinShape.JoinSideShape probed = JoinChoice.side(spec.probe(), most);
    double present = table(model, built, probed, spec.buildKeyShapes(), expected);
    double other = table(model, probed, built, spec.probeKeyShapes(), expected);
    if (other * model.doubt() > present) {
      return false;
    }
    compiler
        .resources()
        .metrics(node)
        .addNote(
            String.format(
                Locale.ROOT,
                "build sides swapped at run time: %,d rows came where %,.0f were expected, of the"
                    + " other side come at most %,d",
                build.rows(),
                expected.buildRows(),
                most));
    return true;
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
    if (there < 0 || builds < LEAST_SWAPPED || there * (double) LEAST_RATIO > builds) {
      return join;
    }
    JoinModel model = new JoinModel(compiler.resources().context().device().profile());
    JoinShape.JoinSideShape small = JoinChoice.side(shapes(probe), there);
    JoinShape.JoinSideShape large = JoinChoice.side(shapes(build), builds);
    double present = priced(model, join.algorithm(), large, small, ANY, expected);
    double other = priced(model, JoinAlgorithm.NON_PARTITIONED_HASH, small, large, ANY, expected);
    if (other * model.doubt() > present) {
      return join;
    }
    compiler
        .resources()
        .metrics(node)
        .addNote(
            String.format(
                Locale.ROOT,
                "build sides swapped at run time: %,d rows of the other side are there, %,.0f are"
                    + " expected of this one",
                there,
                builds));
    return exchanged(join, expected, there, builds);
  }

  /** The join by one table over its other side, of which some rows are there. */
  private static Join exchanged(Join join, JoinEstimate expected, long there, double others) {
    JoinEstimate swapped =
        new JoinEstimate(
            there,
            others,
            there,
            Math.min(1, expected.outRows() / Math.max(1, others)),
            expected.outRows(),
            0,
            expected.guessed(),
            false);
    return new Join(
        join.left(),
        join.right(),
        join.joinType(),
        join.keys(),
        join.residual(),
        JoinAlgorithm.NON_PARTITIONED_HASH,
        !join.buildLeft(),
        join.types(),
        swapped,
        join.order());
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

  /** Nanoseconds of a join by one table over a side of which all rows may have different keys. */
  private static double table(
      JoinModel model,
      JoinShape.JoinSideShape build,
      JoinShape.JoinSideShape probe,
      List<ColumnShape> keys,
      JoinEstimate expected) {
    return priced(
        model, JoinAlgorithm.NON_PARTITIONED_HASH, build, probe, JoinChoice.range(keys), expected);
  }

  private static double priced(
      JoinModel model,
      JoinAlgorithm algorithm,
      JoinShape.JoinSideShape build,
      JoinShape.JoinSideShape probe,
      double range,
      JoinEstimate expected) {
    double distinct = Math.min(build.rows(), range);
    Skew skew = Skew.none(distinct);
    JoinShape shape =
        new JoinShape(build, probe, Long.BYTES, distinct, range, 1, expected.outRows(), skew, true);
    return JoinChoice.price(model.forQueries(shape), algorithm).nanos();
  }
}
