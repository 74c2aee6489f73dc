package io.aragonite.rules.program.subquery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Uncollect;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * Pushes a dependent join down through its right side, until nothing depends on the left one.
 * Calcite's own decorrelation is wrong about windows (CALCITE-7584, CALCITE-7587).
 */
final class Unnesting {
  private final OuterSide outer;
  private final RexBuilder rexBuilder;

  /**
   * @param variable what the right side calls a row of the left one
   */
  Unnesting(RelNode left, CorrelationId variable) {
    this.outer = new OuterSide(left, variable);
    this.rexBuilder = left.getCluster().getRexBuilder();
  }

  /**
   * @throws NotUnnestable if a node that depends on the outer row has no form without it
   */
  UnnestedSide unnest(RelNode rel) {
    if (!outer.isUsedBy(rel)) {
      return UnnestedSide.of(Decorrelation.decorrelate(rel));
    }
    return switch (rel) {
      case LogicalFilter filter -> filter(filter);
      case LogicalProject project -> project(project);
      case LogicalAggregate aggregate ->
          new AggregateUnnesting(outer).of(aggregate, unnest(aggregate.getInput()));
      case LogicalJoin join ->
          new JoinUnnesting(outer, this).of(join, unnest(join.getLeft()), unnest(join.getRight()));
      case LogicalCorrelate correlate -> correlate(correlate);
      case LogicalSort sort -> new SortUnnesting(outer).of(sort, unnest(sort.getInput()));
      case SetOp setOp -> setOp(setOp);
      case Uncollect uncollect -> uncollect(uncollect);
      default ->
          throw new NotUnnestable(rel.getRelTypeName() + " depends on a row of an outer query");
    };
  }

  private UnnestedSide filter(LogicalFilter filter) {
    UnnestedSide input = outer.complete(unnest(filter.getInput()));
    return filter(input, RelOptUtil.conjunctions(filter.getCondition()));
  }

  /** Equalities with the outer row bind keys, and the values of others are brought in. */
  UnnestedSide filter(UnnestedSide input, List<RexNode> conditions) {
    List<RexNode> local = new ArrayList<>();
    List<RexNode> dependent = new ArrayList<>();
    List<RexNode> columns = new ArrayList<>(Rels.refs(input.rel(), 0, Rels.width(input.rel())));
    Map<CorrelationKey, UnnestedSide.KeyBinding> keys = new LinkedHashMap<>(input.keys());
    for (RexNode condition : conditions) {
      if (!outer.isUsedBy(condition)) {
        local.add(moved(condition, input.rel()));
      } else if (!binds(condition, input.rel(), columns, keys, local)) {
        dependent.add(condition);
      }
    }
    RelNode rel = Rels.filter(input.rel(), local);
    if (columns.size() > Rels.width(rel)) {
      rel = Rels.project(rel, columns);
    }
    UnnestedSide bound = outer.bind(new UnnestedSide(rel, keys, null), outer.keys(dependent));
    List<RexNode> resolved = new ArrayList<>();
    for (RexNode condition : dependent) {
      resolved.add(outer.resolve(moved(condition, bound.rel()), bound));
    }
    return bound.with(Rels.filter(bound.rel(), resolved));
  }

  private static RexNode moved(RexNode expression, RelNode rel) {
    return Rels.move(expression, column -> column, rel);
  }

  /** Whether a condition is an equality that binds a key, which it then does. */
  private boolean binds(
      RexNode condition,
      RelNode input,
      List<RexNode> columns,
      Map<CorrelationKey, UnnestedSide.KeyBinding> keys,
      List<RexNode> local) {
    boolean equality = condition.isA(SqlKind.EQUALS);
    if (!equality && !condition.isA(SqlKind.IS_NOT_DISTINCT_FROM)) {
      return false;
    }
    List<RexNode> operands = ((RexCall) condition).getOperands();
    for (int i = 0; i < 2; i++) {
      RexNode left = operands.get(i);
      RexNode right = operands.get(1 - i);
      boolean split =
          outer.isOuter(left)
              && !outer.isUsedBy(right)
              && !RelOptUtil.InputFinder.bits(right).isEmpty()
              && RexUtil.isDeterministic(right);
      CorrelationKey key = split ? outer.bindable(left, right) : null;
      if (key == null || keys.containsKey(key)) {
        continue;
      }
      RexNode value = moved(right, input);
      if (equality && value.getType().isNullable()) {
        local.add(Rels.isNotNull(input, value));
      }
      int place = columns.indexOf(value);
      if (place < 0) {
        place = columns.size();
        columns.add(value);
      }
      keys.put(key, new UnnestedSide.KeyBinding(place, equality));
      return true;
    }
    return false;
  }

  private UnnestedSide project(LogicalProject project) {
    UnnestedSide input = unnest(project.getInput());
    if (project.containsOver()) {
      input = outer.complete(input);
    }
    Set<CorrelationKey> needed = outer.keys(project.getProjects());
    UnnestedSide bound = bindForProject(input, needed, project);
    List<RexNode> partition = new ArrayList<>();
    bound.keys().keySet().forEach(key -> partition.add(bound.column(key)));
    List<RexNode> columns = new ArrayList<>();
    for (RexNode column : project.getProjects()) {
      RexNode resolved = outer.resolve(moved(column, bound.rel()), bound);
      columns.add(resolved.accept(new Partitioning(partition)));
    }
    List<RexNode> defaults = defaults(project, bound);
    Map<CorrelationKey, UnnestedSide.KeyBinding> keys = new LinkedHashMap<>();
    bound
        .keys()
        .forEach((key, old) -> {
          RexInputRef value = bound.column(key);
          int place = columns.indexOf(value);
          if (place < 0) {
            place = columns.size();
            columns.add(value);
          }
          keys.put(key, new UnnestedSide.KeyBinding(place, old.notNull()));
        });
    return new UnnestedSide(Rels.project(bound.rel(), columns), keys, defaults);
  }

  private UnnestedSide bindForProject(
      UnnestedSide input, Set<CorrelationKey> needed, LogicalProject project) {
    boolean folds = project.getProjects().stream().allMatch(RexUtil::isDeterministic);
    return outer.bind(folds ? input : outer.complete(input), needed);
  }

  private @Nullable List<RexNode> defaults(LogicalProject project, UnnestedSide input) {
    List<RexNode> old = input.defaults();
    if (old == null) {
      return null;
    }
    List<RexNode> defaults = new ArrayList<>();
    for (RexNode column : project.getProjects()) {
      RexNode filled =
          column.accept(
              new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef ref) {
                  return old.get(ref.getIndex());
                }
              });
      defaults.add(Constants.fold(filled, rexBuilder));
    }
    return defaults;
  }

  /** Windows are over the rows of one outer row. */
  private final class Partitioning extends RexShuttle {
    private final List<RexNode> keys;

    Partitioning(List<RexNode> keys) {
      this.keys = keys;
    }

    @Override
    public RexNode visitOver(RexOver over) {
      RexOver inner = (RexOver) super.visitOver(over);
      List<RexNode> partition = new ArrayList<>(inner.getWindow().partitionKeys);
      keys.stream().filter(key -> !partition.contains(key)).forEach(partition::add);
      return rexBuilder.makeOver(
          inner.getType(),
          inner.getAggOperator(),
          inner.getOperands(),
          partition,
          inner.getWindow().orderKeys,
          inner.getWindow().getLowerBound(),
          inner.getWindow().getUpperBound(),
          inner.getWindow().getExclude(),
          inner.getWindow().isRows(),
          true,
          false,
          inner.isDistinct(),
          inner.ignoreNulls());
    }
  }

  /** The keys are repeated with the elements. */
  private UnnestedSide uncollect(Uncollect uncollect) {
    UnnestedSide input = outer.complete(unnest(uncollect.getInput()));
    int collections = Rels.width(uncollect.getInput());
    List<RexNode> columns = new ArrayList<>();
    Map<CorrelationKey, UnnestedSide.KeyBinding> keys = new LinkedHashMap<>();
    input
        .keys()
        .forEach((key, bound) -> {
          keys.put(key, new UnnestedSide.KeyBinding(columns.size(), bound.notNull()));
          columns.add(Rels.ref(input.rel(), bound.column()));
        });
    int kept = columns.size();
    columns.addAll(Rels.refs(input.rel(), 0, collections));
    RelNode unnest = LateralUnnest.of(uncollect, Rels.project(input.rel(), columns), false);
    return withKeys(unnest, Rels.refs(unnest, kept, Rels.width(unnest)), keys);
  }

  /** The left side gets the outer columns that the right one wants, which then depends on it. */
  private UnnestedSide correlate(LogicalCorrelate correlate) {
    UnnestedSide left = outer.complete(unnest(correlate.getLeft()));
    left = outer.bind(left, outer.keys(correlate.getRight()));
    CorrelationId variable = correlate.getCluster().createCorrel();
    RelNode right =
        outer.rebase(correlate.getRight(), correlate.getCorrelationId(), variable, left);
    RelNode joined = Decorrelation.join(left.rel(), right, variable, correlate.getJoinType());
    int own = Rels.width(correlate.getLeft());
    int width = Rels.width(left.rel());
    List<RexNode> columns = new ArrayList<>(Rels.refs(joined, 0, own));
    if (correlate.getJoinType().projectsRight()) {
      columns.addAll(Rels.refs(joined, width, Rels.width(joined)));
    }
    return withKeys(joined, columns, left.keys());
  }

  /** Columns, and keys behind them. */
  static UnnestedSide withKeys(
      RelNode rel, List<RexNode> columns, Map<CorrelationKey, UnnestedSide.KeyBinding> keys) {
    List<RexNode> all = new ArrayList<>(columns);
    Map<CorrelationKey, UnnestedSide.KeyBinding> places = new LinkedHashMap<>();
    keys.forEach((key, bound) -> {
      RexNode value = Rels.ref(rel, bound.column());
      int place = all.indexOf(value);
      if (place < 0) {
        place = all.size();
        all.add(value);
      }
      places.put(key, new UnnestedSide.KeyBinding(place, bound.notNull()));
    });
    boolean same = all.equals(Rels.refs(rel, 0, Rels.width(rel)));
    return new UnnestedSide(same ? rel : Rels.project(rel, all), places, null);
  }

  private UnnestedSide setOp(SetOp setOp) {
    List<UnnestedSide> inputs = new ArrayList<>();
    Set<CorrelationKey> keys = new LinkedHashSet<>();
    for (RelNode input : setOp.getInputs()) {
      UnnestedSide unnested = outer.complete(unnest(input));
      inputs.add(unnested);
      keys.addAll(unnested.keys().keySet());
    }
    int width = Rels.width(setOp);
    List<RelNode> aligned = new ArrayList<>();
    Map<CorrelationKey, UnnestedSide.KeyBinding> places = new LinkedHashMap<>();
    for (UnnestedSide input : inputs) {
      UnnestedSide bound = outer.bind(input, keys);
      List<RexNode> columns = new ArrayList<>(Rels.refs(bound.rel(), 0, width));
      for (CorrelationKey key : keys) {
        UnnestedSide.KeyBinding place = places.get(key);
        boolean notNull = bound.bound(key).notNull() && (place == null || place.notNull());
        places.put(key, new UnnestedSide.KeyBinding(columns.size(), notNull));
        columns.add(bound.column(key));
      }
      aligned.add(Rels.project(bound.rel(), columns));
    }
    RelNode result = setOp.copy(setOp.getTraitSet(), aligned);
    return new UnnestedSide(result, places, null);
  }
}
