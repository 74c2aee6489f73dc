package io.aragonite.exec.exchange;

import io.aragonite.exec.collective.KeyRanges;
import io.aragonite.exec.collective.KeyRanges.KeySummary;
import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.exchange.ExchangeSide.IncomingRows;
import io.aragonite.exec.exchange.ExchangeSide.SentSide;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Exchange;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.Placement;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves rows between the devices that run a plan together. Each collects its rows and partitions
 * them by the hash of their keys: the first radix pass of a join or a grouping, whose partitions
 * are the devices. When all have, each fetches its partitions from the others, over peer copies
 * where it reaches them; and when all have fetched theirs, what was sent is freed.
 */
public final class ExchangeFactory {
  private ExchangeFactory() {}

  /** The pipeline of the rows that this rank gets. */
  public static PipelineHead compile(PlanCompiler compiler, Exchange node) {
    Rank rank = compiler.resources().rank();
    PipelineHead input = compiler.compile(node.input());
    if (rank == null || rank.devices().size() == 1) {
      return input;
    }
    if (node.kind() == Exchange.ExchangeKind.FIRST) {
      return rank.index() == 0
          ? input
          : PipelineHead.of(compiler.resources().scanOf(input.shapes(), List.of(), false));
    }
    Placement placement = node.placement();
    if (placement != null && !rank.placed(placement)) {
      rank.place(placement, null);
      compiler
          .resources()
          .metrics(node)
          .addFigure("hash exchange: the bounds of the other side are not known", 1);
    }
    KeyRanges ranges = ranges(rank, node);
    return node.lies() && ranges == null
        ? input
        : ExchangeSide.collected(compiler, rank, node, input).exchanged(ranges).head();
  }

  /**
   * Rows that have come to the first device.
   *
   * @param onHost whether they are in the host's memory, since they are few
   */
  public record GatheredRows(List<ColumnShape> shapes, List<ColumnBatch> rows, boolean onHost) {}

  /** Brings rows to this rank, which is the first, by the plan's last exchange. */
  public static GatheredRows last(PlanCompiler compiler, Exchange node) {
    Rank rank = Objects.requireNonNull(compiler.resources().rank());
    ExchangeSide side =
        ExchangeSide.collected(compiler, rank, node, compiler.compile(node.input()));
    SentSide sent = side.send(null);
    boolean onHost = sent.onHost();
    List<ColumnBatch> rows = onHost ? side.fetchedOnHost(sent) : side.fetched(sent).rows();
    return new GatheredRows(side.shapes(), rows, onHost);
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
            Objects.requireNonNull(compiler.resources().rank()),
            node,
            Exchange.ExchangeKind.BROADCAST,
            List.of(),
            List.of(shape),
            new ColumnBatch(List.of(column), count),
            true);
    return side.exchanged(null).rows().getFirst();
  }

  private static @Nullable KeyRanges ranges(Rank rank, Exchange node) {
    return node.placement() == null ? null : rank.ranges(node.placement());
  }

  /**
   * Brings both sides of a join to the devices of their keys, at the same time: one side is on its
   * way while the other one is partitioned, and which device has which keys is decided by both.
   *
   * @param join the join as it is known now
   * @param collected gets what this device has of the build side, before the probe side is compiled
   * @return null if they are not two such exchanges, none of whose rows have been asked for
   */
  public static @Nullable ExchangedInputs both(
      PlanCompiler compiler,
      Join join,
      PhysicalPlan build,
      PhysicalPlan probe,
      BiConsumer<List<ColumnShape>, ColumnBatch> collected) {
    Rank rank = compiler.resources().rank();
    if (rank == null
        || rank.devices().size() == 1
        || !(build instanceof Exchange first && probe instanceof Exchange second)
        || first.placement() == null
        || !first.placement().equals(second.placement())) {
      return null;
    }
    ExchangeSide ours =
        ExchangeSide.collected(compiler, rank, first, compiler.compile(first.input()));
    collected.accept(ours.shapes(), ours.rows());
    ExchangeSide theirs =
        ExchangeSide.collected(compiler, rank, second, compiler.compile(second.input()));
    long start = System.nanoTime();
    ExchangeDecision decided = decide(compiler, rank, first, ours, theirs);
    rank.span("deciding", start);
    KeyRanges ranges = ranges(rank, first);
    if (!decided.roomy()) {
      IncomingRows built = ours.exchanged(ranges);
      return new ExchangedInputs(built, theirs.exchanged(ranges), null, null);
    }
    ExchangedInputs ranged =
        ranges == null || !decided.direct()
            ? null
            : RangeExchange.bring(
                compiler.resources(),
                rank,
                ranges,
                join.joinType() == JoinType.INNER && !first.placement().followed(),
                ours,
                theirs);
    if (ranged != null) {
      return ranged;
    }
    SentSide one = ours.send(ranges);
    IncomingRows built = one.fetch();
    SentSide other = theirs.send(ranges);
    return new ExchangedInputs(
        built,
        other.fetch(),
        worker -> List.of(one, other).forEach(sent -> sent.own().free(worker)),
        null);
  }

  /**
   * Decides for a placement which device has which keys, if nobody has; and how both sides travel.
   */
  private static ExchangeDecision decide(
      PlanCompiler compiler, Rank rank, Exchange node, ExchangeSide build, ExchangeSide probe) {
    ExecContext context = compiler.resources().context();
    boolean open = !rank.placed(Objects.requireNonNull(node.placement()));
    MemoryNeed mine =
        new MemoryNeed(
            (long) build.rows().rows() + probe.rows().rows(),
            roomy(compiler, build, probe),
            RangeExchange.takes(rank, build, probe));
    List<MemoryNeed> needs = rank.meet(context, node, mine, list -> list);
    long rows = needs.stream().mapToLong(MemoryNeed::rows).sum();
    if (open) {
      KeyRanges.Decision decision = KeyRanges.Decision.few(rows);
      if (KeyRanges.worth(rows)) {
        List<KeySummary> facts =
            compiler
                .resources()
                .work(node, worker -> KeySummary.of(worker, build.keyColumn(), probe.keyColumn()));
        decision =
            rank.meet(
                context,
                node,
                facts,
                all ->
                    KeyRanges.of(
                        all.stream().map(List::getFirst).toList(),
                        all.stream().map(List::getLast).toList()));
      }
      rank.place(node.placement(), decision.ranges());
      compiler.resources().metrics(node).addFigure(decision.what(), decision.figure());
    }
    return new ExchangeDecision(
        needs.stream().allMatch(MemoryNeed::roomy), needs.stream().allMatch(MemoryNeed::direct));
  }

  /**
   * What all devices have found alike.
   *
   * @param roomy whether all have room for both sides as they are, as they are sent, and as they
   *     are received
   * @param direct whether {@link RangeExchange} takes all devices' rows
   */
  private record ExchangeDecision(boolean roomy, boolean direct) {}

  private record MemoryNeed(long rows, boolean roomy, boolean direct) {}

  private static boolean roomy(PlanCompiler compiler, ExchangeSide build, ExchangeSide probe) {
    long bytes = HostColumns.bytes(build.rows()) + HostColumns.bytes(probe.rows());
    long rows = (long) build.rows().rows() + probe.rows().rows();
    return 3 * bytes + 24 * rows <= compiler.resources().spill().room();
  }
}
