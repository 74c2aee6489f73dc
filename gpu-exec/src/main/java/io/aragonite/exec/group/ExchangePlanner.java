package io.aragonite.exec.group;

import io.aragonite.exec.cost.ExchangeModel;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.exchange.Distribution;
import io.aragonite.exec.exchange.ShardedTable;
import io.aragonite.exec.exchange.SortedKey;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.operator.join.HostSortMergePlanner;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Exchange;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.ExchangeKind;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.Placement;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.PhysicalPlan.Scan;
import io.aragonite.exec.plan.PhysicalPlan.SetOperation;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.ExchangeSettings;
import io.aragonite.exec.table.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a plan for one device the plan that several run together, each over its share of the
 * tables: exchanges where rows must be together, groupings in two steps, orders at the end on one
 * device. What is the result is on the first device.
 */
public final class ExchangePlanner {
  /**
   * Tables up to so many rows are read whole by every device at least, or up to a small part of
   * what the query's largest table has, up to most.
   */
  private static final long FEW_ROWS = 1 << 16;

  private static final long MOST_FEW_ROWS = 1 << 22;

  private static final int SMALL_PART = 64;

  private final ExchangeModel model;
  private final Function<Table, ShardedTable> tables;
  private final Map<PhysicalPlan, PhysicalPlan> originals = new IdentityHashMap<>();

  /** Of tables whose keys have the same ranges. */
  private final Map<PartitionFunction, Placement> placements = new HashMap<>();

  /** Where the rows of a node of the original plan go, for people. */
  private final Map<PhysicalPlan, String> exchanges = new IdentityHashMap<>();

  /** Nodes whose rows all come from and stay on the first device. */
  private final Set<PhysicalPlan> onFirst = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Nodes in which every device makes the same rows. */
  private final Set<PhysicalPlan> onAll = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Nodes that pass on the rows of another one that stands for the same node. */
  private final Set<PhysicalPlan> passing = Collections.newSetFromMap(new IdentityHashMap<>());

  private final long fewRows;
  private int spreadScans;
  private double movedNanos;
  private @Nullable String refused;

  ExchangeModel model() {
    return model;
  }

  /** A node and where its rows are. */
  record Placed(PhysicalPlan plan, Distribution rows) {}

  /**
   * The outcome.
   *
   * @param plan for all devices; null if the query is better left to one
   * @param reason why it is; else empty
   * @param originals the nodes in whose place nodes of the new plan stand
   * @param exchanges where rows of nodes of the original plan go, and at what price
   * @param orders of the keys by whose ranges tables are spread
   * @param onFirst nodes of the new plan that the other devices have nothing to do for
   * @param onAll nodes of the new plan in which every device makes the same rows
   * @param passing nodes of the new plan that pass on the rows of another one of the same original
   * @param last the exchange behind which all is the first device's, one node behind the other;
   *     null if there is none
   * @param movedNanos what bringing the sides of joins together takes, as far as it is estimated
   */
  public record ExchangePlan(
      @Nullable PhysicalPlan plan,
      String reason,
      Map<PhysicalPlan, PhysicalPlan> originals,
      Map<PhysicalPlan, String> exchanges,
      Map<Placement, PartitionFunction> orders,
      Set<PhysicalPlan> onFirst,
      Set<PhysicalPlan> onAll,
      Set<PhysicalPlan> passing,
      @Nullable Exchange last,
      double movedNanos) {
    static ExchangePlan refused(String reason) {
      return new ExchangePlan(
          null, reason, Map.of(), Map.of(), Map.of(), Set.of(), Set.of(), Set.of(), null, 0);
    }
  }

  private ExchangePlanner(
      PhysicalPlan plan, ExchangeModel model, Function<Table, ShardedTable> tables) {
    this.model = model;
    this.tables = tables;
    long few = Math.clamp(mostRows(plan) / SMALL_PART, FEW_ROWS, MOST_FEW_ROWS);
    long set = EngineSettings.current().exchange().replicatedRows();
    this.fewRows = set == ExchangeSettings.AUTO ? few : set;
  }

  /** Rows of the largest table. */
  private static long mostRows(PhysicalPlan plan) {
    long here = plan instanceof Scan scan ? scan.table().rows() : 0;
    return plan.inputs().stream().mapToLong(ExchangePlanner::mostRows).reduce(here, Math::max);
  }

  /**
   * @param model what exchanges take between the devices
   * @param tables a table's shares, always the same object for one table
   */
  static ExchangePlan of(
      PhysicalPlan plan, ExchangeModel model, Function<Table, ShardedTable> tables) {
    ExchangePlanner spreading = new ExchangePlanner(plan, model, tables);
    Placed root = spreading.place(plan);
    if (spreading.refused != null) {
      return ExchangePlan.refused(spreading.refused);
    }
    if (spreading.spreadScans == 0) {
      return ExchangePlan.refused("its tables are small");
    }
    return spreading.result(spreading.toFirst(root));
  }

  private ExchangePlan result(PhysicalPlan whole) {
    Map<Placement, PartitionFunction> orders = new IdentityHashMap<>();
    placements.forEach((order, placement) -> orders.put(placement, order));
    return new ExchangePlan(
        whole, "", originals, exchanges, orders, onFirst, onAll, passing, last(whole), movedNanos);
  }

  private @Nullable Exchange last(PhysicalPlan whole) {
    PhysicalPlan node = whole;
    while (node.inputs().size() == 1 && onFirst.contains(node)) {
      node = node.inputs().getFirst();
    }
    return node instanceof Exchange exchange && exchange.kind() == ExchangeKind.GATHER
        ? exchange
        : null;
  }

  /** The plan with rows left on the devices that they come out on; for benchmarks. */
  static ExchangePlan inPlace(
      PhysicalPlan plan, ExchangeModel model, Function<Table, ShardedTable> tables) {
    ExchangePlanner spreading = new ExchangePlanner(plan, model, tables);
    Placed root = spreading.place(plan);
    if (spreading.refused != null) {
      throw new IllegalArgumentException(spreading.refused);
    }
    return spreading.result(spreading.once(root).plan);
  }

  Placed place(PhysicalPlan plan) {
    Placed placed =
        switch (plan) {
          case Scan scan -> scan(scan);
          case PhysicalPlan.Values values -> new Placed(values, Distribution.EVERYWHERE);
          case PhysicalPlan.Series series -> new Placed(series, Distribution.EVERYWHERE);
          case PhysicalPlan.RowInput rows -> refuse(rows, "rows of another adapter are read once");
          case PhysicalPlan.BatchInput rows ->
              refuse(rows, "batches of another engine are read once");
          case PhysicalPlan.Recursion recursion ->
              refuse(recursion, "a recursion's steps are one device's");
          case PhysicalPlan.MaterializedCte cte ->
              refuse(cte, "rows that are made once are one device's");
          case PhysicalPlan.WorkingRows rows ->
              refuse(rows, "a recursion's steps are one device's");
          case PhysicalPlan.MultiwayJoin join ->
              refuse(join, "a join of several relations at once is one device's");
          case Exchange exchange -> refuse(exchange, "it is spread already");
          case Filter filter -> filter(filter);
          case Project project -> project(project);
          case PhysicalPlan.Repeat repeat -> repeat(repeat);
          case Aggregate aggregate -> new AggregateExchangePlanner(this, aggregate).place();
          case Join join ->
              inOrder(
                  join,
                  stands(
                      isHostMerge(join)
                          ? hostMerge(join)
                          : new JoinExchangePlanner(this, join).place(),
                      join));
          case Sort sort -> sort(sort);
          case SetOperation operation -> setOperation(operation);
          case Window window -> window(window);
        };
    return stands(placed, plan);
  }

  /** Says in whose place a node stands. */
  Placed stands(Placed placed, PhysicalPlan original) {
    originals.putIfAbsent(placed.plan, original);
    boolean gathers =
        placed.plan instanceof Exchange exchange && exchange.kind() != ExchangeKind.FIRST;
    if (placed.rows.first() && placed.plan.inputs().size() == 1 && !gathers) {
      onFirst.add(placed.plan);
    }
    if (placed.rows.everywhere()) {
      onAll.add(placed.plan);
    }
    return placed;
  }

  private Placed refuse(PhysicalPlan plan, String reason) {
    refused = reason;
    return new Placed(plan, Distribution.FIRST);
  }

  private Placed scan(Scan scan) {
    long rows = scan.table().rows();
    if (rows >= 0 && rows <= fewRows) {
      return new Placed(scan, Distribution.EVERYWHERE);
    }
    spreadScans++;
    ShardedTable spread = tables.apply(scan.table());
    SortedKey key = spread.key();
    int place = key == null ? -1 : scan.columns().indexOf(key.column());
    Distribution shares = Distribution.SPREAD;
    if (key != null) {
      tell(scan, "by ranges of " + spread.columnNames().get(key.column()));
    }
    if (key != null && place >= 0) {
      Placement placement = placements.computeIfAbsent(key.order(), order -> new Placement());
      shares =
          new Distribution(Distribution.DistributionKind.HASHED, List.of(Set.of(place)), placement);
    }
    return new Placed(new Scan(spread, scan.columns(), scan.types()), shares);
  }

  private Placed filter(Filter filter) {
    Placed input = sure(place(filter.input()), List.of(filter.predicate()));
    return new Placed(new Filter(input.plan, filter.predicate(), filter.expected()), input.rows);
  }

  private Placed project(Project project) {
    List<Expr> expressions = project.expressions();
    Placed input = sure(place(project.input()), expressions);
    return new Placed(
        new Project(input.plan, expressions),
        input.rows.mapped(column -> {
          Set<Integer> places = new TreeSet<>();
          for (int i = 0; i < expressions.size(); i++) {
            if (expressions.get(i) instanceof Expr.InputRef ref && ref.index() == column) {
              places.add(i);
            }
          }
          return places;
        }));
  }

  private Placed repeat(PhysicalPlan.Repeat repeat) {
    Placed input = place(repeat.input());
    int count = repeat.types().size() - 1;
    return new Placed(
        new PhysicalPlan.Repeat(input.plan),
        input.rows.mapped(column -> column == count ? Set.of() : Set.of(column)));
  }

  /** Rows of every device must stay the same on all: what is not certain is one device's. */
  private Placed sure(Placed rows, List<Expr> expressions) {
    if (expressions.stream().anyMatch(Expr::sequential)) {
      return refuse(rows.plan, "the numbers of a sequence are given in the order of rows");
    }
    return expressions.stream().allMatch(ExchangePlanner::deterministic) ? rows : once(rows);
  }

  private static boolean deterministic(Expr expr) {
    return switch (expr) {
      case Expr.Call call -> call.args().stream().allMatch(ExchangePlanner::deterministic);
      case Expr.HostFunctionCall call ->
          call.deterministic() && call.args().stream().allMatch(ExchangePlanner::deterministic);
      default -> true;
    };
  }

  /** Rows in order are one device's; of those that LIMIT keeps each device finds its own first. */
  private Placed sort(Sort sort) {
    Placed input = once(place(sort.input()));
    if (input.rows.first()) {
      return new Placed(new Sort(input.plan, sort.keys(), sort.offset(), sort.fetch()), input.rows);
    }
    Expr most = most(sort.offset(), sort.fetch());
    PhysicalPlan rows = input.plan;
    if (most != null) {
      rows = new Sort(rows, sort.keys(), null, most);
    }
    PhysicalPlan gathered = exchange(rows, ExchangeKind.GATHER, List.of());
    return new Placed(
        new Sort(gathered, sort.keys(), sort.offset(), sort.fetch()), Distribution.FIRST);
  }

  private static boolean isHostMerge(Join join) {
    return join.algorithm() == JoinAlgorithm.HOST_SORT_MERGE
        && HostSortMergePlanner.refusal(join) == null;
  }

  /** All devices sort the whole tables together, and each joins a share of the pieces. */
  private Placed hostMerge(Join join) {
    spreadScans++;
    return new Placed(
        new Join(
            join.left(),
            join.right(),
            join.joinType(),
            join.keys(),
            join.residual(),
            join.algorithm(),
            join.buildLeft(),
            join.types(),
            join.expected()),
        Distribution.SPREAD);
  }

  /** Rows of a join whose order somebody counts on: parts of several devices have none together. */
  private Placed inOrder(Join join, Placed placed) {
    if (join.order().isEmpty()) {
      return placed;
    }
    Sort sort = new Sort(toFirst(placed), join.order(), null, null);
    passing.add(sort);
    return new Placed(sort, Distribution.FIRST);
  }

  /** How many rows in the order are enough; null if that is not known. */
  private static @Nullable Expr most(@Nullable Expr offset, @Nullable Expr fetch) {
    if (fetch == null || offset == null) {
      return fetch;
    }
    return fetch instanceof Expr.Literal count
            && offset instanceof Expr.Literal first
            && count.value() instanceof Long kept
            && first.value() instanceof Long skipped
            && kept >= 0
            && skipped >= 0
            && kept + skipped >= 0
        ? Expr.literal(kept + skipped, fetch.type())
        : null;
  }

  private Placed setOperation(SetOperation operation) {
    List<Placed> inputs = operation.inputs().stream().map(this::place).toList();
    Distribution rows = Distribution.SPREAD;
    List<PhysicalPlan> plans = new ArrayList<>();
    if (inputs.stream().allMatch(input -> input.rows.first())) {
      rows = Distribution.FIRST;
      inputs.forEach(input -> plans.add(input.plan));
    } else if (inputs.stream().allMatch(input -> input.rows.everywhere())) {
      rows = Distribution.EVERYWHERE;
      inputs.forEach(input -> plans.add(input.plan));
    } else if (operation.kind() == SetOperation.SetOperationKind.UNION && operation.all()) {
      inputs.forEach(input -> plans.add(once(input).plan));
    } else if (operation.types().isEmpty()) {
      rows = Distribution.FIRST;
      inputs.forEach(input -> plans.add(toFirst(input)));
    } else {
      List<Integer> all = IntStream.range(0, operation.types().size()).boxed().toList();
      inputs.forEach(input -> plans.add(exchange(once(input).plan, ExchangeKind.HASH, all)));
    }
    return new Placed(
        new SetOperation(operation.kind(), operation.all(), plans, operation.types()), rows);
  }

  private Placed window(Window window) {
    Placed input = once(place(window.input()));
    PhysicalPlan rows = input.plan;
    Distribution where = input.rows;
    if (!where.together(window.partitionBy())) {
      boolean one = window.partitionBy().isEmpty();
      rows =
          one
              ? exchange(rows, ExchangeKind.GATHER, List.of())
              : exchange(rows, ExchangeKind.HASH, window.partitionBy());
      where = one ? Distribution.FIRST : Distribution.hashed(window.partitionBy());
    }
    return new Placed(
        new Window(rows, window.partitionBy(), window.orderBy(), window.frame(), window.calls()),
        where);
  }

  /** The rows on the first device. */
  PhysicalPlan toFirst(Placed rows) {
    return rows.rows.first() || rows.rows.everywhere()
        ? once(rows).plan
        : exchange(rows.plan, ExchangeKind.GATHER, List.of());
  }

  /** The rows on all devices. */
  PhysicalPlan everywhere(Placed rows) {
    PhysicalPlan made = rows.rows.first() ? onEach(rows.plan) : null;
    return made == null ? exchange(rows.plan, ExchangeKind.BROADCAST, List.of()) : made;
  }

  /**
   * What the first device makes of a row of each, a scalar subquery say, made by all of them: they
   * would rest while it does, and wait for one exchange more. Null if it is something else, or if
   * devices could make different rows of it.
   */
  private @Nullable PhysicalPlan onEach(PhysicalPlan plan) {
    if (plan instanceof Exchange exchange) {
      return switch (exchange.kind()) {
        case FIRST -> onEach(exchange.input());
        case GATHER ->
            exchange.input() instanceof Aggregate parts && AggregateExchangePlanner.isOneRow(parts)
                ? exchange(parts, ExchangeKind.BROADCAST, List.of())
                : null;
        default -> null;
      };
    }
    @Nullable UnaryOperator<PhysicalPlan> over =
        switch (plan) {
          case Filter filter when deterministic(filter.predicate()) ->
              input -> new Filter(input, filter.predicate(), filter.expected());
          case Project project
              when project.expressions().stream().allMatch(ExchangePlanner::deterministic) ->
              input -> new Project(input, project.expressions());
          case Aggregate row
              when AggregateExchangePlanner.isOneRow(row)
                  && AggregateExchangePlanner.isAlike(row) ->
              input -> AggregateExchangePlanner.over(row, input);
          default -> null;
        };
    PhysicalPlan input = over == null ? null : onEach(plan.inputs().getFirst());
    if (over == null || input == null) {
      return null;
    }
    PhysicalPlan made = over.apply(input);
    onAll.add(made);
    PhysicalPlan original = originals.getOrDefault(plan, plan);
    originals.put(made, original);
    if (made instanceof Aggregate && input instanceof Exchange) {
      tell(original, "groups of all devices to each");
    }
    return made;
  }

  /** The rows with each on one device only. */
  Placed once(Placed rows) {
    return rows.rows.everywhere()
        ? new Placed(exchange(rows.plan, ExchangeKind.FIRST, List.of()), Distribution.FIRST)
        : rows;
  }

  Exchange exchange(PhysicalPlan input, ExchangeKind kind, List<Integer> keys) {
    return exchange(input, kind, keys, null, false);
  }

  /**
   * @param lies whether the rows lie by the hash of the keys
   */
  Exchange exchange(
      PhysicalPlan input,
      ExchangeKind kind,
      List<Integer> keys,
      @Nullable Placement placement,
      boolean lies) {
    Exchange exchange = new Exchange(input, kind, keys, placement, lies);
    PhysicalPlan original = originals.getOrDefault(input, input);
    originals.put(exchange, original);
    if (kind != ExchangeKind.FIRST) {
      tell(
          original,
          switch (kind) {
            case HASH ->
                "rows to the devices of their keys" + (lies ? ", unless they are there" : "");
            case BROADCAST -> "rows to all devices";
            default -> "rows to the first device";
          });
    }
    return exchange;
  }

  /** Notes that a projection passes on the rows of another node that stands for the same one. */
  void passes(Project project) {
    passing.add(project);
  }

  /** Counts what an exchange of a join's side takes. */
  void moves(double nanos) {
    movedNanos += nanos;
  }

  /** Adds to what EXPLAIN says of a node. */
  void tell(PhysicalPlan original, String text) {
    exchanges.merge(original, text, (before, more) -> before + "; " + more);
  }
}
