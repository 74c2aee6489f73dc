package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.operator.RowCollectionSource;
import io.aragonite.exec.operator.ScanSource.TableColumns;
import io.aragonite.exec.operator.join.CoPartitioner.RowIdInputs;
import io.aragonite.exec.operator.join.CoPartitioner.Sides;
import io.aragonite.exec.operator.join.HashBuild.KeyWords;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a join on equal keys whose build side is collected: arranges its inputs (as they are,
 * partitioned, or sorted; whole rows or their keys alone), builds an index over the build side,
 * probes it, and completes the output.
 */
final class EquiJoinFactory {
  private final PlanCompiler compiler;
  private final Join node;
  private final JoinSpec spec;
  private final JoinRows buildRows;
  private final PipelineHead probe;
  private final JoinAlgorithm algorithm;
  private final KeyLayout layout;

  /**
   * The probe side's rows, where the algorithm arranges them; null: they are probed as they come.
   */
  private final @Nullable JoinRows probeRows;

  private final BuildSide side = new BuildSide();

  /**
   * Runs the probe side to its end where the algorithm arranges it.
   *
   * @param node of the plan, for the metrics
   */
  EquiJoinFactory(
      PlanCompiler compiler, Join node, JoinSpec spec, JoinRows buildRows, PipelineHead probe) {
    this.compiler = compiler;
    this.node = node;
    this.spec = spec;
    this.buildRows = buildRows;
    this.probe = probe;
    this.algorithm = spec.plan().algorithm();
    this.layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    this.probeRows =
        algorithm == JoinAlgorithm.NON_PARTITIONED_HASH ? null : JoinRows.of(compiler, probe, node);
  }

  JoinOutput compile() {
    if (!JoinMemory.fitsIndexed(buildRows.size(), room())) {
      return JoinOutput.unordered(
          SpilledJoinFactory.compile(compiler, node, spec, layout, buildRows, probe, probeRows));
    }
    JoinKeyEncoder.SideEncoders words = words();
    if (probeRows != null && joinsPartitions(probeRows)) {
      return JoinOutput.unordered(
          PartitionedJoinSource.compile(
              compiler.resources(),
              node,
              spec,
              words,
              buildRows,
              probeRows,
              partitionsTwice(probeRows)));
    }
    HashBuild build = new HashBuild(spec, words.build(), compiler.resources().expressions());
    long before = compiler.resources().memory().used();
    compiler.resources().closeLater(side);
    ProbeInput input;
    if (probeRows == null || !arrangesInMemory(probeRows)) {
      input = asTheyAre(build);
    } else if (algorithm.keepsPayload()) {
      input = arrangedKeys(build, words.probe(), probeRows);
    } else {
      input = arrangedRows(build, words.probe(), probeRows);
    }
    addFigures(before);
    return probed(build, words.probe(), input);
  }

  /** How keys become words: a key column may be its own words where it is looked up as it lies. */
  private JoinKeyEncoder.SideEncoders words() {
    Device device = compiler.resources().context().device();
    return algorithm.sorts() || algorithm.keepsPayload()
        ? JoinKeyEncoder.SideEncoders.computed(compiler.resources().expressions(), spec, layout)
        : JoinKeyEncoder.SideEncoders.of(device, compiler.resources().expressions(), spec, layout);
  }

  /** Whether partitions are joined each by itself and the output made for all of them at once. */
  private boolean joinsPartitions(JoinRows probed) {
    return algorithm == JoinAlgorithm.PARTITIONED_HASH
        && PartitionedJoinSource.takes(compiler.resources().context().device(), spec, layout)
        && JoinMemory.fitsWhole(buildRows.size(), probed.size(), JoinMemory.ONE_PASS, room());
  }

  private boolean arrangesInMemory(JoinRows probed) {
    return JoinMemory.fitsArranged(buildRows.size(), probed.size(), JoinMemory.ONE_PASS, room());
  }

  private boolean partitionsTwice(JoinRows probed) {
    return JoinMemory.arranged(buildRows.size(), probed.size(), JoinMemory.TWO_PASSES) <= room();
  }

  private long room() {
    return compiler.resources().spill().room();
  }

  /**
   * What the index is probed with.
   *
   * @param ahead whether rows have one column more: what is looked up for them
   * @param inOrder whether they come in the order that is wanted of the output
   */
  private record ProbeInput(PipelineHead rows, boolean ahead, boolean inOrder) {}

  /** Both sides as they are, with a hash table over the build side. */
  private ProbeInput asTheyAre(HashBuild build) {
    compiler
        .resources()
        .work(
            node,
            context -> {
              index(context, build);
              return side;
            });
    PipelineHead rows =
        probeRows == null
            ? probe
            : PipelineHead.of(new RowCollectionSource(probeRows.collection()));
    return new ProbeInput(rows, false, false);
  }

  private void index(ExecContext context, HashBuild build) {
    ColumnBatch rows = buildRows.take(context);
    TableColumns origin = buildRows.owned() || spec.nullAware() ? null : buildRows.origin();
    if (origin == null) {
      build.build(context, rows, buildRows.owned(), side);
      return;
    }
    KeyIndex index =
        KeptHashTables.of(
            context,
            compiler.resources(),
            origin,
            spec,
            layout,
            build.words(),
            worker -> build.index(worker, rows));
    build.fill(context, rows, false, index, side);
  }

  /** The keys of both sides in an order, with row ids in place of the payload (GFUR). */
  private ProbeInput arrangedKeys(HashBuild build, JoinKeyEncoder probeWords, JoinRows probed) {
    boolean inOrder = inKeyOrder(spec, layout);
    ColumnBatch rows = compiler.resources().work(node, buildRows::take);
    ColumnBatch unmoved = compiler.resources().work(node, probed::take);
    RowIdInputs keys =
        compiler
            .resources()
            .work(
                node,
                context ->
                    algorithm.sorts()
                        ? CoPartitioner.sortKeys(context, build, rows, probeWords, unmoved)
                        : CoPartitioner.partitionKeys(context, build, rows, probeWords, unmoved));
    addArrangement(keys.parts());
    ColumnBatch numbers = keys.ahead();
    Source scan = compiler.resources().scanOwned(numbers.shapes(), List.of(numbers), inOrder);
    compiler
        .resources()
        .work(
            node,
            context -> {
              build.build(context, rows, keys.keys(), algorithm.sorts(), buildRows.owned(), side);
              return side;
            });
    Source gathered =
        new RowIdGatherSource(unmoved, scan, probed.owned() ? compiler.resources().memory() : null);
    return new ProbeInput(PipelineHead.of(gathered), true, inOrder);
  }

  /** The rows of both sides in an order, with all their columns (GFTR). */
  private ProbeInput arrangedRows(HashBuild build, JoinKeyEncoder probeWords, JoinRows probed) {
    boolean inOrder = inKeyOrder(spec, layout);
    Sides sides =
        algorithm.sorts()
            ? sorted(build, probeWords, probed)
            : partitioned(build, probeWords, probed);
    Source scan = scan(sides, inOrder);
    ColumnBatch rows = sides.build();
    compiler
        .resources()
        .work(
            node,
            context -> {
              if (sides.found() != null) {
                build.fill(context, rows, true, sides.found(), side);
              } else {
                KeyWords keys = sides.keys() != null ? sides.keys() : build.keys(context, rows);
                build.build(context, rows, keys, algorithm.sorts(), sides.buildOwned(), side);
              }
              return side;
            });
    return new ProbeInput(PipelineHead.of(scan), sides.ahead(), inOrder);
  }

  private Source scan(Sides sides, boolean inOrder) {
    QueryResources resources = compiler.resources();
    List<ColumnShape> shapes = sides.shapes(probe.shapes());
    List<ColumnBatch> rows = List.of(sides.probe());
    if (sides.probeOwned()) {
      return resources.scanOwned(shapes, rows, inOrder);
    }
    if (sides.ahead()) {
      Column words = sides.probe().columns().getLast();
      resources.closeLater(() -> Batches.free(resources.memory(), words));
    }
    return resources.scanOf(shapes, rows, inOrder);
  }

  private Sides sorted(HashBuild build, JoinKeyEncoder probeWords, JoinRows probed) {
    Sides sides =
        compiler
            .resources()
            .work(
                node,
                context -> {
                  ColumnBatch left = buildRows.take(context);
                  ColumnBatch right = probed.take(context);
                  boolean[] owned = {buildRows.owned(), probed.owned()};
                  return CoPartitioner.sort(context, build, left, probeWords, right, owned);
                });
    addArrangement(sides.parts());
    return sides;
  }

  private Sides partitioned(HashBuild build, JoinKeyEncoder probeWords, JoinRows probed) {
    boolean roomy = partitionsTwice(probed);
    Sides sides =
        compiler
            .resources()
            .work(
                node,
                context -> {
                  ColumnBatch left = buildRows.take(context);
                  ColumnBatch right = probed.take(context);
                  boolean[] owned = {buildRows.owned(), probed.owned()};
                  return CoPartitioner.partition(
                      context, build, left, probeWords, right, owned, roomy);
                });
    addArrangement(sides.parts());
    compiler
        .resources()
        .metrics(node)
        .addFigure("tables", sides.found() != null ? sides.parts() : 1);
    return sides;
  }

  private void addArrangement(int parts) {
    compiler
        .resources()
        .metrics(node)
        .addFigure(
            algorithm.sorts() ? "sorted sides" : "partitions", algorithm.sorts() ? 2 : parts);
  }

  /**
   * @param before bytes of the query's memory that were in use before the build side was made
   */
  private void addFigures(long before) {
    KeyIndex index = side.index();
    compiler.resources().metrics(node).addFigure("build rows", side.rows().rows());
    compiler.resources().metrics(node).addFigure("distinct keys", index.distinct());
    if (index instanceof KeyIndex.HashIndex hash) {
      compiler
          .resources()
          .metrics(node)
          .addFigure("largest multiplicity", hash.table().maxMultiplicity());
    }
    compiler
        .resources()
        .metrics(node)
        .addStateBytes(Math.max(0, compiler.resources().memory().used() - before));
  }

  private JoinOutput probed(HashBuild build, JoinKeyEncoder probeWords, ProbeInput input) {
    HashProbe operator =
        new HashProbe(
            spec, side, layout, probeWords, input.ahead(), compiler.resources().expressions());
    boolean byWord = operator.marksByWord() && !side.index().unique();
    side.setFlagsByWord(byWord);
    PipelineHead joined = input.rows().then(operator);
    return new JoinOutput(
        CompletionSource.after(
            joined, compiler.resources(), spec, side, byWord ? build.words() : null),
        input.inOrder());
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
}
