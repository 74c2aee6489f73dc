package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/** Which columns of a plan are determined by which others, through keys and equalities. */
final class FunctionalDependencies {
  private record Dependency(ImmutableBitSet from, ImmutableBitSet to) {}

  private final List<Dependency> dependencies = new ArrayList<>();

  /** What is known of a plan's columns. */
  static FunctionalDependencies of(RelNode rel) {
    FunctionalDependencies result = new FunctionalDependencies();
    switch (rel) {
      case TableScan scan -> result.addKeys(scan);
      case Filter filter -> {
        result.addAll(of(filter.getInput()), 0);
        result.addEqualities(filter.getCondition());
      }
      case Project project -> result.project(project);
      case Join join -> result.join(join);
      case Sort sort -> result.addAll(of(sort.getInput()), 0);
      case Aggregate aggregate -> result.aggregate(aggregate);
      default -> {}
    }
    return result;
  }

  private void add(ImmutableBitSet from, ImmutableBitSet to) {
    dependencies.add(new Dependency(from, to));
  }

  private void addAll(FunctionalDependencies input, int shift) {
    for (Dependency dependency : input.dependencies) {
      add(dependency.from.shift(shift), dependency.to.shift(shift));
    }
  }

  private static ImmutableBitSet all(RelNode rel) {
    return ImmutableBitSet.range(rel.getRowType().getFieldCount());
  }

  private void addKeys(TableScan scan) {
    List<ImmutableBitSet> keys = scan.getTable().getKeys();
    if (keys != null) {
      for (ImmutableBitSet key : keys) {
        // Several rows may have null in a key.
        boolean nullable =
            key.asList().stream()
                .anyMatch(
                    column -> scan.getRowType().getFieldList().get(column).getType().isNullable());
        if (!nullable) {
          add(key, all(scan));
        }
      }
    }
  }

  private void addEqualities(RexNode condition) {
    for (RexNode term : RelOptUtil.conjunctions(condition)) {
      if (!term.isA(SqlKind.EQUALS)) {
        continue;
      }
      RexNode left = ((RexCall) term).getOperands().get(0);
      RexNode right = ((RexCall) term).getOperands().get(1);
      if (left instanceof RexInputRef a && right instanceof RexInputRef b) {
        add(ImmutableBitSet.of(a.getIndex()), ImmutableBitSet.of(b.getIndex()));
        add(ImmutableBitSet.of(b.getIndex()), ImmutableBitSet.of(a.getIndex()));
      } else if (left instanceof RexInputRef a && RexUtil.isConstant(right)) {
        add(ImmutableBitSet.of(), ImmutableBitSet.of(a.getIndex()));
      }
    }
  }

  private void project(Project project) {
    List<RexNode> columns = project.getProjects();
    int width = project.getInput().getRowType().getFieldCount();
    // A column of the input that is projected twice is one place and its equals.
    int[] places = new int[width];
    java.util.Arrays.fill(places, -1);
    for (int i = 0; i < columns.size(); i++) {
      if (!(columns.get(i) instanceof RexInputRef ref)) {
        continue;
      }
      int first = places[ref.getIndex()];
      if (first < 0) {
        places[ref.getIndex()] = i;
      } else {
        add(ImmutableBitSet.of(first), ImmutableBitSet.of(i));
        add(ImmutableBitSet.of(i), ImmutableBitSet.of(first));
      }
    }
    FunctionalDependencies input = of(project.getInput());
    ImmutableBitSet.Builder kept = ImmutableBitSet.builder();
    for (int i = 0; i < width; i++) {
      if (places[i] >= 0) {
        kept.set(i);
      }
    }
    ImmutableBitSet keptColumns = kept.build();
    for (ImmutableBitSet from : input.sources(keptColumns)) {
      ImmutableBitSet to = input.closure(from);
      add(
          moved(from, places),
          moved(to.intersect(keptColumns), places).union(computed(columns, to)));
    }
    for (int i = 0; i < columns.size(); i++) {
      ImmutableBitSet inputs = RelOptUtil.InputFinder.bits(columns.get(i));
      if (keptColumns.contains(inputs) && computed(columns, inputs).get(i)) {
        add(moved(inputs, places), ImmutableBitSet.of(i));
      }
    }
  }

  /** Expressions, by their places, that have one value for each combination of some columns. */
  private static ImmutableBitSet computed(List<RexNode> expressions, ImmutableBitSet from) {
    ImmutableBitSet.Builder result = ImmutableBitSet.builder();
    for (int i = 0; i < expressions.size(); i++) {
      RexNode expression = expressions.get(i);
      if (!(expression instanceof RexInputRef)
          && from.contains(RelOptUtil.InputFinder.bits(expression))
          && RexUtil.isDeterministic(expression)
          && !RexOver.containsOver(expression)
          && RexUtil.SubQueryFinder.find(expression) == null
          && hasOneFormOfValues(expression)) {
        result.set(i);
      }
    }
    return result.build();
  }

  /** Whether equal values of its columns look the same to an expression: 0.0 and -0.0 do not. */
  private static boolean hasOneFormOfValues(RexNode expression) {
    return new RexVisitorImpl<Boolean>(true) {
      boolean all = true;

      @Override
      public Boolean visitInputRef(RexInputRef column) {
        all &=
            switch (column.getType().getSqlTypeName()) {
              case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL -> true;
              case DATE, TIME, TIMESTAMP, VARCHAR -> true;
              default -> false;
            };
        return all;
      }

      boolean test() {
        expression.accept(this);
        return all;
      }
    }.test();
  }

  private static ImmutableBitSet moved(ImmutableBitSet columns, int[] places) {
    ImmutableBitSet.Builder result = ImmutableBitSet.builder();
    columns.forEach(column -> result.set(places[column]));
    return result.build();
  }

  /** Sets of kept columns that may determine others: sources, with equal columns put in. */
  private List<ImmutableBitSet> sources(ImmutableBitSet kept) {
    List<ImmutableBitSet> result = new ArrayList<>();
    for (Dependency dependency : dependencies) {
      ImmutableBitSet.Builder builder = ImmutableBitSet.builder();
      boolean complete = true;
      for (int column : dependency.from) {
        int present = kept.get(column) ? column : equal(column, kept);
        if (present < 0) {
          complete = false;
          break;
        }
        builder.set(present);
      }
      if (complete) {
        result.add(builder.build());
      }
    }
    return result;
  }

  /** A kept column that determines {@code column} by itself, -1 if there is none. */
  private int equal(int column, ImmutableBitSet kept) {
    for (int candidate : kept) {
      if (closure(ImmutableBitSet.of(candidate)).get(column)) {
        return candidate;
      }
    }
    return -1;
  }

  private void join(Join join) {
    int width = join.getLeft().getRowType().getFieldCount();
    JoinRelType type = join.getJoinType();
    if (type == JoinRelType.INNER || !type.generatesNullsOnLeft()) {
      addAll(of(join.getLeft()), 0);
    }
    if (type == JoinRelType.INNER) {
      addAll(of(join.getRight()), width);
      addEqualities(join.getCondition());
    }
  }

  private void aggregate(Aggregate aggregate) {
    if (aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
      return;
    }
    int keys = aggregate.getGroupCount();
    add(ImmutableBitSet.range(keys), all(aggregate));
    FunctionalDependencies input = of(aggregate.getInput());
    int[] places = new int[aggregate.getInput().getRowType().getFieldCount()];
    java.util.Arrays.fill(places, -1);
    int next = 0;
    for (int key : aggregate.getGroupSet()) {
      places[key] = next++;
    }
    for (ImmutableBitSet from : input.sources(aggregate.getGroupSet())) {
      ImmutableBitSet to = input.closure(from).intersect(aggregate.getGroupSet());
      add(moved(from, places), moved(to, places));
    }
  }

  /** All columns that the given ones determine, these included. */
  ImmutableBitSet closure(ImmutableBitSet columns) {
    ImmutableBitSet result = columns;
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Dependency dependency : dependencies) {
        if (result.contains(dependency.from) && !result.contains(dependency.to)) {
          result = result.union(dependency.to);
          changed = true;
        }
      }
    }
    return result;
  }
}
