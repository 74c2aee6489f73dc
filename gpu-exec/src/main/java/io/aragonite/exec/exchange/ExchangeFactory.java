package io.aragonite.exec.exchange;

import io.aragonite.exec.collective.KeyRanges;
import io.aragonite.exec.collective.KeyRanges.KeySummary;
import io.aragonite.exec.collective.Member;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.exchange.ExchangeSide.Coming;
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

  /** The pipeline of the rows that this member gets. */
  public static PipelineHead compile(PlanCompiler compiler, Exchange node) {
    Member member = compiler.resources().member();
    PipelineHead input = compiler.compile(node.input());
    if (member == null || member.devices().size() == 1) {
      return input;
    }
    if (node.kind() == Exchange.ExchangeKind.FIRST) {
      return member.index() == 0
          ? input
          : PipelineHead.of(compiler.resources().scanOf(input.shapes(), List.of(), false));
    }
    Placement placement = node.placement();
    if (placement != null && !member.placed(placement)) {
      member.place(placement, null);
      compiler
          .resources()
          .metrics(node)
          .addFigure("hash exchange: the bounds of the other side are not known", 1);
    }
    KeyRanges ranges = ranges(member, node);
    return node.lies() && ranges == null
        ? input
        : ExchangeSide.collected(compiler, member, node, input).exchanged(ranges).head();
  }

  /**
   * Rows that have come to the first device.
   *
   * @param onHost whether they are in the host's memory, since they are few
   */
  public record Arrived(List<ColumnShape> shapes, List<ColumnBatch> rows, boolean onHost) {}

  /** Brings rows to this member, which is the first, by the plan's last exchange. */
  public static Arrived last(PlanCompiler compiler, Exchange node) {
    Member member = Objects.requireNonNull(compiler.resources().member());
    ExchangeSide side =
        ExchangeSide.collected(compiler, member, node, compiler.compile(node.input()));
    SentSide sent = side.send(null);
    boolean onHost = sent.onHost();
    List<ColumnBatch> rows = onHost ? side.fetchedOnHost(sent) : side.fetched(sent).rows();
    return new Arrived(side.shapes(), rows, onHost);
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
            Objects.requireNonNull(compiler.resources().member()),
            node,
            Exchange.ExchangeKind.BROADCAST,
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
    Member member = compiler.resources().member();
    if (member == null
        || member.devices().size() == 1
        || !(build instanceof Exchange first && probe instanceof Exchange second)
        || first.placement() == null
        || !first.placement().equals(second.placement())) {
      return null;
    }
    ExchangeSide ours =
        ExchangeSide.collected(compiler, member, first, compiler.compile(first.input()));
    collected.accept(ours.shapes(), ours.rows());
    ExchangeSide theirs =
        ExchangeSide.collected(compiler, member, second, compiler.compile(second.input()));
    long start = System.nanoTime();
    Decided decided = decide(compiler, member, first, ours, theirs);
    member.span("deciding", start);
    KeyRanges ranges = ranges(member, first);
    if (!decided.roomy()) {
      Coming built = ours.exchanged(ranges);
      return new ExchangedInputs(built, theirs.exchanged(ranges), null, null);
    }
    ExchangedInputs ranged =
        ranges == null || !decided.direct()
            ? null
            : RangeExchange.bring(
                compiler.resources(),
                member,
                ranges,
                join.joinType() == JoinType.INNER && !first.placement().followed(),
                ours,
                theirs);
    if (ranged != null) {
      return ranged;
    }
    SentSide one = ours.send(ranges);
    Coming built = one.fetch();
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
  private static Decided decide(
      PlanCompiler compiler, Member member, Exchange node, ExchangeSide build, ExchangeSide probe) {
    ExecContext context = compiler.resources().context();
    boolean open = !member.placed(Objects.requireNonNull(node.placement()));
    Need mine =
        new Need(
            (long) build.rows().rows() + probe.rows().rows(),
            roomy(compiler, build, probe),
            RangeExchange.takes(member, build, probe));
    List<Need> needs = member.meet(context, node, mine, list -> list);
    long rows = needs.stream().mapToLong(Need::rows).sum();
    if (open) {
      KeyRanges.Decision decision = KeyRanges.Decision.few(rows);
      if (KeyRanges.worth(rows)) {
        List<KeySummary> facts =
            compiler
                .resources()
                .work(node, worker -> KeySummary.of(worker, build.keyColumn(), probe.keyColumn()));
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
      compiler.resources().metrics(node).addFigure(decision.what(), decision.figure());
    }
    return new Decided(needs.stream().allMatch(Need::roomy), needs.stream().allMatch(Need::direct));
  }

  /**
   * What all devices have found alike.
   *
   * @param roomy whether all have room for both sides as they are, as they are sent, and as they
   *     are received
   * @param direct whether {@link RangeExchange} takes all devices' rows
   */
  private record Decided(boolean roomy, boolean direct) {}

  private record Need(long rows, boolean roomy, boolean direct) {}

  private static boolean roomy(PlanCompiler compiler, ExchangeSide build, ExchangeSide probe) {
    long bytes = HostColumns.bytes(build.rows()) + HostColumns.bytes(probe.rows());
    long rows = (long) build.rows().rows() + probe.rows().rows();
    return 3 * bytes + 24 * rows <= compiler.resources().spill().room();
  }
}
