package io.aragonite.exec.operator.join;

import io.aragonite.exec.cost.ExchangeModel;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Exchange;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.Toggle;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where below a join's probe side a filter made of the build side's keys is applied, and whether it
 * is worth it: it must spare more (joins that rows would pass, groups they would make, the
 * collection of the probe side, visits to a table that no cache holds) than it costs.
 *
 * @param node the rows that are filtered are those that come out of it
 * @param columns the join's keys, as columns of the node
 * @param passed what lies between the node and the join, the nearest to the node first
 */
public record FilterPlace(PhysicalPlan node, List<Integer> columns, List<Passed> passed) {
  /** What rows pass on their way. */
  enum PassedKind {
    JOIN,
    AGGREGATE,
    /**
     * What is not filtered is sent to another device, and the filter is one of all devices' keys.
     */
    EXCHANGE
  }

  /**
   * Something that rows pass.
   *
   * @param rows that come to an aggregate, -1 if nobody knows and of anything else: they are as
   *     many there as behind it, about, or more
   */
  record Passed(PassedKind kind, double rows) {}

  /** Bytes of a filter for a build row, about. */
  private static final double FILTER_BYTES = 3;

  /** ... and at most. */
  static final long MOST_BYTES = 4;

  /** Bytes of a slot of a table for words of any range; half of the slots are free at least. */
  private static final double SLOT_BYTES = 16;

  /** What of the time that a filter is to spare counts: how many rows it drops is a guess. */
  static final double SURE = 0.8;

  /** A text, as far as types can tell. */
  private static final int TEXT_BYTES = 20;

  /** Joins between the node and this one. */
  public int joins() {
    return count(PassedKind.JOIN);
  }

  /** Aggregates between them. */
  public int aggregates() {
    return count(PassedKind.AGGREGATE);
  }

  /** Exchanges between them. */
  public int exchanges() {
    return count(PassedKind.EXCHANGE);
  }

  private int count(PassedKind kind) {
    return (int) passed.stream().filter(step -> step.kind == kind).count();
  }

  /**
   * The place, if a filter is worth it.
   *
   * @param buildRows rows of the build side: those expected, or those that came
   */
  public static @Nullable FilterPlace of(Join join, double buildRows, MachineProfile profile) {
    JoinEstimate expected = join.expected();
    if (expected == null || !filters(join)) {
      return null;
    }
    FilterPlace place = find(join);
    boolean collects = join.algorithm() != JoinAlgorithm.NON_PARTITIONED_HASH;
    Toggle wanted = EngineSettings.current().joins().filter();
    if (wanted != Toggle.AUTO) {
      return wanted == Toggle.ON ? place : null;
    }
    boolean passes = !place.passed.isEmpty() || collects;
    double kept = kept(expected, buildRows);
    double saved =
        passes
            ? place.saved(join, kept, buildRows, profile)
            : savedVisits(join, expected.probeRows(), kept, buildRows, profile);
    return saved > 0 ? place : null;
  }

  /**
   * The place where something that costs little may leave rows of a table out that have no partner,
   * whether a filter of whole keys is worth it or not: the range of the build side's keys, which
   * costs a look at them, and once for a column one at all its values, or a filter of one of the
   * key's columns; null if rows without a partner come out of the join.
   */
  static @Nullable FilterPlace ofScan(Join join) {
    boolean wanted = EngineSettings.current().joins().filter() != Toggle.OFF;
    boolean found = filters(join) && (join.keys().size() > 1 || !join.keys().getFirst().nullSafe());
    FilterPlace place = wanted && found ? find(join) : null;
    // Groups of the query that are equal to others come out whole.
    return place != null && place.exchanges() + place.aggregates() == 0 ? place : null;
  }

  /**
   * Whether rows would be filtered before they are sent to another device, if that is worth it: a
   * thing that the devices that run a plan together must decide alike.
   */
  static boolean sends(Join join) {
    return join.expected() != null
        && filters(join)
        && EngineSettings.current().joins().filter() != Toggle.OFF
        && find(join).exchanges() > 0;
  }

  /**
   * What filtering the probe side before it is sent to the devices of its keys comes to.
   *
   * @param share of the rows that is sent; 1: there is no filter
   * @param nanos that a device takes to make it and to test its part of the rows
   */
  public record SentShare(double share, double nanos) {
    private static final SentShare ALL = new SentShare(1, 0);
  }

  /**
   * What is expected if the probe side of a join of several devices comes by an exchange.
   *
   * @param join as one device would do it
   */
  public static SentShare sentShare(Join join, MachineProfile profile, int devices) {
    JoinEstimate expected = join.expected();
    Toggle wanted = EngineSettings.current().joins().filter();
    if (expected == null || !filters(join) || wanted == Toggle.OFF) {
      return SentShare.ALL;
    }
    double build = expected.buildRows();
    double kept = kept(expected, build);
    boolean worth = find(join).past(PassedKind.EXCHANGE).saved(join, kept, build, profile) > 0;
    return worth || wanted == Toggle.ON
        ? new SentShare(
            kept,
            expected.probeRows() / devices * test(build, profile)
                + build * made(profile)
                + profile.steps(6, 2))
        : SentShare.ALL;
  }

  static FilterPlace find(Join join) {
    PhysicalPlan probe = join.buildLeft() ? join.right() : join.left();
    List<Integer> keys = new ArrayList<>();
    for (JoinKey key : join.keys()) {
      keys.add(join.buildLeft() ? key.right() : key.left());
    }
    return find(probe, keys);
  }

  /** The share of probe rows that is expected to pass. */
  static double kept(JoinEstimate expected, double buildRows) {
    double more = buildRows / Math.max(1, expected.buildRows());
    return Math.min(1, expected.matchRatio() * Math.max(more, 1e-6));
  }

  /** What EXPLAIN says of it. */
  public String text(Join join) {
    JoinEstimate expected = join.expected();
    String what =
        node instanceof PhysicalPlan.Scan || node instanceof PhysicalPlan.Filter ? "scan" : "input";
    return String.format(
        Locale.ROOT,
        "keys filter the probe side's %s below %s, %.1f %% expected to pass",
        what,
        joins() + aggregates() == 0
            ? join.algorithm() == JoinAlgorithm.NON_PARTITIONED_HASH
                ? "its lookup"
                : "its collection"
            : joins()
                + " joins"
                + (aggregates() == 0 ? "" : " and " + aggregates() + " aggregates"),
        expected == null ? 100 : 100 * kept(expected, expected.buildRows()));
  }

  /** Whether rows of the probe side without a partner may be dropped before the join. */
  static boolean filters(Join join) {
    return !join.keys().isEmpty()
        && join.algorithm() != JoinAlgorithm.HOST_SORT_MERGE
        && !keepsUnmatched(join);
  }

  private static boolean keepsUnmatched(Join join) {
    JoinType type = join.joinType();
    boolean probesLeft = !join.buildLeft();
    return type == JoinType.NULL_AWARE_ANTI
        || (probesLeft ? type.padsRight() || type == JoinType.ANTI : type.padsLeft());
  }

  /** As far down as rows keep their keys and nothing depends on which others there are. */
  static FilterPlace find(PhysicalPlan plan, List<Integer> columns) {
    FilterPlace here = new FilterPlace(plan, columns, List.of());
    return switch (plan) {
      case PhysicalPlan.Filter filter -> {
        // Behind the predicate, which is quicker, unless there is something to pass further down.
        FilterPlace below = find(filter.input(), columns);
        yield below.passed.isEmpty() ? here : below;
      }
      case PhysicalPlan.Project project -> {
        List<Integer> inputs = new ArrayList<>();
        for (int column : columns) {
          if (project.expressions().get(column) instanceof Expr.InputRef ref) {
            inputs.add(ref.index());
          }
        }
        yield inputs.size() == columns.size() ? find(project.input(), inputs) : here;
      }
      case PhysicalPlan.Sort sort ->
          sort.offset() == null && sort.fetch() == null ? find(sort.input(), columns) : here;
      case PhysicalPlan.Aggregate aggregate -> {
        int keys = aggregate.keys().size();
        boolean grouped =
            aggregate.groupingSets().size() == 1
                && aggregate.groupingSets().getFirst().size() == keys
                && columns.stream().allMatch(column -> column < keys);
        yield grouped
            ? find(aggregate.input(), columns.stream().map(aggregate.keys()::get).toList())
                .past(PassedKind.AGGREGATE, expectedRows(aggregate.input()))
            : here;
      }
      // Tables in host memory come as they are.
      case Join join when join.algorithm() == JoinAlgorithm.HOST_SORT_MERGE -> here;
      case Join join -> {
        int left = join.left().types().size();
        JoinType type = join.joinType();
        if (columns.stream().allMatch(column -> column < left) && !type.padsLeft()) {
          yield find(join.left(), columns).past(PassedKind.JOIN);
        }
        boolean right = columns.stream().allMatch(column -> column >= left);
        yield right && (type == JoinType.INNER || type == JoinType.RIGHT)
            ? find(join.right(), columns.stream().map(column -> column - left).toList())
                .past(PassedKind.JOIN)
            : here;
      }
      case Exchange exchange when exchange.kind() == Exchange.ExchangeKind.HASH ->
          find(exchange.input(), columns).past(PassedKind.EXCHANGE);
      default -> here;
    };
  }

  /**
   * The same rows before UNION ALL puts them together, if that is where they come from and all of
   * them are of tables with the keys among their columns; else this place alone.
   */
  List<FilterPlace> branches() {
    boolean union =
        node instanceof PhysicalPlan.SetOperation set
            && set.all()
            && set.kind() == PhysicalPlan.SetOperation.SetOperationKind.UNION
            && exchanges() == 0;
    // Texts may be of other lengths there.
    boolean numbers =
        columns.stream().allMatch(key -> Storage.of(node.types().get(key)).isInteger());
    if (!union || !numbers) {
      return List.of(this);
    }
    List<FilterPlace> all = new ArrayList<>();
    for (PhysicalPlan input : node.inputs()) {
      FilterPlace below = find(input, columns);
      List<FilterPlace> places = below.exchanges() == 0 ? below.branches() : List.of();
      boolean ofTables =
          places.stream()
              .allMatch(place ->
                  place.node instanceof PhysicalPlan.Scan
                      || place.node instanceof PhysicalPlan.Filter);
      // Groups of the query that are equal to others come out whole.
      if (places.isEmpty() || !ofTables || below.aggregates() > 0) {
        return List.of(this);
      }
      all.addAll(places);
    }
    return all;
  }

  private FilterPlace past(PassedKind kind) {
    return past(kind, -1);
  }

  private FilterPlace past(PassedKind kind, double rows) {
    List<Passed> more = new ArrayList<>(passed);
    more.add(new Passed(kind, rows));
    return new FilterPlace(node, columns, List.copyOf(more));
  }

  /** Rows that the planner expects of a node, -1 if the plan does not say. */
  private static double expectedRows(PhysicalPlan plan) {
    return switch (plan) {
      case PhysicalPlan.Scan scan -> scan.table().rows();
      case PhysicalPlan.Filter filter -> known(filter.expected());
      case PhysicalPlan.Aggregate aggregate -> known(aggregate.expected());
      case PhysicalPlan.Project project -> expectedRows(project.input());
      case Join join -> join.expected() == null ? -1 : join.expected().outRows();
      default -> -1;
    };
  }

  private static double known(double expected) {
    return expected == Double.POSITIVE_INFINITY ? -1 : expected;
  }

  /**
   * Nanoseconds. The rows of a grouping are more than its groups, which come to the join: they are
   * what a filter below it tests and spares.
   */
  private double saved(Join join, double kept, double buildRows, MachineProfile profile) {
    JoinEstimate expected = join.expected();
    double bytes = bytes(join.buildLeft() ? join.right() : join.left());
    double rows = expected == null ? 0 : expected.probeRows();
    double spared = rows * collected(join.algorithm(), bytes, profile);
    for (int i = passed.size() - 1; i >= 0; i--) {
      Passed step = passed.get(i);
      rows = Math.max(rows, step.rows);
      spared += rows * passing(step.kind, bytes, profile);
    }
    double own = expectedRows(node);
    double tested = own < 0 ? rows : Math.min(rows, own);
    return (1 - kept) * spared - price(buildRows, tested, profile);
  }

  /**
   * Nanoseconds of a filter.
   *
   * @param keys that it is made of
   * @param tested rows that are tested
   */
  public static double price(double keys, double tested, MachineProfile profile) {
    return tested * test(keys, profile) + keys * made(profile) + profile.steps(6, 2);
  }

  /**
   * Nanoseconds that a filter right before the join saves, since it is smaller than the join's
   * table: a GPU's of keys of several columns, which has slots for words of any range. On a CPU
   * such keys mostly have an array.
   */
  private static double savedVisits(
      Join join, double rows, double kept, double buildRows, MachineProfile profile) {
    if (join.keys().size() == 1 || profile.host()) {
      return 0;
    }
    double slots = Math.pow(2, Math.ceil(Math.log(Math.max(2, 2 * buildRows)) / Math.log(2)));
    double visit =
        profile.random(1, SLOT_BYTES * slots, Skew.none(1e9))
            + profile.nearNanos()
            + profile.mixedProbeNanos();
    double saved = SURE * (1 - kept) * visit - looked(buildRows, kept, profile);
    return rows * saved - buildRows * made(profile) - profile.steps(6, 2);
  }

  /** Nanoseconds of a key that a filter is made of. */
  static double made(MachineProfile profile) {
    return profile.sequential(3 * 8) + 2 * profile.hitNanos();
  }

  /** Nanoseconds of a row that is tested. */
  static double test(double buildRows, MachineProfile profile) {
    return profile.sequential(2 * 8 + 1 + 4)
        + profile.nearNanos()
        + profile.random(1, FILTER_BYTES * buildRows, Skew.none(1e9));
  }

  /**
   * Nanoseconds of a row that is looked up among keys, and goes on seen through row numbers if it
   * is there.
   *
   * @param keys how many there are
   * @param found the share of rows that are there
   */
  static double looked(double keys, double found, MachineProfile profile) {
    return test(keys, profile) + found * profile.hitNanos();
  }

  /** Nanoseconds of all rows of one side of a join, but for what they share with the other's. */
  static double side(Join join, JoinEstimate expected, boolean built, MachineProfile profile) {
    double bytes = bytes(join.buildLeft() == built ? join.left() : join.right());
    double collected = collected(join.algorithm(), bytes, profile);
    if (built) {
      double each = profile.sequential(3 * bytes) + 2 * profile.hitNanos() + collected;
      return expected.buildRows() * each;
    }
    double found = Math.min(1, expected.outRows() / Math.max(1, expected.probeRows()));
    return expected.probeRows() * (looked(expected.buildRows(), found, profile) + collected);
  }

  /**
   * Nanoseconds of a row that passes something.
   *
   * @param bytes of the row
   */
  private static double passing(PassedKind kind, double bytes, MachineProfile profile) {
    return switch (kind) {
      case JOIN -> passed(profile);
      case AGGREGATE -> profile.sequential(4 * 8) + 2 * profile.hitNanos();
      case EXCHANGE ->
          profile.sequential(4 * bytes)
              + profile.partition(1, bytes + 8)
              + bytes / ExchangeModel.NVLINK;
    };
  }

  /** Bytes of a row, about. */
  static double bytes(PhysicalPlan plan) {
    double bytes = 0;
    for (DataType type : plan.types()) {
      Storage storage = Storage.of(type);
      bytes += storage == Storage.BYTES ? TEXT_BYTES : storage.width();
    }
    return bytes;
  }

  /** Nanoseconds of a row that passes a join on the probe side. */
  static double passed(MachineProfile profile) {
    return profile.sequential(3 * 8) + profile.hitNanos();
  }

  /** Nanoseconds of a probe row that is collected for a join. */
  static double collected(JoinAlgorithm algorithm, double bytes, MachineProfile profile) {
    return switch (algorithm) {
      case PARTITIONED_HASH -> profile.sequential(3 * bytes) + profile.partition(1, bytes + 8);
      case SORT_MERGE -> profile.sequential(3 * bytes) + 6 * profile.sortRowNanos();
      case PARTITIONED_HASH_UM -> profile.sequential(3 * 8) + profile.partition(1, 16);
      case SORT_MERGE_UM -> profile.sequential(3 * 8) + 6 * profile.sortRowNanos();
      case NON_PARTITIONED_HASH, HOST_SORT_MERGE, NESTED_LOOP -> 0;
    };
  }
}
