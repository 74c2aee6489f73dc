package io.aragonite.exec.group;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.group.ExchangeSide.Coming;
import io.aragonite.exec.group.ExchangeSide.Sent;
import io.aragonite.exec.group.KeyRanges.Facts;
import io.aragonite.exec.join.Arranged;
import io.aragonite.exec.join.PushedFilter;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Exchange;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.Placement;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Moves rows between the devices that run a plan together. Each collects its rows and partitions
 * them by the hash of their keys: the first radix pass of a join or a grouping, whose partitions
 * are the devices. When all have, each fetches its partitions from the others, over peer copies
 * where it reaches them; and when all have fetched theirs, what was sent is freed.
 */
public final class ExchangeFactory {
  private ExchangeFactory() {}

  /** The pipeline of the rows that this member gets. */
  public static PipelineHead compile(PlanCompiler compiler, Exchange node) {
    Member member = compiler.member();
    PipelineHead input = compiler.compile(node.input());
    if (member == null || member.devices().size() == 1) {
      return input;
    }
    if (node.kind() == Exchange.Kind.FIRST) {
      return member.index() == 0
          ? input
          : PipelineHead.of(compiler.scanOf(input.shapes(), List.of(), false));
    }
    Placement placement = node.placement();
    if (placement != null && !member.placed(placement)) {
      member.place(placement, null);
      compiler.addFigure(node, "keys by hash: asked for before a join has both sides", 1);
    }
    KeyRanges ranges = ranges(member, node);
    return node.lies() && ranges == null
        ? input
        : ExchangeSide.collected(compiler, member, node, input).exchanged(ranges).head();
  }

  /**
   * Brings words to all devices, each of which gets those of all.
   *
   * @param node who wants them
   * @param words of 8 bytes; freed
   * @return one column, the caller's
   */
  public static ColumnBatch everywhere(
      PlanCompiler compiler, PhysicalPlan node, Buffer words, int count) {
    ColumnShape shape = ColumnShape.of(DataType.INT64);
    Column column = new Column(shape, count, words, Buffer.EMPTY, null, null);
    ExchangeSide side =
        new ExchangeSide(
            compiler,
            Objects.requireNonNull(compiler.member()),
            node,
            Exchange.Kind.BROADCAST,
            List.of(),
            List.of(shape),
            new ColumnBatch(List.of(column), count),
            true);
    return side.exchanged(null).rows().getFirst();
  }

  private static @Nullable KeyRanges ranges(Member member, Exchange node) {
    return node.placement() == null ? null : member.ranges(node.placement());
  }

  /**
   * Brings both sides of a join to the devices of their keys, at the same time: one side is on its
   * way while the other one is partitioned, and which device has which keys is decided by both.
   *
   * @param node the join as it stands in the plan
   * @param join the same with what is known now
   * @return null if they are not two such exchanges, none of whose rows have been asked for
   */
  public static @Nullable BothSides both(
      PlanCompiler compiler, Join node, Join join, PhysicalPlan build, PhysicalPlan probe) {
    Member member = compiler.member();
    if (member == null
        || member.devices().size() == 1
        || !(build instanceof Exchange first && probe instanceof Exchange second)
        || first.placement() == null
        || !first.placement().equals(second.placement())) {
      return null;
    }
    ExchangeSide ours =
        ExchangeSide.collected(compiler, member, first, compiler.compile(first.input()));
    PushedFilter.leave(compiler, node, join, PushedFilter.Keys.of(ours.shapes(), ours.rows()));
    ExchangeSide theirs =
        ExchangeSide.collected(compiler, member, second, compiler.compile(second.input()));
    boolean roomy = decide(compiler, member, first, ours, theirs);
    KeyRanges ranges = ranges(member, first);
    if (!roomy) {
      Coming built = ours.exchanged(ranges);
      return new BothSides(built, theirs.exchanged(ranges), List.of(), null);
    }
    CopyQueue copies = compiler.context().copies();
    copies.mark("partitioning");
    Sent one = ours.send(ranges);
    copies.mark("fetching");
    Coming built = one.fetch();
    copies.mark("partitioning");
    Sent other = theirs.send(ranges);
    copies.mark("fetching");
    Coming probed = other.fetch();
    copies.mark(null);
    return new BothSides(
        built, probed, List.of(one, other), arranged(member, second, built, other, probed));
  }

  /** How both sides lie, if a table over the build side is of a size that joins reckon with. */
  private static @Nullable Arranged arranged(
      Member member, Exchange probe, Coming built, Sent sent, Coming probed) {
    KeyRanges ranges = sent.ranges();
    int me = member.index();
    int bits = ranges == null ? 0 : ranges.bits(me);
    if (ranges == null
        || bits == 0
        || !built.ranged()
        || !probed.ranged()
        || !ranges.servesTable(me, built.count())) {
      return null;
    }
    Column stays = sent.stays().column(probe.keys().getFirst());
    return new Arranged(ranges.order(me), bits, slices(built, bits), slices(probed, bits), stays);
  }

  private static List<Arranged.Slice> slices(Coming coming, int bits) {
    List<Arranged.Slice> slices = new ArrayList<>();
    for (ExchangeSide.Slice slice : coming.slices()) {
      int[][] starts = new int[slice.starts().length][];
      Arrays.setAll(starts, run -> padded(slice.starts()[run], bits));
      slices.add(new Arranged.Slice(starts, slice.ticket()::order));
    }
    return slices;
  }

  /** What lies behind all keys of the range is in the last partition. */
  private static int[] padded(int[] starts, int bits) {
    int[] all = Arrays.copyOf(starts, (1 << bits) + 1);
    int end = starts[starts.length - 1];
    Arrays.fill(all, Math.min(starts.length, all.length) - 1, all.length, end);
    return all;
  }

  /**
   * Decides for a placement which device has which keys, if nobody has.
   *
   * @return whether all devices have room for both sides as they are, as they are sent, and as they
   *     are received
   */
  private static boolean decide(
      PlanCompiler compiler, Member member, Exchange node, ExchangeSide build, ExchangeSide probe) {
    ExecContext context = compiler.context();
    boolean open = !member.placed(Objects.requireNonNull(node.placement()));
    Need mine =
        new Need((long) build.rows().rows() + probe.rows().rows(), roomy(compiler, build, probe));
    List<Need> needs = member.meet(context, node, mine, list -> list);
    long rows = needs.stream().mapToLong(Need::rows).sum();
    if (open) {
      KeyRanges.Decision decision = KeyRanges.Decision.few(rows);
      if (KeyRanges.worth(rows)) {
        List<Facts> facts =
            compiler.work(
                node, worker -> List.of(build.facts(worker, true), probe.facts(worker, false)));
        decision =
            member.meet(
                context,
                node,
                facts,
                all ->
                    KeyRanges.of(
                        all.stream().map(List::getFirst).toList(),
                        all.stream().map(List::getLast).toList()));
      }
      member.place(node.placement(), decision.ranges());
      compiler.addFigure(node, decision.what(), decision.figure());
    }
    return needs.stream().allMatch(Need::roomy);
  }

  private record Need(long rows, boolean roomy) {}

  private static boolean roomy(PlanCompiler compiler, ExchangeSide build, ExchangeSide probe) {
    long bytes = HostColumns.bytes(build.rows()) + HostColumns.bytes(probe.rows());
    long rows = (long) build.rows().rows() + probe.rows().rows();
    return 3 * bytes + 24 * rows <= compiler.spill().room();
  }
}
