package io.aragonite.exec.group;

import io.aragonite.exec.exchange.Distribution;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.group.ExchangePlanner.Placed;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.ExchangeKind;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Where the rows of groups must be for several devices to group a part each: a whole group on one
 * device, or partial groups on all, of which those that are equal are merged.
 */
final class AggregateExchangePlanner {
  /** So many groups are merged by one device sooner than they are exchanged. */
  private static final double FEW_GROUPS = 1 << 16;

  private final ExchangePlanner spreading;
  private final Aggregate aggregate;

  AggregateExchangePlanner(ExchangePlanner spreading, Aggregate aggregate) {
    this.spreading = spreading;
    this.aggregate = aggregate;
  }

  /** Whole groups where they are together; else partial ones, of which equal ones are merged. */
  Placed place() {
    Placed placed = spreading.stands(grouped(), aggregate);
    boolean always = aggregate.groupingSets().stream().anyMatch(List::isEmpty);
    // A grouping without keys makes a row of no rows too, so the other devices have one as well.
    return always && placed.rows().first()
        ? new Placed(
            spreading.exchange(placed.plan(), ExchangeKind.FIRST, List.of()), Distribution.FIRST)
        : placed;
  }

  private Placed grouped() {
    Placed below = spreading.place(aggregate.input());
    if (below.rows().everywhere() && isAlike(aggregate)) {
      // The others would rest while the first device groups, and wait if they need the groups.
      return new Placed(over(aggregate, below.plan()), Distribution.EVERYWHERE);
    }
    Placed input = spreading.once(below);
    List<Integer> keys = aggregate.keys();
    List<List<Integer>> sets = aggregate.groupingSets();
    boolean plain = sets.size() == 1 && sets.getFirst().size() == keys.size();
    boolean whole = input.rows().first() || plain && !keys.isEmpty() && input.rows().together(keys);
    if (whole) {
      return new Placed(
          over(aggregate, input.plan()),
          input
              .rows()
              .mapped(column -> {
                int place = keys.indexOf(column);
                return place < 0 ? Set.of() : Set.of(place);
              }));
    }
    if (aggregate.calls().stream().allMatch(AggregateExchangePlanner::mergeable)) {
      return partial(input);
    }
    if (plain && !keys.isEmpty()) {
      PhysicalPlan together = spreading.exchange(input.plan(), ExchangeKind.HASH, keys);
      List<Integer> places = IntStream.range(0, keys.size()).boxed().toList();
      return new Placed(over(aggregate, together), Distribution.hashed(places));
    }
    return new Placed(over(aggregate, spreading.toFirst(input)), Distribution.FIRST);
  }

  /** The same over other rows. */
  static Aggregate over(Aggregate aggregate, PhysicalPlan input) {
    return new Aggregate(
        input,
        aggregate.keys(),
        aggregate.groupingSets(),
        aggregate.calls(),
        aggregate.groupingIds(),
        aggregate.types(),
        aggregate.expected());
  }

  private static boolean mergeable(AggregateCall call) {
    return call.function() != null
        && call.function() != AggregateFunction.SINGLE_VALUE
        && !call.distinct();
  }

  private Placed partial(Placed input) {
    int keys = aggregate.keys().size();
    int calls = aggregate.calls().size();
    boolean sets = aggregate.groupingSets().size() > 1;
    List<DataType> types = new ArrayList<>(aggregate.types().subList(0, keys));
    List<AggregateCall> partials = aggregate.calls().stream().map(AggregateCall::partial).toList();
    partials.forEach(call -> types.add(call.type()));
    if (sets) {
      types.add(DataType.INT64);
    }
    Aggregate parts =
        new Aggregate(
            input.plan(), aggregate.keys(), aggregate.groupingSets(), partials, sets, types);
    List<Integer> groups = new ArrayList<>(IntStream.range(0, keys).boxed().toList());
    if (sets) {
      groups.add(keys + calls);
    }
    boolean one =
        groups.isEmpty()
            || !sets && aggregate.groupingSets().getFirst().isEmpty()
            || aggregate.expected() <= FEW_GROUPS;
    PhysicalPlan moved =
        one
            ? spreading.exchange(parts, ExchangeKind.GATHER, List.of())
            : spreading.exchange(parts, ExchangeKind.HASH, groups);
    List<AggregateCall> merges = new ArrayList<>();
    List<DataType> merged = new ArrayList<>(groups.stream().map(types::get).toList());
    for (int i = 0; i < calls; i++) {
      AggregateCall call = aggregate.calls().get(i);
      AggregateFunction function = call.function();
      if (function != null) {
        merges.add(AggregateCall.of(function.merge(), call.type(), keys + i));
        merged.add(call.type());
      }
    }
    List<Integer> all = IntStream.range(0, groups.size()).boxed().toList();
    List<List<Integer>> groupingSets = sets ? List.of(all) : aggregate.groupingSets();
    boolean ids = aggregate.groupingIds() && !sets;
    if (ids) {
      merged.add(DataType.INT64);
    }
    Aggregate whole = new Aggregate(moved, groups, groupingSets, merges, ids, merged);
    Distribution rows = one ? Distribution.FIRST : Distribution.hashed(all);
    if (!sets) {
      return new Placed(whole, rows);
    }
    // The number of the set is behind the keys now, and belongs behind the calls, if anywhere.
    spreading.stands(new Placed(whole, rows), aggregate);
    List<Expr> columns = new ArrayList<>();
    for (int i = 0; i < keys + calls; i++) {
      columns.add(Expr.ref(i < keys ? i : i + 1, aggregate.types().get(i)));
    }
    if (aggregate.groupingIds()) {
      columns.add(Expr.ref(keys, DataType.INT64));
    }
    Project ordered = new Project(whole, columns);
    spreading.passes(ordered);
    return new Placed(ordered, Distribution.SPREAD);
  }

  static boolean isOneRow(Aggregate aggregate) {
    return aggregate.keys().isEmpty() && aggregate.groupingSets().size() == 1;
  }

  /**
   * Whether devices that group the same rows, each in an order of its own, have the same groups.
   */
  static boolean isAlike(Aggregate aggregate) {
    // Floats that are equal need not be the same: zeros have a sign.
    return aggregate.calls().stream().allMatch(AggregateExchangePlanner::anyOrder)
        && aggregate.keys().stream()
            .noneMatch(key -> aggregate.input().types().get(key).kind().isFloat());
  }

  /** Whether an aggregate is the same in whatever order its rows come. */
  private static boolean anyOrder(AggregateCall call) {
    return call.function() != null
        && call.function() != AggregateFunction.ANY_VALUE
        && !call.type().kind().isFloat();
  }
}
