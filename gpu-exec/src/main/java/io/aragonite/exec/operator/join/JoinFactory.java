package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.exchange.CoPartitionedInputs;
import io.aragonite.exec.exchange.ExchangeFactory;
import io.aragonite.exec.exchange.ExchangedInputs;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.operator.RowCollectionSource;
import io.aragonite.exec.operator.join.CoPartitioner.Sides;
import io.aragonite.exec.operator.join.CoPartitioner.Unmoved;
import io.aragonite.exec.operator.sort.SortCompiler;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the build side of a join and yields the pipeline that probes it: one way an algorithm. */
public final class JoinFactory {
  private JoinFactory() {}

  /**
   * The algorithm that the connection asks for, else the plan's. Joins without an equality keep
   * theirs, as do those whose algorithm the statement names.
   */
  private static JoinAlgorithm algorithm(PlanCompiler compiler, Join plan) {
    JoinAlgorithm forced = compiler.join();
    boolean settled = plan.expected() != null && plan.expected().settled();
    boolean open =
        !settled && plan.algorithm() != JoinAlgorithm.NESTED_LOOP && !plan.keys().isEmpty();
    if (compiler.member() != null
        && (forced == JoinAlgorithm.HOST_SORT_MERGE
            || plan.algorithm() == JoinAlgorithm.HOST_SORT_MERGE)) {
      // Where its rows are was settled when the plan was spread.
      return plan.algorithm();
    }
    return open && forced != null ? forced : plan.algorithm();
  }

  /**
   * Rows that come out of a join.
   *
   * @param inOrder whether the way that the join took brings them in the order of its keys that is
   *     wanted of it. An order of the probe side's pipeline, as LIMIT has it, is another thing.
   */
  private record Output(PipelineHead head, boolean inOrder) {
    static Output unordered(PipelineHead head) {
      return new Output(head, false);
    }
  }

  /** The pipeline of a join's output, in the order that is wanted of it: its own, or by sorting. */
  public static PipelineHead compile(PlanCompiler compiler, Join plan) {
    Output output = join(compiler, plan);
    if (plan.order().isEmpty() || output.inOrder()) {
      return output.head();
    }
    Sort sort = new Sort(plan, plan.order(), null, null);
    return SortCompiler.compile(compiler, sort, output.head(), 0, Long.MAX_VALUE);
  }

  private static Output join(PlanCompiler compiler, Join plan) {
    Expr residual = plan.residual();
    Join join =
        new Join(
            plan.left(),
            plan.right(),
            plan.joinType(),
            plan.keys(),
            residual == null ? null : compiler.resolve(residual),
            algorithm(compiler, plan),
            plan.buildLeft(),
            plan.types(),
            plan.expected(),
            plan.order());
    if (join.algorithm() == JoinAlgorithm.HOST_SORT_MERGE) {
      PipelineHead merged = HostSortMergePlanner.compile(compiler, plan, join);
      if (merged != null) {
        return new Output(merged, merged.ordered());
      }
      join = with(join, JoinAlgorithm.SORT_MERGE);
    }
    PhysicalPlan buildPlan = join.buildLeft() ? join.left() : join.right();
    PhysicalPlan probePlan = join.buildLeft() ? join.right() : join.left();
    Join known = join;
    ExchangedInputs both =
        ExchangeFactory.both(
            compiler,
            join,
            buildPlan,
            probePlan,
            (shapes, rows) ->
                JoinKeyFilter.leave(compiler, plan, known, JoinKeyFilter.Keys.of(shapes, rows)));
    if (both != null) {
      JoinSpec spec =
          spec(compiler, plan, join, both.buildShapes(), both.probeShapes(), both.buildRows());
      PipelineHead whole = whole(compiler, plan, spec, both);
      return whole != null
          ? Output.unordered(whole)
          : joined(compiler, plan, spec, JoinRows.of(compiler, both.build(), plan), both.probe());
    }
    PipelineHead build = compiler.compile(buildPlan);
    if (isTooLarge(compiler, join, build)) {
      JoinKeyFilter.refuse(compiler, plan);
      return Output.unordered(partitioned(compiler, plan, join, build));
    }
    JoinRows rows = JoinRows.of(compiler, build, plan);
    JoinKeyFilter.leave(compiler, plan, join, JoinKeyFilter.Keys.of(rows));
    PipelineHead probe = compiler.compile(probePlan);
    JoinSpec spec = spec(compiler, plan, join, build.shapes(), probe.shapes(), rows.rows());
    return joined(compiler, plan, spec, rows, probe);
  }

  private static JoinSpec spec(
      PlanCompiler compiler,
      Join node,
      Join join,
      List<ColumnShape> build,
      List<ColumnShape> probe,
      long buildRows) {
    JoinSpec planned =
        new JoinSpec(join, join.buildLeft() ? build : probe, join.buildLeft() ? probe : build);
    int count = (int) Math.min(buildRows, Integer.MAX_VALUE);
    return JoinChoice.revise(compiler, node, planned, count);
  }

  /**
   * Joins sides that devices have brought each other as they lie, the build side while the probe
   * side is on its way; null if the join is of another kind, or has not the room.
   */
  private static @Nullable PipelineHead whole(
      PlanCompiler compiler, Join node, JoinSpec spec, ExchangedInputs both) {
    CoPartitionedInputs arranged = both.arranged();
    if (arranged == null
        || spec.plan().algorithm() != JoinAlgorithm.PARTITIONED_HASH
        || both.buildRows() == 0
        || both.probeRows() == 0) {
      return null;
    }
    Device device = compiler.context().device();
    KeyLayout layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    JoinKeyEncoder.Both words =
        JoinKeyEncoder.Both.of(device, compiler.expressions(), spec, layout);
    long buildBytes = HostColumns.bytes(both.takeBuild());
    long probeBytes = HostColumns.bytes(both.takeProbe());
    return PartitionedJoinSource.takes(device, spec, layout)
            && words.build().column() >= 0
            && words.probe().column() >= 0
            && PartitionedJoinSource.fits(
                buildBytes,
                both.buildRows(),
                probeBytes,
                both.probeRows(),
                2,
                compiler.spill().room())
        ? PartitionedJoinSource.compile(compiler, node, spec, words, both, arranged)
        : null;
  }

  private static Output joined(
      PlanCompiler compiler, Join plan, JoinSpec spec, JoinRows rows, PipelineHead probe) {
    Materialization how = Materialization.GFUR;
    BuildSide side = new BuildSide();
    return switch (spec.plan().algorithm()) {
      case NON_PARTITIONED_HASH, PARTITIONED_HASH, PARTITIONED_HASH_UM, SORT_MERGE, SORT_MERGE_UM ->
          equality(compiler, plan, spec, rows, side, probe, how);
      case NESTED_LOOP ->
          Output.unordered(nestedLoop(compiler, plan, spec, rows, side, probe, how));
      case HOST_SORT_MERGE ->
          throw new IllegalStateException("a join that has collected a side is another one");
    };
  }

  private static Join with(Join join, JoinAlgorithm algorithm) {
    return new Join(
        join.left(),
        join.right(),
        join.joinType(),
        join.keys(),
        join.residual(),
        algorithm,
        join.buildLeft(),
        join.types(),
        join.expected(),
        join.order());
  }

  /**
   * Whether a build side is known not to fit before it is there: then its rows are partitioned as
   * they come, and cross the bus of a device with memory of its own once less.
   */
  private static boolean isTooLarge(PlanCompiler compiler, Join join, PipelineHead build) {
    return !compiler.context().device().traits().hostMemory()
        && !join.keys().isEmpty()
        && join.joinType() != JoinType.NULL_AWARE_ANTI
        && build.rows() >= 0
        && SpilledJoin.exceeds(compiler, build.shapes(), build.rows());
  }

  private static PipelineHead partitioned(
      PlanCompiler compiler, Join node, Join join, PipelineHead build) {
    PipelineHead probe = compiler.compile(join.buildLeft() ? join.right() : join.left());
    JoinSpec spec =
        new JoinSpec(
            join,
            join.buildLeft() ? build.shapes() : probe.shapes(),
            join.buildLeft() ? probe.shapes() : build.shapes());
    KeyLayout layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    SpilledJoin spilled = new SpilledJoin(compiler, node, spec, Materialization.GFUR, layout);
    long width = build.shapes().stream().mapToLong(shape -> shape.storage().width()).sum();
    Partitioner builds = spilled.partitionBuild(build.rows() * width, build.rows());
    compiler.run(build, builds, node);
    Partitioner probes = spilled.partitionProbe();
    compiler.run(probe, probes, node);
    return PipelineHead.of(spilled);
  }

  private static Output equality(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      JoinRows collected,
      BuildSide side,
      PipelineHead probe,
      Materialization how) {
    KeyLayout layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    JoinAlgorithm algorithm = spec.plan().algorithm();
    PipelineHead input = probe;
    JoinRows probeRows = null;
    if (algorithm != JoinAlgorithm.NON_PARTITIONED_HASH) {
      probeRows = JoinRows.of(compiler, probe, node);
    }
    if (!SpilledJoin.fits(compiler, collected)) {
      return Output.unordered(
          spilled(compiler, node, spec, collected, probe, probeRows, how, layout));
    }
    Device device = compiler.context().device();
    boolean looksUp = !algorithm.sorts() && !algorithm.keepsPayload();
    JoinKeyEncoder.Both words =
        looksUp
            ? JoinKeyEncoder.Both.of(device, compiler.expressions(), spec, layout)
            : JoinKeyEncoder.Both.computed(compiler.expressions(), spec, layout);
    boolean arranged = probeRows != null && arrangesInMemory(compiler, collected, probeRows);
    if (probeRows != null
        && algorithm == JoinAlgorithm.PARTITIONED_HASH
        && PartitionedJoinSource.takes(device, spec, layout)
        && joinsWhole(compiler, collected, probeRows)) {
      boolean roomy = partitionsTwice(compiler, collected, probeRows);
      return Output.unordered(
          PartitionedJoinSource.compile(compiler, node, spec, words, collected, probeRows, roomy));
    }
    HashBuild build = new HashBuild(spec, how, words.build(), compiler.expressions());
    long before = compiler.memory().used();
    // Only where the probe side's rows have been sorted by their keys.
    boolean inOrder = arranged && inKeyOrder(spec, layout);
    boolean ahead = arranged;
    ColumnBatch rows;
    compiler.closeLater(side);
    if (arranged && probeRows != null && algorithm.keepsPayload()) {
      rows = compiler.work(node, collected::copy);
      ColumnBatch unmoved = compiler.work(node, probeRows::copy);
      Unmoved keys = arrangeKeys(compiler, node, spec, words.probe(), build, rows, unmoved);
      ColumnBatch numbers = keys.ahead();
      Source scan = compiler.scanOwned(numbers.shapes(), List.of(numbers), inOrder);
      input = PipelineHead.of(new RowIdGatherSource(unmoved, scan, compiler.memory()));
      compiler.work(
          node,
          context -> {
            build.build(context, rows, keys.keys(), algorithm.sorts(), true, side);
            return side;
          });
    } else if (arranged && probeRows != null) {
      Sides sides = arrange(compiler, node, spec, words.probe(), build, collected, probeRows);
      rows = sides.build();
      ahead = sides.ahead();
      boolean sorted = algorithm.sorts();
      List<ColumnShape> shapes = sides.shapes(probe.shapes());
      input = PipelineHead.of(compiler.scanOwned(shapes, List.of(sides.probe()), inOrder));
      compiler.work(
          node,
          context -> {
            if (sides.found() != null) {
              build.fill(context, rows, sides.found(), side);
            } else if (sides.keys() != null) {
              build.build(context, rows, sides.keys(), sorted, true, side);
            } else {
              build.build(context, rows, build.keys(context, rows), sorted, true, side);
            }
            return side;
          });
    } else {
      if (probeRows != null) {
        input = PipelineHead.of(new RowCollectionSource(probeRows.collection()));
      }
      rows = compiler.work(node, collected::take);
      compiler.work(
          node,
          context -> {
            build.build(context, rows, collected.owned(), side);
            return side;
          });
    }
    KeyIndex index = side.index();
    compiler.addFigure(node, "build rows", rows.rows());
    compiler.addFigure(node, "distinct keys", index.distinct());
    if (index instanceof KeyIndex.Hash hash) {
      compiler.addFigure(node, "largest multiplicity", hash.table().maxMultiplicity());
    }
    compiler.addStateBytes(node, Math.max(0, compiler.memory().used() - before));
    HashProbe operator =
        new HashProbe(spec, side, how, layout, words.probe(), ahead, compiler.expressions());
    boolean byWord = operator.marksByWord() && !index.unique();
    side.setFlagsByWord(byWord);
    return new Output(
        complete(compiler, spec, side, how, input, operator, byWord ? build.words() : null),
        inOrder);
  }

  /**
   * Whether the probe side's rows, in the order of their words, are in the order that is wanted of
   * the join's output, and come out so: of all rows of a batch those with a partner, or those
   * without.
   */
  static boolean inKeyOrder(JoinSpec spec, KeyLayout layout) {
    Join plan = spec.plan();
    if (!plan.algorithm().sorts()
        || plan.order().size() != 1
        || spec.type() != JoinType.INNER && (!spec.choosesProbe() || spec.nullAware())
        || !layout.exact()
        || layout.parts().size() != 1
        // A word of all bits is signed, and words are sorted as unsigned ones.
        || layout.parts().getFirst().bits() == Long.SIZE) {
      return false;
    }
    int left = plan.keys().getFirst().left();
    int right = spec.left().size() + plan.keys().getFirst().right();
    int probe = spec.buildLeft() ? right : left;
    SortKey wanted = plan.order().getFirst();
    boolean nulls =
        spec.probeKeyShapes().getFirst().mayBeNull()
            && (plan.keys().getFirst().nullSafe() || spec.type() == JoinType.ANTI);
    return !wanted.descending()
        && !nulls
        && (wanted.column() == probe
            || spec.type() == JoinType.INNER && wanted.column() == left + right - probe);
  }

  /** Whether there is room for both sides, and once more while they are brought into an order. */
  private static boolean arrangesInMemory(PlanCompiler compiler, JoinRows build, JoinRows probe) {
    long rows = build.rows() + probe.rows();
    return 2 * (build.bytes() + probe.bytes()) + 24 * rows <= compiler.spill().room()
        && Math.max(build.rows(), probe.rows()) < 1 << 30;
  }

  /**
   * Whether there is room, beside that, for the build side's payload once for each row of the probe
   * side: what a join takes that fetches it for all of them before it hands out the first.
   */
  private static boolean joinsWhole(PlanCompiler compiler, JoinRows build, JoinRows probe) {
    return PartitionedJoinSource.fits(
        build.bytes(), build.rows(), probe.bytes(), probe.rows(), 2, compiler.spill().room());
  }

  /** Whether there is room for a copy more of both sides, between two passes over them. */
  private static boolean partitionsTwice(PlanCompiler compiler, JoinRows build, JoinRows probe) {
    long rows = build.rows() + probe.rows();
    return 3 * (build.bytes() + probe.bytes()) + 32 * rows <= compiler.spill().room();
  }

  /** A join whose build side memory does not hold. */
  private static PipelineHead spilled(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      JoinRows build,
      PipelineHead probe,
      @Nullable JoinRows collected,
      Materialization how,
      @Nullable KeyLayout layout) {
    SpilledJoin join = new SpilledJoin(compiler, node, spec, how, layout);
    PipelineHead rows =
        collected == null
            ? probe
            : PipelineHead.of(new RowCollectionSource(collected.collection()));
    if (SpilledJoin.partitions(spec)) {
      Partitioner partitioner = join.partition(build.collection());
      compiler.run(rows, partitioner, node);
    } else if (collected != null) {
      join.add(build.collection(), collected.collection());
    } else {
      join.add(build.collection(), compiler.collect(probe, node));
    }
    return PipelineHead.of(join);
  }

  /** Brings both sides into an order. */
  private static Sides arrange(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      JoinKeyEncoder probeWords,
      HashBuild build,
      JoinRows buildRows,
      JoinRows probeRows) {
    boolean sort = spec.plan().algorithm().sorts();
    boolean roomy = partitionsTwice(compiler, buildRows, probeRows);
    Sides sides =
        compiler.work(
            node,
            context -> {
              if (sort) {
                ColumnBatch left = buildRows.copy(context);
                return CoPartitioner.sort(
                    context, build, left, probeWords, probeRows.copy(context));
              }
              ColumnBatch left = buildRows.take(context);
              ColumnBatch right = probeRows.take(context);
              boolean[] owned = {buildRows.owned(), probeRows.owned()};
              return CoPartitioner.partition(context, build, left, probeWords, right, owned, roomy);
            });
    if (sort) {
      compiler.addFigure(node, "sorted sides", 2);
    } else {
      compiler.addFigure(node, "partitions", sides.parts());
      compiler.addFigure(node, "tables", sides.found() != null ? sides.parts() : 1);
    }
    return sides;
  }

  /** Brings the keys of both sides into an order, with the numbers of their rows. */
  private static Unmoved arrangeKeys(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      JoinKeyEncoder probeWords,
      HashBuild build,
      ColumnBatch left,
      ColumnBatch right) {
    boolean sort = spec.plan().algorithm().sorts();
    Unmoved keys =
        compiler.work(
            node,
            context ->
                sort
                    ? CoPartitioner.sortKeys(context, build, left, probeWords, right)
                    : CoPartitioner.partitionKeys(context, build, left, probeWords, right));
    compiler.addFigure(node, sort ? "sorted sides" : "partitions", sort ? 2 : keys.parts());
    return keys;
  }

  private static PipelineHead nestedLoop(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      JoinRows collected,
      BuildSide side,
      PipelineHead probe,
      Materialization how) {
    if (!SpilledJoin.fits(compiler, collected)) {
      return spilled(compiler, node, spec, collected, probe, null, how, null);
    }
    compiler.closeLater(side);
    compiler.work(
        node,
        context -> {
          side.fill(context, spec, collected.take(context), collected.owned());
          return side;
        });
    NestedLoopProbe operator = new NestedLoopProbe(spec, side, how, compiler.expressions());
    return complete(compiler, spec, side, how, probe, operator, null);
  }

  private static PipelineHead complete(
      PlanCompiler compiler,
      JoinSpec spec,
      BuildSide side,
      Materialization how,
      PipelineHead probe,
      StreamOperator operator,
      @Nullable JoinKeyEncoder words) {
    PipelineHead joined = probe.then(operator);
    if (!spec.flagsBuild()) {
      return joined;
    }
    int morselRows = compiler.context().device().properties().morselRows();
    return joined.followedBy(
        new CompletionSource(spec, side, how, words, compiler.expressions(), morselRows));
  }
}
