package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.operator.SpillPartitions;
import io.aragonite.exec.operator.SpillPartitions.SpillPartition;
import io.aragonite.exec.operator.join.JoinMemory.InputSize;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A join whose build side memory does not hold. Both sides are partitioned by a hash of their keys,
 * and pairs of parts are joined one after the other; a part that still does not fit is partitioned
 * again (grace hash join: Kitsuregawa, Tanaka and Moto-oka, 1983; parts stay in memory while there
 * is room, as in DeWitt et al.'s hybrid form of 1984). What no partitioning makes smaller (a single
 * key, a join without equal keys, NOT IN, where a null concerns all rows) is joined with one piece
 * of the build side after the other, and a byte for each probe row remembers whether it has had a
 * match.
 */
final class SpilledJoin implements Source {
  /** Groups of probe rows under way while one is joined. */
  private static final int AHEAD = 8;

  /** Batches of the probe side that come together at most. */
  private static final long GROUP_BATCHES = 4;

  /** Parts that come while one is joined whose sides are both there. */
  private static final int PARTS_AHEAD = 2;

  /** How often what was fetched ahead may have had to make room before only little is. */
  private static final int MOST_DROPS = 8;

  /** The rows of a part on both sides. */
  private record PartSides(SpillableRowCollection build, SpillableRowCollection probe) {
    /** Memory of the build side with an index. */
    long indexed() {
      return JoinMemory.indexed(InputSize.of(build));
    }

    long buildBytes() {
      return build.bytes();
    }
  }

  private enum Phase {
    PROBE,
    COMPLETE_BUILD,
    COMPLETE_PROBE
  }

  private final QueryResources resources;
  private final Join node;
  private final JoinSpec spec;
  private final ExpressionCompiler expressions;
  private final BuildSide side = new BuildSide();

  /** How keys become words; null for a join without equal keys. */
  private final JoinKeyEncoder.@Nullable SideEncoders words;

  /** What part a row is of. */
  private final SpillPartitioning parted;

  /** Whether pairs of parts may be joined by partitions of their own. */
  private final boolean mayPartition;

  private final @Nullable HashBuild hashBuild;
  private final @Nullable HashProbe hashProbe;
  private final @Nullable NestedLoopProbe nestedLoop;
  private final SpillPartitions<PartSides> parts;

  /** The sides' first parts, while rows are dealt out to them. */
  private SpillPartitions<PartSides>.@Nullable Split first;

  private List<SpillableRowCollection> firstBuilds = List.of();

  // What is joined now.
  private @Nullable PartSides part;
  private Phase phase = Phase.PROBE;

  /** The join of a part both of whose sides are there; null where one is probed as it comes. */
  private @Nullable PartitionedJoinSource whole;

  /** The build blocks up to this one have been joined. */
  private int done;

  /** Whether the build side is joined in more than one piece. */
  private boolean pieces;

  /** A byte a probe row by block, 1 = it has had a match; empty where nobody asks. */
  private final List<Buffer> flags = new ArrayList<>();

  /**
   * Where groups of probe blocks begin that a device with memory of its own takes at once, the next
   * ones on their way; empty: each block is a morsel.
   */
  private int[] groups = {};

  /** When the first part was opened, and how long the bus had been busy then. */
  private long start;

  private long busyBefore;

  private @Nullable CompletionSource completion;
  private int morsels;

  /**
   * @param layout null for a join without equal keys
   */
  SpilledJoin(QueryResources resources, Join node, JoinSpec spec, @Nullable KeyLayout layout) {
    this.resources = resources;
    this.node = node;
    this.spec = spec;
    this.expressions = resources.expressions();
    resources.closeLater(side);
    Device device = resources.context().device();
    words =
        layout == null ? null : JoinKeyEncoder.SideEncoders.of(device, expressions, spec, layout);
    parted = new SpillPartitioning(device, expressions, spec, words);
    parts =
        new SpillPartitions<>(
            resources.spill(), resources.metrics(node), parted.mostBits(), PartSides::buildBytes);
    if (layout == null || words == null) {
      mayPartition = false;
      hashBuild = null;
      hashProbe = null;
      nestedLoop = new NestedLoopProbe(spec, side, expressions);
    } else {
      mayPartition = PartitionedJoinSource.takes(device, spec, layout);
      hashBuild = new HashBuild(spec, words.build(), expressions);
      hashProbe = new HashProbe(spec, side, layout, words.probe(), false, expressions);
      nestedLoop = null;
    }
  }

  /** Whether the sides can be partitioned by their keys. */
  static boolean partitions(JoinSpec spec) {
    return !spec.plan().keys().isEmpty() && !spec.nullAware();
  }

  /** The sides as they are. */
  void add(SpillableRowCollection build, SpillableRowCollection probe) {
    parts.add(List.of(new PartSides(build, probe)), !partitions(spec));
  }

  /** Partitions a build side; what partitions the probe side in the same way comes back. */
  Partitioner partition(SpillableRowCollection build) {
    Partitioner partitioner = partitionBuild(InputSize.of(build));
    resources.work(
        node,
        context -> {
          partitioner.runOver(context, build);
          return build;
        });
    return partitionProbe();
  }

  /** What partitions a build side of that size; then comes the probe side. */
  Partitioner partitionBuild(InputSize build) {
    int bits = parted.bits(JoinMemory.indexed(build), resources.spill().room());
    SpillPartitions<PartSides>.Split split = parts.split(bits, workers());
    first = split;
    firstBuilds = split.children(spec.build());
    return parted.partitioner(split, firstBuilds, true);
  }

  /** What partitions the probe side, when the build side's rows are partitioned. */
  Partitioner partitionProbe() {
    SpillPartitions<PartSides>.Split split = Objects.requireNonNull(first);
    List<SpillableRowCollection> builds = firstBuilds;
    List<SpillableRowCollection> probes = split.children(spec.probe());
    split.push(i -> new PartSides(builds.get(i), probes.get(i)));
    return parted.partitioner(split, probes, false);
  }

  private int workers() {
    return resources.context().device().properties().workers();
  }

  @Override
  public List<ColumnShape> shapes() {
    return spec.output();
  }

  @Override
  public boolean hasRounds() {
    return true;
  }

  @Override
  public boolean expands() {
    return spec.emitsPairs();
  }

  @Override
  public int morsels() {
    return morsels;
  }

  @Override
  public boolean nextRound(ExecContext context) {
    while (true) {
      PartSides now = part;
      if (now == null) {
        SpillPartition<PartSides> next = parts.poll();
        if (next == null) {
          note(context);
          return false;
        }
        if (start == 0) {
          start = System.nanoTime();
          busyBefore = context.copies().toDeviceNanos();
        }
        open(context, next);
      } else if (phase == Phase.PROBE && spec.flagsBuild()) {
        completeBuild();
      } else if (phase != Phase.COMPLETE_PROBE && done < now.build.size()) {
        nextPiece(context, now);
      } else if (phase != Phase.COMPLETE_PROBE && !flags.isEmpty()) {
        phase = Phase.COMPLETE_PROBE;
        morsels = now.probe.size();
      } else {
        close(now);
      }
      if (part != null && morsels > 0) {
        return true;
      }
    }
  }

  private void note(ExecContext context) {
    if (start != 0 && !context.device().traits().hostMemory()) {
      double nanos = Math.max(1, System.nanoTime() - start);
      long busy = context.copies().toDeviceNanos() - busyBefore;
      resources
          .metrics(node)
          .addNote(
              String.format(
                  Locale.ROOT,
                  "parts joined in %.3f s, the bus to the device busy %.0f %% of the time",
                  nanos / 1e9,
                  Math.min(100, 100 * busy / nanos)));
      String remark = context.copies().remark();
      if (!remark.isEmpty()) {
        resources.metrics(node).addNote(remark);
      }
    }
  }

  private void open(ExecContext context, SpillPartition<PartSides> opened) {
    PartSides next = opened.rows();
    next.build.seal();
    next.probe.seal();
    long need = next.indexed();
    long room = resources.spill().room();
    boolean needsMatch = !spec.padsBuild() && !(spec.choosesProbe() && !spec.choosesMatched());
    boolean empty =
        next.build.rows() == 0 ? needsMatch : next.probe.rows() == 0 && !spec.flagsBuild();
    morsels = 0;
    if (empty) {
      next.build.close();
      next.probe.close();
    } else if (need > room && !opened.whole()) {
      split(context, opened, parted.bits(need, room));
    } else {
      part = next;
      done = 0;
      pieces = need > room;
      if (pieces && flagsProbe()) {
        QueryMemory memory = resources.memory();
        for (int i = 0; i < next.probe.size(); i++) {
          Buffer of = memory.allocate(next.probe.rows(i));
          memory.fill(of, (byte) 0);
          flags.add(of);
        }
      }
      nextPiece(context, next);
    }
  }

  private boolean flagsProbe() {
    return spec.padsBuild() || spec.choosesProbe();
  }

  private void split(ExecContext context, SpillPartition<PartSides> parent, int bits) {
    SpillPartitions<PartSides>.Split split = parts.split(parent, bits, workers());
    List<SpillableRowCollection> builds = split.children(spec.build());
    List<SpillableRowCollection> probes = split.children(spec.probe());
    parted.partitioner(split, builds, true).runOver(context, parent.rows().build);
    parted.partitioner(split, probes, false).runOver(context, parent.rows().probe);
    split.push(i -> new PartSides(builds.get(i), probes.get(i)));
  }

  /**
   * Whether a part is joined by partitions, which on a GPU have tables in shared memory: one table
   * over 33 million rows lies far outside its cache, and takes longer to fill and to visit than the
   * part's rows take over the bus.
   */
  private boolean joinsWhole(PartSides some) {
    return mayPartition
        && some.build.rows() > 0
        && some.probe.rows() > 0
        && wholeFits(some, JoinMemory.ONE_PASS)
        && JoinChoice.partitions(
            resources.context().device(), spec, some.build.rows(), some.probe.rows());
  }

  private boolean wholeFits(PartSides some, int copies) {
    return JoinMemory.fitsWhole(
        InputSize.of(some.build), InputSize.of(some.probe), copies, resources.spill().room());
  }

  /** Joins a part whose sides both are, or come, to the device. */
  private void joinWhole(ExecContext context, PartSides now, JoinKeyEncoder.SideEncoders by) {
    boolean roomy = wholeFits(now, JoinMemory.TWO_PASSES);
    now.build.prefetch(context, 0, now.build.size(), 0);
    now.probe.prefetch(context, 0, now.probe.size(), 0);
    // What the join takes beside its inputs is to be left free by what comes next.
    int copies = roomy ? JoinMemory.TWO_PASSES : JoinMemory.ONE_PASS;
    long need = JoinMemory.whole(InputSize.of(now.build), InputSize.of(now.probe), copies);
    long keep = need - now.build.bytes() - now.probe.bytes();
    Iterator<PartSides> next = parts.upcoming();
    for (int i = 0; i < PARTS_AHEAD && next.hasNext(); i++) {
      fetchAhead(context, next.next(), keep, 0);
    }
    ColumnBatch build = now.build.gather(context, 0, now.build.size());
    ColumnBatch probe = now.probe.gather(context, 0, now.probe.size());
    done = now.build.size();
    PartitionedJoinSource join = PartitionedJoinSource.of(context, spec, by, build, probe, roomy);
    whole = join;
    resources.metrics(node).figures.merge("passes", 1L, Long::sum);
    resources.metrics(node).figures.merge("parts joined by partitions", 1L, Long::sum);
    phase = Phase.PROBE;
    morsels = join.morsels();
  }

  /** Makes the index over the next blocks of the build side, as many as there is room for. */
  private void nextPiece(ExecContext context, PartSides now) {
    side.close();
    JoinKeyEncoder.SideEncoders by = words;
    if (!pieces && by != null && joinsWhole(now)) {
      joinWhole(context, now, by);
      return;
    }
    int from = done;
    int to = pieces ? from : now.build.size();
    long room = resources.spill().room();
    long need = 0;
    while (to < now.build.size()) {
      need += JoinMemory.indexed(new InputSize(now.build.bytes(to), now.build.rows(to)));
      if (to > from && need > room) {
        break;
      }
      to++;
    }
    now.build.prefetch(context, from, to, 0);
    groups = grouped() ? now.probe.groups(groupRows(now)) : new int[0];
    ahead(context, now, -1);
    ColumnBatch rows = now.build.gather(context, from, to);
    done = to;
    HashBuild build = hashBuild;
    if (build != null && hashProbe != null) {
      build.build(context, rows, true, side);
      side.setFlagsByWord(hashProbe.marksByWord() && !side.index().unique());
    } else {
      side.fill(context, spec, rows, true);
    }
    resources.metrics(node).figures.merge("passes", 1L, Long::sum);
    phase = Phase.PROBE;
    morsels = groups.length > 0 ? groups.length - 1 : now.probe.size();
  }

  /** Whether probe rows are used up as they are read, and copied to the device anyway. */
  private boolean grouped() {
    return !pieces && !resources.context().device().traits().hostMemory();
  }

  /** Rows of the probe side that come together: several batches, and an eighth of the memory. */
  private int groupRows(PartSides now) {
    long rowBytes = now.probe.bytes() / Math.max(1, now.probe.rows()) + 1;
    long fitting = resources.spill().scanRoom() / 4 / rowBytes;
    int batchRows = resources.context().device().properties().batchRows();
    return (int) Math.clamp(fitting, 64, GROUP_BATCHES * batchRows);
  }

  /** Has the rows come that are wanted after a group: the next groups, or the next part's. */
  private void ahead(ExecContext context, PartSides now, int group) {
    if (groups.length == 0) {
      return;
    }
    int last = groups.length - 1;
    // The index over the rows that are here takes memory first.
    long keep = group < 0 ? now.indexed() / 2 : 0;
    int under = 0;
    for (int i = group + 1; i < last && under < AHEAD; i++, under++) {
      now.probe.prefetch(context, groups[i], groups[i + 1], keep);
    }
    Iterator<PartSides> next = parts.upcoming();
    if (under < AHEAD && next.hasNext()) {
      fetchAhead(context, next.next(), keep, under);
    }
  }

  /**
   * Has a part's rows come before it is worked with.
   *
   * @param under how many groups of rows are under way
   */
  private void fetchAhead(ExecContext context, PartSides next, long keep, int under) {
    // What was fetched too early has to be fetched again.
    if (resources.spill().drops() > MOST_DROPS || next.indexed() > resources.spill().room()) {
      return;
    }
    next.build.prefetch(context, 0, next.build.size(), keep);
    int[] starts =
        joinsWhole(next) ? new int[] {0, next.probe.size()} : next.probe.groups(groupRows(next));
    for (int i = 0; i + 1 < starts.length && under + i < AHEAD; i++) {
      next.probe.prefetch(context, starts[i], starts[i + 1], keep);
    }
  }

  private void completeBuild() {
    phase = Phase.COMPLETE_BUILD;
    int morselRows = resources.context().device().properties().morselRows();
    CompletionSource source =
        new CompletionSource(
            spec, side, hashBuild == null ? null : hashBuild.words(), expressions, morselRows);
    completion = source;
    morsels = source.morsels();
  }

  private void close(PartSides now) {
    side.close();
    closeWhole();
    groups = new int[0];
    flags.forEach(resources.memory()::free);
    flags.clear();
    now.build.close();
    now.probe.close();
    part = null;
    completion = null;
    morsels = 0;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    PartSides now = part;
    if (now == null) {
      throw new IllegalStateException("there is nothing to join");
    }
    if (phase == Phase.COMPLETE_BUILD && completion != null) {
      completion.run(context, morsel, consumer);
      return;
    }
    if (whole != null) {
      whole.run(context, morsel, consumer);
      return;
    }
    ProbeWorker worker =
        hashProbe != null
            ? hashProbe.newWorker(context, consumer)
            : nested().newWorker(context, consumer);
    if (phase == Phase.PROBE && groups.length > 0) {
      probeGroup(context, now, morsel, worker);
      return;
    }
    boolean ends = phase == Phase.COMPLETE_PROBE;
    Buffer kept = flags.isEmpty() ? null : flags.get(morsel);
    int[] at = {0};
    now.probe.readInBatches(
        context,
        morsel,
        (own, batch) -> {
          if (!worker.done() || kept != null) {
            worker.keep(kept == null ? null : kept.slice(at[0], batch.rows()));
            if (ends) {
              worker.completeKept(batch);
            } else {
              worker.accept(batch);
            }
          }
          at[0] += batch.rows();
        });
    if (!pieces || ends || (flags.isEmpty() && done == now.build.size())) {
      now.probe.free(morsel);
    }
  }

  private void probeGroup(ExecContext context, PartSides now, int group, ProbeWorker worker) {
    ahead(context, now, group);
    context.scratch().reset();
    ColumnBatch rows = now.probe.gather(context, groups[group], groups[group + 1]);
    int batchRows = context.device().properties().batchRows();
    for (int from = 0; from < rows.rows() && !worker.done(); from += batchRows) {
      context.checkCancelled();
      long mark = context.scratch().mark();
      worker.keep(null);
      worker.accept(Batches.slice(rows, from, Math.min(batchRows, rows.rows() - from)));
      context.scratch().release(mark);
    }
    rows.columns().forEach(column -> Batches.free(resources.memory(), column));
  }

  private NestedLoopProbe nested() {
    if (nestedLoop == null) {
      throw new IllegalStateException("a join is on equal keys or not");
    }
    return nestedLoop;
  }

  private void closeWhole() {
    PartitionedJoinSource join = whole;
    whole = null;
    if (join != null) {
      join.close();
    }
  }

  @Override
  public void close() {
    side.close();
    closeWhole();
  }
}
